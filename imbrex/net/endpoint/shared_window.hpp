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

/// Of a message of a trial, for its receiver, at the end of what describes it.
struct trial_mark {
  std::uint64_t from = 0;   ///< endpoint
  std::uint32_t spent = 0;  ///< by the sender, ns; 0 if that is not known
  std::uint16_t trial = 0;  ///< `path_choice::path_now::trial`: 0 if there is none
  std::uint16_t unused = 0;
};

/// A block in the sender's memory, likewise.
struct block_mark {
  shared_block where;
  trial_mark tried;
};

/// Which path is better for messages of a size class to the endpoint that says so.
struct path_verdict {
  std::uint64_t from = 0;
  std::uint32_t which = 0;  ///< size class
  std::uint16_t trial = 0;
  long_path better = long_path::memory;
  std::uint8_t unused = 0;
};

/// Whether an endpoint of this host can read what this one's memory holds.
enum class access_to_ours : std::uint8_t { no, unasked, awaited, yes };

/// What an endpoint knows of another of its host.
struct neighbour {
  std::unique_ptr<foreign_memory> theirs;  ///< what that one has offered
  access_to_ours access = access_to_ours::no;
  std::array<path_choice, size_class::number> choices;  ///< for messages to that endpoint
  std::array<path_trial, size_class::number> trials;    ///< of messages from there
};

/// An endpoint's memory for long blocks to others of its host, and what decides whether they go there. A
/// fabric may have the kernel copy what is long, page by page, which on some processors takes three times as
/// long as a copy to memory that both share and one from there, and on others half as long. So an endpoint
/// that sends a long block to another of its host offers that one access to such memory. From when it has
/// been taken, both paths are tried (`long_path`), and the better one is used, memory as long as there is
/// room in it.
class shared_window {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// What is sent through a fabric's own shared memory, without an offer: no faster way is known.
  static constexpr std::size_t longest_block_unasked = std::size_t{1} << 13U;
  /// What describes a block in shared memory is short, so that it is not offered in its turn, and takes no
  /// longer to read than the block.
  static constexpr std::size_t longest_beside_block = 1024;
  static constexpr std::size_t longest_about_block = longest_beside_block + 128;  ///< with all that is added

  static bool may_take(std::size_t beside_block, std::size_t block) {
    return beside_block <= longest_beside_block && block > longest_block_unasked &&
           block <= shared_layout::longest_block;
  }

  /// What others find the memory by. Throws imbrex::error if there is none.
  const shared_memory_key& key();

  /// How a block leaves.
  struct departure {
    long_path by;
    block_mark mark;  ///< by a rendezvous: only that of its trial
    path_choice* choice;
    time_point begun;

    /// A rendezvous has left: how long the sender had to do with it.
    void has_left() const;
  };
  /// Of endpoint `self`, to one that can read its memory. Nothing if it goes as any other does; a block that
  /// goes by memory is there.
  std::optional<departure> send(neighbour& to, std::size_t self, std::span<const std::byte> block);

  /// A message of a trial has been received, from then until now: the verdict of endpoint `self` to tell its
  /// sender, if there is one.
  std::optional<path_verdict> compare(neighbour& from, std::size_t self, const trial_mark& tried,
                                      long_path by, std::size_t size, time_point begun);

 private:
  std::unique_ptr<shared_memory> memory_;  ///< once there have been long blocks to others of this host
  time_point compared_last_;               ///< no two messages are received at once, when that is timed
};

}  // namespace imbrex::endpoints
