// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <imbrex/mpi/packet.hpp>

namespace imbrex::mpi {

/// What a rank knows of another: how many packets it has sent there, and which it expects from there. Packets
/// may overtake each other on their way; those that have come too early wait.
struct peer {
  std::uint32_t sent = 0;
  std::uint32_t expected = 0;
  packet* early = nullptr;  ///< by `newer`, in the order of their sending

  void keep_early(packet& p) {
    packet** at = &early;
    while (*at != nullptr && (*at)->sequence - expected < p.sequence - expected) at = &(*at)->newer;
    p.newer = *at;
    *at = &p;
  }
  /// The packet that is expected, if it has come; else null.
  packet* take_expected() {
    packet* const first = early;
    if (first == nullptr || first->sequence != expected) return nullptr;
    early = first->newer;
    ++expected;
    return first;
  }
};

/// Those of all ranks, of which memory is taken only for the neighbourhoods of numbers that are spoken to.
class peer_table {
 public:
  explicit peer_table(int ranks) : blocks_((static_cast<std::size_t>(ranks) + block_size - 1) / block_size) {}
  ~peer_table() {
    for (auto& b : blocks_)
      if (b != nullptr)
        for (peer& each : *b)
          while (each.early != nullptr) {
            packet* const first = each.early;
            each.early = first->newer;
            packet::release(*first);
          }
  }
  peer_table(const peer_table&) = delete;
  peer_table& operator=(const peer_table&) = delete;

  peer& operator[](std::uint32_t rank) {
    auto& block = blocks_[rank / block_size];
    if (block == nullptr) [[unlikely]]
      block = std::make_unique<std::array<peer, block_size>>();
    return (*block)[rank % block_size];
  }

 private:
  static constexpr std::size_t block_size = 16;
  std::vector<std::unique_ptr<std::array<peer, block_size>>> blocks_;
};

}  // namespace imbrex::mpi
