// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/device/backend.hpp>
#include <imbrex/device/memory_key.hpp>

namespace imbrex::emulated {

/// Memory of an emulated device that other processes of the host can find. It is a file without a name, so
/// that it cannot be left behind; the system provides only the pages in use. One thread at a time.
class memory_file {
 public:
  /// Makes a file for `bytes` bytes in all. Without such files in the system, `take` returns null.
  explicit memory_file(std::size_t bytes);
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;
  ~memory_file();

  /// Allocates memory; null if there is no room in one piece.
  void* take(std::size_t bytes);
  /// Frees memory from `take`. Later accesses to it end the program.
  void give_back(void* address, std::size_t bytes) noexcept;
  bool holds(const void* address) const noexcept;
  /// The range of its mapping; empty if there is no file.
  address_range addresses() const noexcept { return {start_, start_ != nullptr ? size_ : 0}; }
  /// The key by which `foreign_files` of another process find an address; nothing outside of the memory.
  std::optional<memory_key> key_of(const void* address) const;

 private:
  static std::size_t whole_pages(std::size_t bytes);
  std::size_t offset_of(const void* address) const noexcept {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - start_);
  }

  std::size_t size_;
  descriptor file_;
  std::byte* start_ = nullptr;  ///< null if there is no file
  std::uint64_t device_ = 0;
  std::uint64_t number_ = 0;
  std::map<std::size_t, std::size_t> free_;  ///< free bytes, by their offset
};

/// Mapped files of other processes, for reading, or also for writing. Mapped when needed. One thread at a
/// time.
template <class Byte>
class foreign_files {
 public:
  foreign_files() = default;
  foreign_files(const foreign_files&) = delete;
  foreign_files& operator=(const foreign_files&) = delete;
  ~foreign_files();

  /// The address of the key's memory; null if it cannot be found from here.
  Byte* find(const memory_key& key);
  /// The number of mapped files.
  std::size_t size() const { return files_.size(); }

 private:
  struct mapped {
    Byte* start;
    std::size_t size;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, mapped> files_;  ///< by device and number of the file
};

}  // namespace imbrex::emulated
