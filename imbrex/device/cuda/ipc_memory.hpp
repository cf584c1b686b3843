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

/// How many other processes of the host have mapped each of a device's allocations, which the driver does not
/// tell: a file without a name that they map, too, since memory must not be freed before all have closed it.
///
/// Of each slot the word says, from above: whether the owner ends it, which use of the slot it is, and how
/// many have mapped it. The owner begins a use, marks its end, and frees the memory when nobody has it
/// mapped; then the next use may begin. Others count themselves in before they map it, unless it ends, and
/// out afterwards, by compare and swap; a release, so that what they did with the memory comes before.
class mapping_table {
 public:
  static constexpr std::uint32_t slots = 4096;

  /// Where another process finds it.
  struct place {
    std::uint32_t process = 0;
    std::uint32_t descriptor = 0;
    std::uint64_t file = 0;
  };
  /// A slot, and which use of it.
  struct use {
    std::uint32_t slot = 0;
    std::uint32_t number = 0;
  };

  /// Of this process. Where the system has no such files it is of nothing.
  mapping_table();
  /// That of another one; null if it cannot be found from here.
  static std::unique_ptr<mapping_table> find(const place& at);
  mapping_table(const mapping_table&) = delete;
  mapping_table& operator=(const mapping_table&) = delete;
  ~mapping_table();

  explicit operator bool() const noexcept { return words_ != nullptr; }
  const place& where() const noexcept { return where_; }

  // The owner's.

  std::optional<use> begin();
  /// Nobody may map it any more. True if nobody has.
  bool end(const use& of) noexcept;
  /// True once nobody has what was ended; then the slot is free.
  bool is_free(const use& of) noexcept;

  // Of the others.

  /// Counts this process in. False if that use is over, or ends.
  bool enter(const use& of) noexcept;
  void leave(const use& of) noexcept;
  bool ends(const use& of) const noexcept;
  /// Grows with each end.
  std::uint64_t ends_so_far() const noexcept;

 private:
  mapping_table(descriptor file, const place& at);
  std::atomic<std::uint64_t>& word(std::uint32_t slot) const noexcept { return words_[1 + slot]; }

  descriptor file_;
  place where_;
  std::atomic<std::uint64_t>* words_ = nullptr;  ///< the ends so far, and the slots
  std::uint32_t next_ = 0;
  std::uint32_t in_use_ = 0;  ///< slots, of which the owner alone knows how many
};

/// The memory of one device that this process has allocated, and which of it others may have mapped. One
/// thread at a time, which has chosen the device.
class exported_memory {
 public:
  void add(void* base, std::size_t bytes) { all_[base] = {bytes, {}, {}, false}; }
  /// True if it may be freed now; else others have it mapped, and it is kept.
  bool remove(void* base);
  /// One of those that were kept and may be freed now; null if there is none.
  void* next_to_free();
  bool keeps_some() const noexcept { return !kept_.empty(); }
  /// Its key; none if it is not this process's, if it lies beside other memory in what the driver would
  /// share, or if the driver gives none.
  std::optional<memory_key> key_of(const void* address);
  /// Why there was none the last time; empty if there was one, or nobody has asked.
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

  /// Why it cannot be exported; empty if it is now.
  std::string export_problem(const void* base, allocation& its);

  std::map<const void*, allocation> all_;
  std::vector<kept> kept_;
  std::unique_ptr<mapping_table> table_;  ///< null until something is exported
  std::string problem_;
  bool has_failed_ = false;  ///< it would be the same again
};

/// Allocations of other processes that are mapped into a device's address space of this one: each once, until
/// its owner ends it. One thread at a time, which has chosen the device.
class imported_memory {
 public:
  ~imported_memory() { close_all(); }
  /// Null if it cannot be mapped here. It may be written to.
  std::byte* find(const memory_key& key);
  /// What their owners have ended.
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
