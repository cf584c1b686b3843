// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <imbrex/net/endpoint/long_path.hpp>
#include <imbrex/net/endpoint/shared_memory.hpp>

namespace imbrex::endpoints {

/// A trial's data for the receiver, at the end of the message or of its header.
struct trial_mark {
  std::uint64_t from = 0;   ///< sending endpoint
  std::uint32_t spent = 0;  ///< the sender's time in ns; 0 if not known
  std::uint16_t trial = 0;  ///< `path_choice::path_now::trial`: 0 if there is none
  std::uint16_t unused = 0;
};

/// A block in the sender's memory, at the end of the message that describes it.
struct block_mark {
  shared_block where;
  trial_mark tried;
};

/// The better path for messages of a size class to the endpoint that sends this.
struct path_verdict {
  std::uint64_t from = 0;
  std::uint32_t which = 0;  ///< size class
  std::uint16_t trial = 0;
  long_path better = long_path::memory;
  std::uint8_t unused = 0;
};

/// Whether another endpoint of this host can read this endpoint's memory.
enum class peer_access : std::uint8_t { no, unasked, awaited, yes };

/// An endpoint's knowledge of another endpoint of its host.
struct neighbour {
  std::unique_ptr<foreign_memory> peer_memory;  ///< memory that the other endpoint has offered
  peer_access access = peer_access::no;
  std::array<path_choice, size_class::number> choices;  ///< for messages to that endpoint
  std::array<path_trial, size_class::number> trials;    ///< for messages from that endpoint
};

/// An endpoint's memory for long blocks to others of its host, and the choice whether blocks go there. A
/// fabric may have the kernel copy long messages, page by page. On some processors that takes three times as
/// long as two copies by shared memory, on others half as long. So an endpoint that sends a long block to
/// another of its host offers it access to such memory. Once the other has accepted, both paths are tried
/// (`long_path`). The better one is used; memory only as long as there is room in it.
class shared_window {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Limit of the blocks sent through the fabric's own shared memory, without an offer: no faster path is
  /// known.
  static constexpr std::size_t longest_block_unasked = std::size_t{1} << 13U;
  /// Limit of the packed bytes beside a block in shared memory. So the message that describes the block is
  /// not offered, and is read no slower than the block.
  static constexpr std::size_t longest_beside_block = 1024;
  static constexpr std::size_t longest_about_block = longest_beside_block + 128;  ///< includes the values
                                                                                  ///< added at the end

  static bool may_take(std::size_t beside_block, std::size_t block) {
    return beside_block <= longest_beside_block && block > longest_block_unasked &&
           block <= shared_layout::longest_block;
  }

  /// The key by which others find the memory. Throws imbrex::error if there is none.
  const shared_memory_key& key();

  /// The path of a block to a neighbour.
  struct departure {
    long_path by;
    block_mark mark;  ///< for a rendezvous only its `tried` is set
    path_choice* choice;
    time_point begun;

    /// Notes the sender's time for a rendezvous that has left.
    void has_left() const;
  };
  /// Chooses the path of a block from endpoint `self` to a neighbour that can read its memory. If memory is
  /// better, copies the block there. Nothing: the block takes the normal path.
  std::optional<departure> send(neighbour& to, std::size_t self, std::span<const std::byte> block);

  /// Notes that a message of a trial was received between `begun` and now. Returns the verdict that endpoint
  /// `self` must send to the sender, if there is one.
  std::optional<path_verdict> compare(neighbour& from, std::size_t self, const trial_mark& tried,
                                      long_path by, std::size_t size, time_point begun);

 private:
  std::unique_ptr<shared_memory> memory_;  ///< made when the first long block goes to this host
  time_point compared_last_;               ///< end of the last receipt; the times of two receipts do not
                                           ///< overlap
};

}  // namespace imbrex::endpoints
