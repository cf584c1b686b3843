// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/device/cuda/api.hpp>
#include <imbrex/device/memory_key.hpp>

namespace imbrex::gpu {

/// Counts how many other processes of the host have mapped each of a device's allocations. The driver does
/// not report this, but memory must not be freed before all have unmapped it. The table is a file without a
/// name that the others also map.
///
/// The word of a slot has three fields, from the top: whether the owner ends it, the number of the slot's
/// use, the number of mappings. The owner begins a use, marks its end, and frees the memory when no process
/// has it mapped; then the next use may begin. Others count themselves in before they map it, unless it ends,
/// and out afterwards, by compare and swap. These are releases, so that their accesses to the memory come
/// before.
class mapping_table {
 public:
  static constexpr std::uint32_t slots = 4096;

  /// The address of a table for other processes.
  struct place {
    std::uint32_t process = 0;
    std::uint32_t descriptor = 0;
    std::uint64_t file = 0;
  };
  /// A slot, and the number of its use.
  struct use {
    std::uint32_t slot = 0;
    std::uint32_t number = 0;
  };

  /// Makes this process's table. Without such files in the system it is false.
  mapping_table();
  /// The table of another process; null if it cannot be found from here.
  static std::unique_ptr<mapping_table> find(const place& at);
  mapping_table(const mapping_table&) = delete;
  mapping_table& operator=(const mapping_table&) = delete;
  ~mapping_table();

  explicit operator bool() const noexcept { return words_ != nullptr; }
  const place& where() const noexcept { return where_; }

  // Functions of the owner.

  std::optional<use> begin();
  /// Forbids further mappings. True if no process has one.
  bool end(const use& of) noexcept;
  /// True once no process has the ended use mapped; then the slot is free.
  bool is_free(const use& of) noexcept;

  // Functions of the other processes.

  /// Counts this process in. False if that use is over, or ends.
  bool enter(const use& of) noexcept;
  void leave(const use& of) noexcept;
  bool ends(const use& of) const noexcept;
  /// The number of ends so far.
  std::uint64_t ends_so_far() const noexcept;

 private:
  mapping_table(descriptor file, const place& at);
  std::atomic<std::uint64_t>& word(std::uint32_t slot) const noexcept { return words_[1 + slot]; }

  descriptor file_;
  place where_;
  std::atomic<std::uint64_t>* words_ = nullptr;  ///< number of ends so far, then the slots
  std::uint32_t next_ = 0;
  std::uint32_t in_use_ = 0;  ///< number of slots in use, known to the owner alone
};

/// The memory of one device that this process has allocated, and the parts of it that others may have mapped.
/// One thread at a time, which has chosen the device.
class exported_memory {
 public:
  void add(void* base, std::size_t bytes) { all_[base] = {bytes, {}, {}, false}; }
  /// Removes an allocation. True if it may be freed now. Else others have it mapped, and it is kept.
  bool remove(void* base);
  /// Removes a kept allocation that may be freed now; null if there is none.
  void* next_to_free();
  bool keeps_some() const noexcept { return !kept_.empty(); }
  /// The key of an address. Nothing if the memory is not this process's, if the driver would share other
  /// memory, too, or gives no handle.
  std::optional<memory_key> key_of(const void* address);
  /// The reason why the last call gave no key; empty if it did, or there was no call.
  const std::string& problem() const noexcept { return problem_; }

 private:
  struct allocation {
    std::size_t bytes = 0;
    cudaIpcMemHandle_t handle{};
    mapping_table::use use{};
    bool is_exported = false;
  };
  struct kept {
    void* base;
    mapping_table::use use;
  };

  /// Exports an allocation. Returns the reason if that fails, else an empty text.
  std::string export_problem(const void* base, allocation& its);

  std::map<const void*, allocation> all_;
  std::vector<kept> kept_;
  std::unique_ptr<mapping_table> table_;  ///< null until the first export
  std::string problem_;
  bool has_failed_ = false;  ///< true after an error that would occur again
};

/// Allocations of other processes that are mapped into this process's address space of a device: each once,
/// until its owner ends it. One thread at a time, which has chosen the device.
class imported_memory {
 public:
  ~imported_memory() { close_all(); }
  /// The mapped address of the key, which may be written to; null if it cannot be mapped here.
  std::byte* find(const memory_key& key);
  /// Unmaps all memory that its owner has ended.
  void close_ended() noexcept;
  void close_all() noexcept;
  std::size_t size() const noexcept { return mapped_.size(); }

 private:
  struct owner {
    std::unique_ptr<mapping_table> table;
    std::uint64_t ends_seen = 0;
  };
  using id = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;  ///< file of the table, slot, use
  struct mapping {
    void* base;
    mapping_table* table;
    mapping_table::use use;
  };

  void close_ended(owner& of) noexcept;

  std::map<std::uint64_t, owner> owners_;  ///< by the file of their table
  std::map<id, mapping> mapped_;
};

}  // namespace imbrex::gpu
