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

/// Memory of an emulated device that other processes of the host can find: a file without a name, which so
/// cannot stay behind, and of which the machine gives only what is in use. One thread at a time.
class memory_file {
 public:
  /// For so many bytes in all. Where the system has no such files it gives nothing.
  explicit memory_file(std::size_t bytes);
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;
  ~memory_file();

  /// Null if there is no room in one piece.
  void* take(std::size_t bytes);
  /// What `take` has given. Who still uses it ends the program.
  void give_back(void* address, std::size_t bytes) noexcept;
  bool holds(const void* address) const noexcept;
  /// Where it is mapped; of no bytes if there is no file.
  address_range addresses() const noexcept { return {start_, start_ != nullptr ? size_ : 0}; }
  /// By which `foreign_files` of another process find what lies there.
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
  std::map<std::size_t, std::size_t> free_;  ///< bytes, by where they begin
};

/// Files of other processes, as far as they were needed, to be read, or to be written, too. One thread at a
/// time.
template <class Byte>
class foreign_files {
 public:
  foreign_files() = default;
  foreign_files(const foreign_files&) = delete;
  foreign_files& operator=(const foreign_files&) = delete;
  ~foreign_files();

  /// Null if it cannot be found from here.
  Byte* find(const memory_key& key);
  /// How many files are mapped.
  std::size_t size() const { return files_.size(); }

 private:
  struct mapped {
    Byte* start;
    std::size_t size;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, mapped> files_;  ///< by device and number
};

}  // namespace imbrex::emulated
