// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/moment_heap.hpp>
#include <imbrex/core/options/options.hpp>
#include <imbrex/core/run/stepping_machine.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/net/delay/link_model.hpp>
#include <imbrex/net/simulated/simulated_network.hpp>

namespace imbrex::detail {

/// The PEs of a run in simulated time (`--machine simulated`): one thread steps them all, and what they do
/// takes the times of a `device_model`. A PE is charged for each item that it runs, each message that it
/// sends, each call of its device, and what its program says by `spend`; computing on the processor itself
/// takes no time otherwise. Messages travel as `--net-latency` and the like say, or else the model. Where the
/// model has links, those between hosts go over their cards, which they share with what devices copy.
///
/// Each PE has a time of its own, which runs ahead of the common one while it works. What happens next is
/// always the earliest of all that can happen: something on a device, the arrival of a message, a PE's turn.
/// So a run depends on nothing but the program and its options, and gives the same again.
///
/// A turn happens at its beginning, whatever it is charged: during a turn a PE sees of its device what was
/// done then, and what it stores into a flag is there from then on. So an entry must not ask its device, or
/// the time, in a loop until something has happened. One that blocks (`stream::synchronize`) lets the devices
/// go on, but no other PE; with
/// `--completion sync` PEs block side by side in `co_await stream.done()`, though not in `send_when_done`.
/// Quiescence is noticed at once and costs nothing.
class simulated_machine final : public stepping_machine {
 public:
  /// For so many PEs as `settings` says. Throws usage_error if there is no such model.
  simulated_machine(const options& settings, local_run& run);

  local_clock* charged_clock_of(int pe) override { return &pes_[static_cast<std::size_t>(pe)].time; }
  const device_model* model() const override { return &model_; }
  delivery_rules rules() const override;
  void connect(bool may_spin, scheduler* comm_thread) override;
  transport& wire_of(int pe) override { return *wires_[static_cast<std::size_t>(pe)]; }
  void record_arrivals(trace::track& where) override { arrivals_ = &where; }
  void run() override;
  void discard() noexcept override { network_.discard(); }

 private:
  struct logical_pe {
    explicit logical_pe(const simulated_clock& shared) : time(shared) {}
    local_clock time;
    bool looks = false;    ///< it is to look at its device once it has nothing else to do
    bool goes_on = false;  ///< its next turn is the rest of one in which it blocked
  };
  struct turn {
    nanoseconds when;
    processor* whose;
  };

  /// Lets the next thing happen. False when the run has ended.
  bool step();
  std::optional<nanoseconds> next_turn_of(const processor& pe) const;
  std::optional<turn> first_turn();
  /// Finds out anew when a PE has its next turn: after all that may change that.
  void plan(int pe);
  void plan_all();
  void take(const turn& first);
  /// What a message to another host comes to, over the links that its host shares.
  void leave_host(const simulated_network::arrival& message);
  nanoseconds cost_of_sending(const work& item) const;
  nanoseconds cost_of_running(const work& item) const;
  /// Of the devices that have done something.
  void have_users_look();
  static void look(processor& pe, local_clock& its_time);

  const bool serializes_;
  const device_model model_;
  const link_model link_;
  const nanoseconds least_cost_;  ///< of running any item
  std::deque<logical_pe> pes_;
  moment_heap later_;                     ///< the next turns of PEs that are not due yet
  moment_heap due_;                       ///< those that are, all at one moment: the first PE goes first
  std::vector<int> posted_from_outside_;  ///< PEs to which threads that are no PE may post at any time
  simulated_network network_;
  std::vector<std::unique_ptr<transport>> wires_;  ///< of each PE
  trace::track* arrivals_ = nullptr;
};

}  // namespace imbrex::detail
