// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <imbrex/base/host/descriptor.hpp>

namespace imbrex::endpoints {

/// How memory that other processes of the host read is divided: into granules, of which a block takes some
/// that follow each other, behind one word of state for each granule.
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

/// What a process needs to find the memory of another of its host: a descriptor of that one, and which file
/// it must be. Nobody else may open it: only who could as well trace that process.
struct shared_memory_key {
  std::int64_t process = 0;
  std::int32_t descriptor = -1;
  std::uint64_t device = 0;
  std::uint64_t file = 0;
};

/// `shared_layout::size` bytes of a file, in this process's memory.
class mapped_memory {
 public:
  /// Throws imbrex::error if there is no room for it.
  explicit mapped_memory(int file);
  ~mapped_memory();
  mapped_memory(const mapped_memory&) = delete;
  mapped_memory& operator=(const mapped_memory&) = delete;

  std::byte* start() const { return start_; }

 private:
  std::byte* start_;
};

/// Memory of an endpoint to which it copies long blocks, from where their receivers copy them. It is a file
/// without any name, which so cannot stay behind. One thread's, but for what receivers do.
class shared_memory {
 public:
  /// Throws imbrex::error if the system has none.
  shared_memory();

  /// What `foreign_memory` needs.
  const shared_memory_key& key() const { return key_; }

  /// A copy that stays until its receiver has released it. False if there is no room now.
  bool put(std::span<const std::byte> bytes, shared_block& where);

 private:
  void take_back_what_is_read();

  descriptor file_;
  mapped_memory memory_;
  shared_memory_key key_;
  std::array<bool, shared_layout::granules> taken_{};
  std::vector<shared_block> unread_;
};

/// The same memory, as a receiver sees it.
class foreign_memory {
 public:
  /// Null if it cannot be read from here.
  static std::unique_ptr<foreign_memory> find(const shared_memory_key& key);

  /// A block that its owner has put there, until `release`. Throws serial_error if there is none.
  std::span<const std::byte> at(const shared_block& where) const;
  /// It has been copied.
  void release(const shared_block& where);

 private:
  explicit foreign_memory(int file) : memory_(file) {}

  mapped_memory memory_;
};

}  // namespace imbrex::endpoints
