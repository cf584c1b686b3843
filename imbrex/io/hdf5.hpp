// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace imbrex::io::detail {

/// The type of the numbers of a data set, in the byte order of this machine.
struct number_type {
  enum class form : std::uint8_t { signed_integer, unsigned_integer, floating };
  form kind = form::floating;
  std::uint8_t bytes = 8;

  bool operator==(const number_type&) const = default;
};
/// "double", "16-bit integer"
std::string text_of(number_type type);

template <class V>
constexpr number_type number_type_of() {
  static_assert(std::is_arithmetic_v<V> && !std::is_same_v<V, bool> && sizeof(V) <= 8,
                "imbrex: files have numbers of up to 8 bytes: a std::uint8_t instead of a bool");
  if constexpr (std::is_floating_point_v<V>)
    return {number_type::form::floating, sizeof(V)};
  else
    return {std::is_signed_v<V> ? number_type::form::signed_integer : number_type::form::unsigned_integer,
            sizeof(V)};
}

using lengths = std::vector<std::uint64_t>;  ///< by dimension; the last varies fastest
/// "(3, 4)"
std::string text_of(const lengths& values);
std::uint64_t volume_of(const lengths& values);

/// The numbers of a box in a data set.
struct number_box {
  lengths first;
  lengths count;
};

/// An HDF5 file. The library is loaded when the first file is opened, so programs run where it is missing. It
/// may be one that is not made for threads: a process makes one call at a time. All functions throw
/// imbrex::error.
class hdf5_file {
 public:
  hdf5_file() = default;
  /// Creates a file, or empties one.
  static hdf5_file create(const std::string& path);
  static hdf5_file open(const std::string& path);
  hdf5_file(hdf5_file&& other) noexcept;
  hdf5_file& operator=(hdf5_file&& other) noexcept;
  ~hdf5_file();

  explicit operator bool() const { return file_ >= 0; }

  /// Adds a data set in one piece, of which nothing is written. Returns the address of its first byte in the
  /// file; 0 if it has no numbers. A name with slashes is in groups.
  std::uint64_t add(const std::string& name, number_type type, const lengths& shape);
  /// Writes all numbers of a data set.
  void write(const std::string& name, number_type type, const void* values);

  bool has(const std::string& name) const;
  struct description {
    number_type type;
    lengths shape;
  };
  /// Throws for a data set whose numbers are no integers or floating-point numbers of up to 8 bytes, too.
  description describe(const std::string& name) const;
  /// Reads the numbers of a box; they are converted to the type.
  void read(const std::string& name, number_type type, const number_box& box, void* into) const;

  /// Writes what the library still holds.
  void close();

 private:
  hdf5_file(std::int64_t file, std::string path) : file_(file), path_(std::move(path)) {}

  std::int64_t file_ = -1;
  std::string path_;
};

}  // namespace imbrex::io::detail
