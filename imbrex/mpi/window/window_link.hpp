// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/mpi/communicator.hpp>
#include <imbrex/mpi/rank/rank_interface.hpp>
#include <imbrex/mpi/window/access.hpp>
#include <imbrex/mpi/window/exposed_memory.hpp>

namespace imbrex::mpi {

enum class lock_state : std::uint8_t { none, requested, held, unchecked };

/// A rank of a window, as another rank of the window knows it.
struct window_target {
  exposed_memory* memory = nullptr;  ///< null if it is in another process
  std::byte* base = nullptr;         ///< an address in the target's process
  std::int64_t size = 0;
  std::int64_t unit = 1;
  std::uint32_t process = 0;
  std::uint32_t pending = 0;  ///< transfers in progress to or from the target that use this rank's memory
  std::uint32_t posts = 0;    ///< exposures that the target has posted and no `start` has used yet
  lock_state lock = lock_state::none;
  bool is_started = false;
  bool is_dirty = false;  ///< accesses were sent since the last flush
};

/// The connection of a rank to the other ranks of a window: their states, packets to them, and the wait of
/// this rank for their replies.
class window_link {
 public:
  window_link(rank& self, const ref<communicator>& in);

  rank& self() const { return self_; }
  const ref<communicator>& in() const { return in_; }
  int world_rank(int rank) const { return in_->members().world_rank(rank); }
  /// All targets, by their ranks in the window.
  std::vector<window_target>& targets() { return targets_; }
  const std::vector<window_target>& targets() const { return targets_; }
  window_target& operator[](int rank) { return targets_[static_cast<std::size_t>(rank)]; }
  /// Throws mpi::error (MPI_ERR_RANK) if the window does not have the rank.
  window_target& checked(int rank);

  /// True if the memory of the target is accessed directly, not by packets.
  bool is_direct(const window_target& t) const { return is_direct_ && t.memory != nullptr; }
  std::int32_t next_tag() { return static_cast<std::int32_t>(tags_++ & 0x3fffffffU); }
  /// The envelope of packets to targets.
  envelope head() const { return {in_->context(purpose::persistent), in_->rank(), 0}; }
  void send(int to, access_header header);
  void barrier(purpose of);

  /// Waits until the condition holds; `note` evaluates it again after each received packet. `what` and `of`
  /// describe it in reports.
  template <typename Condition>
  void await(const Condition& holds, const char* what, int of = -1) {
    if (holds()) return;
    awaited_ = what;
    awaited_rank_ = of;
    waits_ = {};
    waits_.peer = request::is_several;
    condition_ = &holds;
    test_ = [](const void* c) { return (*static_cast<const Condition*>(c))(); };
    self_.await(waits_);
    awaited_ = nullptr;
  }
  void note();
  /// The current wait; empty if there is none.
  std::string description() const;

 private:
  rank& self_;
  ref<communicator> in_;
  bool is_direct_;
  std::vector<window_target> targets_;
  std::uint32_t tags_ = 0;
  request waits_;
  const void* condition_ = nullptr;
  bool (*test_)(const void*) = nullptr;
  const char* awaited_ = nullptr;
  int awaited_rank_ = -1;
};

}  // namespace imbrex::mpi
