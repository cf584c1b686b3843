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

/// A run in simulated time, on the calling thread. Each PE has its own stack, which it leaves at each of its
/// steps. The PE with the least time always goes on; among PEs of equal time a random one, by the seed. So a
/// run with one seed is always the same.
///
/// The cost of a step is in the model (`device_model::resident`). An item reaches its receiver after its
/// transfer. Within a GPU a transfer takes the model's `flight`. Between GPUs it goes over the links of the
/// model, behind data that the sender has put there before. A PE that finds nothing sleeps until something
/// arrives. Of all its polls the model charges only the one that finds the item.
class stepping {
 public:
  using serve_function = void (*)(const machine&, pe_state&, team&, std::uint32_t);

  stepping(const device_model& costs, std::uint32_t gpus, std::uint64_t seed);
  stepping(const stepping&) = delete;
  stepping& operator=(const stepping&) = delete;
  ~stepping();

  /// Runs a machine of all its GPUs, in the host's memory, with one thread per PE. `rests` is called when no
  /// PE has work, and at the end. It is also called when a PE has sent more than the host has received.
  /// Returns the duration of the run.
  nanoseconds run(const machine& m, serve_function serve, const std::function<void()>& rests);
  void pass(step what, std::uint64_t a, std::uint32_t b, std::uint32_t c);

 private:
  struct pe;
  static constexpr nanoseconds asleep = nanoseconds::max();

  nanoseconds way(std::uint32_t from, std::uint32_t to, std::size_t bytes);
  nanoseconds behind_puts(std::uint32_t from, std::uint32_t to);
  std::uint32_t gpu_of(std::uint32_t of) const { return of / pes_each_; }
  void wake(std::uint32_t which, nanoseconds at);
  /// Earliest time at which any PE can still act.
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
  bool is_host_behind_ = false;                ///< has not received all that a PE has sent
  std::map<std::uint64_t, flag_times> flags_;  ///< by address
  /// PEs that are not asleep: the time at which they go on, their order among PEs of that time, and their
  /// number.
  std::set<std::pair<std::pair<nanoseconds, std::uint64_t>, std::uint32_t>> ready_;
};

}  // namespace imbrex::resident::detail
