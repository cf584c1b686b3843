// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace imbrex::mpi {

/// An open file of the system. All functions throw mpi::error, whose class comes from the system's reason:
/// MPI_ERR_NO_SUCH_FILE, MPI_ERR_NO_SPACE and others. Any thread, one at a time for `open` and `close`.
class system_file {
 public:
  system_file() = default;
  system_file(const system_file&) = delete;
  system_file& operator=(const system_file&) = delete;
  ~system_file();

  /// `flags` are those of open(2). A new file may be read and written by everybody whom the umask allows.
  void open(const std::string& path, int flags);
  bool is_open() const { return descriptor_ >= 0; }
  const std::string& path() const { return path_; }
  void close();

  std::int64_t size() const;
  void set_size(std::int64_t bytes);
  /// Reserves space up to `bytes`; the file grows if it is shorter.
  void reserve(std::int64_t bytes);
  /// Returns the number of bytes read, which is less than `bytes` only at the file's end.
  std::int64_t read(std::int64_t at, std::byte* to, std::int64_t bytes) const;
  void write(std::int64_t at, const std::byte* from, std::int64_t bytes);
  /// Waits until the disk has what was written.
  void sync();

  static void remove(const std::string& path);

  /// While it lives, no other open file of any process holds a lock of an overlapping range.
  class range_lock {
   public:
    range_lock(const system_file& of, std::int64_t first, std::int64_t end, bool is_exclusive);
    ~range_lock();
    range_lock(const range_lock&) = delete;
    range_lock& operator=(const range_lock&) = delete;

   private:
    const system_file& of_;
    std::int64_t first_;
    std::int64_t bytes_;
  };

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace imbrex::mpi
