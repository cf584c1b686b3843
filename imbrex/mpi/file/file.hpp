// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/mpi/communicator.hpp>
#include <imbrex/mpi/file/shared_pointer.hpp>
#include <imbrex/mpi/file/system_file.hpp>
#include <imbrex/mpi/file/view.hpp>
#include <imbrex/mpi/object/error.hpp>
#include <imbrex/mpi/object/file_object.hpp>
#include <imbrex/mpi/object/info.hpp>
#include <imbrex/mpi/rank/rank_interface.hpp>
#include <imbrex/mpi/user_request.hpp>

namespace imbrex::mpi {

/// Calls an action and returns the mpi::error that it has thrown, for `file::agree`.
template <typename Action>
std::optional<error> failure_of(Action&& action) {
  try {
    action();
  } catch (const error& e) {
    return e;
  }
  return std::nullopt;
}

/// A file of MPI (MPI 3.1, chapter 13) as one rank has it. Each rank has opened the file by itself.
///
/// Only the rank's PE uses a file, except for its data: the worker of the PE reads and writes them, too.
class file final : public file_object {
 public:
  /// Collective over the communicator, which belongs to the file. Throws mpi::error on all ranks if one of
  /// them cannot open the file: MPI_ERR_AMODE for a mode that contradicts itself, MPI_ERR_NOT_SAME if the
  /// modes differ.
  static ref<file> open(rank& self, const ref<communicator>& in, const std::string& path, int mode,
                        const ref<error_handler>& handler);
  /// Collective. Waits for the accesses under way.
  void close();

  rank& self() const { return self_; }
  const ref<communicator>& in() const { return in_; }
  int mode() const { return mode_; }
  std::string description() const override;

  /// Throw mpi::error unless the mode allows that: MPI_ERR_ACCESS, MPI_ERR_READ_ONLY,
  /// MPI_ERR_UNSUPPORTED_OPERATION for a sequential file.
  void require_readable() const;
  void require_writable() const;
  void require_random() const;

  /// Etypes of the view up to the file's end, the last one possibly incomplete.
  std::int64_t etypes_to_end() const;

  /// Collective: moves the shared pointer.
  void set_pointer(std::int64_t etypes);

  /// Collective: throws mpi::error (MPI_ERR_NOT_SAME) unless all ranks pass the same value.
  void require_same(std::int64_t value, const char* what) const;
  /// Collective: throws on all ranks if `code` is an error on one of them.
  void agree(const error* own) const;

  /// An access of all ranks that a function has begun and another ends.
  struct split_access {
    ref<user_request> begun;     ///< null if there is none
    const char* name = nullptr;  ///< such as "MPI_File_read_all"
  };

  system_file data;
  file_view view;
  std::int64_t position = 0;  ///< the rank's own pointer, in etypes
  bool is_atomic = false;
  info hints;
  shared_pointer pointer;
  split_access split;
  std::vector<request*> under_way;  ///< accesses that have not ended

 private:
  file(rank& self, const ref<communicator>& in, int mode, const ref<error_handler>& handler);
  void open_here(const std::string& path, int more_flags);

  rank& self_;
  ref<communicator> in_;
  int mode_;
};

}  // namespace imbrex::mpi
