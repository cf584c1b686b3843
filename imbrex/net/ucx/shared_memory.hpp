// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <ucp/api/ucp.h>

namespace imbrex::ucx {

/// How memory that other processes of the host read is divided: into granules, of which a block takes some that follow each
/// other, behind one word of state for each granule.
struct shared_layout {
  static constexpr std::size_t granule = std::size_t{1} << 15U;
  static constexpr std::size_t granules = 128;
  static constexpr std::size_t state_distance = 64;  ///< no two in one line of the cache
  static constexpr std::size_t states = granules * state_distance;
  static constexpr std::size_t size = states + granules * granule;
  /// Longer blocks leave no room for another, and do not fit the caches that make this fast.
  static constexpr std::size_t longest_block = granules * granule / 4;

  static constexpr std::size_t granules_of(std::size_t bytes) { return (bytes + granule - 1) / granule; }
};

/// Where a block lies in its owner's memory.
struct shared_block {
  std::uint32_t first = 0;  ///< granule
  std::uint32_t size = 0;   ///< bytes
};

/// Memory of a port to which it copies long blocks, from where their receivers copy them. UCX allocates it and gives
/// others access; it has no name that could stay behind. One thread's, but for what receivers do.
class shared_memory {
 public:
  /// Throws imbrex::error if UCX has none. The context must outlive it.
  explicit shared_memory(ucp_context_h context);
  ~shared_memory();
  shared_memory(const shared_memory&) = delete;
  shared_memory& operator=(const shared_memory&) = delete;

  /// What `foreign_memory` needs.
  std::string key() const;
  std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(start_); }

  /// A copy that stays until its receiver has released it. False if there is no room now.
  bool put(std::span<const std::byte> bytes, shared_block& where);

 private:
  void take_back_what_is_read();

  ucp_context_h context_;
  ucp_mem_h memory_ = nullptr;
  std::byte* start_ = nullptr;
  std::array<bool, shared_layout::granules> taken_{};
  std::vector<shared_block> unread_;
};

/// What an owner knows of a neighbour's access to its memory.
class neighbour_access {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  enum class answer : std::uint8_t { no, unasked, awaited, yes };

  answer is_there = answer::no;

  /// Not in a pause; one that is over ends here.
  bool may_be_used(time_point now);
  /// What a processor has just written comes slowly to one that shares no cache with it. Then UCX is left to copy long blocks,
  /// which may have been written long before; for some time, as processes move, and longer each time that nothing has
  /// changed. Nothing new unless memory has been used since the last pause.
  void pause(time_point now);
  static constexpr std::chrono::milliseconds shortest_pause{10};
  static constexpr std::chrono::milliseconds longest_pause{1000};

 private:
  bool is_paused_ = false;
  std::chrono::milliseconds last_pause_{};
  time_point paused_until_;
};

/// The same memory, as a receiver sees it.
class foreign_memory {
 public:
  /// Null if it cannot be read from here. `endpoint`: to its owner; must outlive this.
  static std::unique_ptr<foreign_memory> find(ucp_ep_h endpoint, const std::string& key,
                                              std::uint64_t address);
  ~foreign_memory();
  foreign_memory(const foreign_memory&) = delete;
  foreign_memory& operator=(const foreign_memory&) = delete;

  /// A block that its owner has put there, until `release`. Throws serial_error if there is none.
  std::span<const std::byte> at(const shared_block& where) const;
  /// It has been copied in that time. True if most copies of late were slow, which is said once for each `many_slow_copies`:
  /// the owner's processor is so far away that what it has just written comes slowly.
  bool release(const shared_block& where, std::chrono::nanoseconds copying);
  /// A process that is interrupted in between is slow, too, but not so often.
  static constexpr int many_slow_copies = 8;

 private:
  foreign_memory(ucp_rkey_h key, std::byte* start) : key_(key), start_(start) {}

  ucp_rkey_h key_;
  std::byte* start_;
  int slow_copies_ = 0;  ///< more than others that were not
};

}  // namespace imbrex::ucx
