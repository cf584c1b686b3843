// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace imbrex::mpi {

struct packet;

/// Sequence numbers between a rank and another rank: packets sent to it, and the next number expected from
/// it. Packets may overtake each other in transit; early ones wait.
struct peer {
  std::uint32_t sent = 0;
  std::uint32_t expected = 0;
  /// Packets that arrived early: a heap, the first sent on top. Null before the first one.
  std::unique_ptr<std::vector<packet*>> early;

  bool has_early() const { return early != nullptr && !early->empty(); }
  void keep_early(packet& p);
  /// Takes the expected packet if it has arrived; else null.
  packet* take_expected() { return has_early() ? take_early_expected() : nullptr; }
  packet* take_first();

 private:
  packet* take_early_expected();
};

/// Table of a rank's peers, indexed by rank. Allocates blocks of `block_size` neighbouring ranks on first
/// use.
class peer_table {
 public:
  explicit peer_table(int ranks) : blocks_((static_cast<std::size_t>(ranks) + block_size - 1) / block_size) {}
  ~peer_table();
  peer_table(const peer_table&) = delete;
  peer_table& operator=(const peer_table&) = delete;

  peer& operator[](std::uint32_t rank) {
    auto& block = blocks_[rank / block_size];
    if (block == nullptr) [[unlikely]]
      block = std::make_unique<std::array<peer, block_size>>();
    return (*block)[rank % block_size];
  }

  /// Calls visit(rank, peer) for each peer that has been used, and some others.
  void for_each(auto&& visit) {
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      for (std::size_t i = 0; blocks_[b] != nullptr && i < block_size; ++i)
        visit(static_cast<std::uint32_t>(b * block_size + i), (*blocks_[b])[i]);
  }

 private:
  static constexpr std::size_t block_size = 16;
  std::vector<std::unique_ptr<std::array<peer, block_size>>> blocks_;
};

}  // namespace imbrex::mpi
