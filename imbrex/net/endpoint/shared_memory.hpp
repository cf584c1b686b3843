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

/// Layout of memory that other processes of the host read. It begins with a word of state for each granule;
/// the granules follow. A block takes consecutive granules.
struct shared_layout {
  static constexpr std::size_t granule = std::size_t{1} << 15U;
  static constexpr std::size_t granules = 128;
  static constexpr std::size_t state_distance = 64;  ///< bytes; keeps each state in a cache line of its own
  static constexpr std::size_t states = granules * state_distance;
  static constexpr std::size_t size = states + granules * granule;
  /// Longer blocks leave no room for another, and do not fit the caches that make this fast.
  static constexpr std::size_t longest_block = granules * granule / 4;

  static constexpr std::size_t granules_of(std::size_t bytes) { return (bytes + granule - 1) / granule; }
};

/// The position of a block in its owner's memory.
struct shared_block {
  std::uint32_t first = 0;  ///< first granule
  std::uint32_t size = 0;   ///< bytes
};

/// Identifies the memory of another process of the host: a descriptor of that process, and the file that it
/// must be. Only processes that could also trace the owner may open it.
struct shared_memory_key {
  std::int64_t process = 0;
  std::int32_t descriptor = -1;
  std::uint64_t device = 0;
  std::uint64_t file = 0;
};

/// A file of `shared_layout::size` bytes, mapped into this process.
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

/// Memory of an endpoint to which it copies long blocks, and from which their receivers copy them. It is a
/// file without a name, so that it cannot be left behind. It belongs to one thread, except for the receivers'
/// accesses.
class shared_memory {
 public:
  /// Throws imbrex::error if the system has none.
  shared_memory();

  /// The key for `foreign_memory::find`.
  const shared_memory_key& key() const { return key_; }

  /// Copies the bytes into a block, which stays until its receiver has released it. False if there is no room
  /// now.
  bool put(std::span<const std::byte> bytes, shared_block& where);

 private:
  void take_back_what_is_read();

  descriptor file_;
  mapped_memory memory_;
  shared_memory_key key_;
  std::array<bool, shared_layout::granules> taken_{};
  std::vector<shared_block> unread_;
};

/// A receiver's view of another endpoint's `shared_memory`.
class foreign_memory {
 public:
  /// Maps the memory. Null if this process cannot read it.
  static std::unique_ptr<foreign_memory> find(const shared_memory_key& key);

  /// A block that its owner has put there; valid until `release`. Throws serial_error if there is none.
  std::span<const std::byte> at(const shared_block& where) const;
  /// Frees a block that has been copied.
  void release(const shared_block& where);

 private:
  explicit foreign_memory(int file) : memory_(file) {}

  mapped_memory memory_;
};

}  // namespace imbrex::endpoints
