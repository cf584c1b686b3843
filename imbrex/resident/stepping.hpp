// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/random.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/device/node_links.hpp>
#include <imbrex/resident/flag_times.hpp>
#include <imbrex/resident/machine.hpp>
#include <imbrex/resident/steps.hpp>
#include <imbrex/resident/team.hpp>

namespace imbrex::resident::detail {

/// A run in simulated time, on the calling thread: each PE is a stack of its own that is left at each of its
/// steps, and always the PE whose time is least goes on; among those of one time a random one, by the seed.
/// So a run of a seed is always the same.
///
/// A step takes what the model says of it (`device_model::resident`). An item is there for its receiver when
/// its way is over: a flight within a GPU, and between GPUs the links of the model, behind what its sender
/// has put there before. A PE that finds nothing sleeps until something comes; the model counts what it has
/// looked in vain in no more than the one look that finds it.
class stepping {
 public:
  using serve_function = void (*)(const machine&, pe_state&, team&, std::uint32_t);

  stepping(const device_model& costs, std::uint32_t gpus, std::uint64_t seed);
  stepping(const stepping&) = delete;
  stepping& operator=(const stepping&) = delete;
  ~stepping();

  /// Runs a machine whose memory the host has, of all its GPUs, with one thread a PE. `rests` is called when
  /// no PE has anything to do, when one has told more than the host has heard, and at the end. Returns how
  /// long it takes.
  nanoseconds run(const machine& m, serve_function serve, const std::function<void()>& rests);
  void pass(step what, std::uint64_t a, std::uint32_t b, std::uint32_t c);

 private:
  struct place;
  struct pe;
  static constexpr nanoseconds asleep = nanoseconds::max();

  nanoseconds way(std::uint32_t from, std::uint32_t to, std::size_t bytes);
  nanoseconds behind_puts(std::uint32_t from, std::uint32_t to);
  std::uint32_t gpu_of(std::uint32_t of) const { return of / pes_each_; }
  void wake(std::uint32_t which, nanoseconds at);
  /// Nobody does anything before it any more.
  nanoseconds earliest() const;
  void leave();

  const device_model costs_;
  const std::uint32_t gpus_;
  random dice_;
  std::optional<node_links> links_;
  std::uint32_t pes_each_ = 1;
  std::vector<std::unique_ptr<pe>> pes_;
  std::uint64_t turns_ = 0;
  std::uint32_t now_runs_ = 0;
  bool is_host_behind_ = false;                ///< with what a PE tells it
  std::map<std::uint64_t, flag_times> flags_;  ///< by where they are
  /// Of those that are not asleep: when they go on, in which turn among others at that time, and which.
  std::set<std::pair<std::pair<nanoseconds, std::uint64_t>, std::uint32_t>> ready_;
};

}  // namespace imbrex::resident::detail
