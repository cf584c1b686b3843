// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/mpi/include/mpi.h>

/// Names the function defined just before in all spellings of Fortran compilers. The names with MPI_ are
/// weak, so that a tool can replace them.
#define IMBREX_FORTRAN_NAMES(prefix, PREFIX, name, NAME)                                              \
  extern "C" {                                                                                        \
  decltype(p##prefix##_##name##_) prefix##_##name##_ IMBREX_FORTRAN_ALIAS(p##prefix##_##name##_);     \
  decltype(p##prefix##_##name##_) prefix##_##name##__ IMBREX_FORTRAN_ALIAS(p##prefix##_##name##_);    \
  decltype(p##prefix##_##name##_) prefix##_##name IMBREX_FORTRAN_ALIAS(p##prefix##_##name##_);        \
  decltype(p##prefix##_##name##_) PREFIX##_##NAME IMBREX_FORTRAN_ALIAS(p##prefix##_##name##_);        \
  decltype(p##prefix##_##name##_) p##prefix##_##name##__ IMBREX_FORTRAN_ALIAS(p##prefix##_##name##_); \
  decltype(p##prefix##_##name##_) p##prefix##_##name IMBREX_FORTRAN_ALIAS(p##prefix##_##name##_);     \
  decltype(p##prefix##_##name##_) P##PREFIX##_##NAME IMBREX_FORTRAN_ALIAS(p##prefix##_##name##_);     \
  }
#define IMBREX_FORTRAN_ALIAS(target) __attribute__((weak, alias(#target)))

/// Conversions of Fortran arguments to C. Results are written back at the end of the full expression.
namespace imbrex::mpi::fortran {

/// Stores an error code; `ierror` is optional in mpi_f08.
inline void give(int* ierror, int code) {
  if (ierror != nullptr) *ierror = code;
}

/// A text without trailing blanks.
class text {
 public:
  text(const char* begin, std::size_t length) : value_(begin, length) {
    value_.erase(value_.find_last_not_of(' ') + 1);
  }
  operator const char*() const { return value_.c_str(); }

 protected:
  std::string value_;
};

/// A key or a value of an info: also without leading blanks (MPI 3.1, chapter 9).
class info_text : public text {
 public:
  info_text(const char* begin, std::size_t length) : text(begin, length) {
    value_.erase(0, value_.find_first_not_of(' '));
  }
};

/// Copies a text to a Fortran variable: padded with blanks, or truncated.
void put_text(std::string_view value, char* to, std::size_t length);

/// A buffer for a text that C writes.
class text_result {
 public:
  text_result(char* to, std::size_t length)
      : room_(MPI_MAX_LIBRARY_VERSION_STRING), to_(to), length_(length) {}
  ~text_result() { put_text(room_.data(), to_, length_); }
  text_result(const text_result&) = delete;
  operator char*() { return room_.data(); }

 private:
  std::vector<char> room_;
  char* to_;
  std::size_t length_;
};

/// An index of an array, which Fortran counts from 1.
class index_result {
 public:
  explicit index_result(int* to) : to_(to) {}
  ~index_result() { *to_ = value_ == MPI_UNDEFINED ? MPI_UNDEFINED : value_ + 1; }
  index_result(const index_result&) = delete;
  operator int*() { return &value_; }

 private:
  int value_ = MPI_UNDEFINED;
  int* to_;
};

/// Several array indices, `*count` of them, which Fortran counts from 1.
class index_results {
 public:
  index_results(int* count, int* to) : count_(count), to_(to) { *count_ = MPI_UNDEFINED; }
  ~index_results() {
    for (int i = 0; i < *count_; ++i) ++to_[i];
  }
  index_results(const index_results&) = delete;
  operator int*() { return to_; }

 private:
  int* count_;
  int* to_;
};

/// A file's handle, which C stores as a pointer.
class file_result {
 public:
  explicit file_result(int* to) : value_(MPI_File_f2c(*to)), to_(to) {}
  ~file_result() { *to_ = MPI_File_c2f(value_); }
  file_result(const file_result&) = delete;
  operator MPI_File*() { return &value_; }

 private:
  MPI_File value_;
  int* to_;
};

/// An address that MPI-1 returns in a default integer: its lowest bits.
class narrow_result {
 public:
  explicit narrow_result(int* to) : to_(to) {}
  ~narrow_result() { *to_ = static_cast<int>(value_); }
  narrow_result(const narrow_result&) = delete;
  operator MPI_Aint*() { return &value_; }

 private:
  MPI_Aint value_ = 0;
  int* to_;
};

/// Addresses that MPI-1 takes as default integers.
class wide {
 public:
  wide(const int* from, int count) : values_(from, from + (count > 0 ? count : 0)) {}
  operator MPI_Aint*() { return values_.data(); }

 private:
  std::vector<MPI_Aint> values_;
};

}  // namespace imbrex::mpi::fortran
