// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/moment_heap.hpp>
#include <imbrex/core/options/options.hpp>
#include <imbrex/core/record/flow_recorder.hpp>
#include <imbrex/core/run/stepping_machine.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/net/delay/link_model.hpp>
#include <imbrex/net/simulated/simulated_network.hpp>

namespace imbrex::detail {

/// The PEs of a run in simulated time (`--machine simulated`). One thread steps them all, and their actions
/// take the times of a `device_model`. A PE is charged for each item that it runs, each message that it
/// sends, and each call of its device. It is also charged each duration that its program passes to `spend`.
/// Other computation on the processor takes no time. Messages take the times of `--net-latency` and similar
/// options, or else of the model. If the model has links, messages between hosts go over the hosts' cards,
/// which they share with device copies.
///
/// Each PE has its own time, which runs ahead of the common time while the PE works. The next event is always
/// the earliest of all possible ones: something on a device, the arrival of a message, a PE's turn. So a run
/// depends only on the program and its options, and repeats exactly.
///
/// A turn happens at its beginning, whatever it is charged. During a turn a PE sees the state of its device
/// at that time. A value that it stores into a flag is visible from then on. So an entry must not poll its
/// device, or the time, in a loop until something has happened. A blocking entry (`stream::synchronize`) lets
/// the devices continue, but no other PE. With `--completion sync` PEs block side by side in `co_await
/// stream.done()`, though not in `send_when_done`. Quiescence is detected at once and costs nothing.
class simulated_machine final : public stepping_machine {
 public:
  /// Makes a machine for `settings.pes` PEs. Throws usage_error if the device model is unknown.
  simulated_machine(const options& settings, local_run& run);

  local_clock* charged_clock_of(int pe) override { return &pes_[static_cast<std::size_t>(pe)].time; }
  const device_model* model() const override { return &model_; }
  int pes_of_node() const override;
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
    bool looks = false;    ///< the PE polls its device once it has nothing else to do
    bool goes_on = false;  ///< the next turn is the rest of a turn in which the PE blocked
  };
  struct turn {
    nanoseconds when;
    processor* whose;
  };

  /// Performs the next event. False when the run has ended.
  bool step();
  std::optional<nanoseconds> next_turn_of(const processor& pe) const;
  std::optional<turn> first_turn();
  /// Recomputes a PE's next turn; call after every change that may affect it.
  void plan(int pe);
  void plan_all();
  void take(const turn& first);
  /// Sends a message to another host over the links that its host shares.
  void leave_host(const simulated_network::arrival& message);
  nanoseconds cost_of_sending(const work& item) const;
  nanoseconds cost_of_running(const work& item) const;
  void write_flow();
  /// Makes the users of devices that have completed something poll.
  void have_users_look();
  static void look(processor& pe, local_clock& its_time);

  const bool serializes_;
  const device_model model_;
  const link_model link_;
  const nanoseconds least_cost_;  ///< minimum cost of running an item
  std::deque<logical_pe> pes_;
  moment_heap later_;                     ///< the next turns of PEs that are not due yet
  moment_heap due_;                       ///< the due turns, all at one time; the lowest PE goes first
  std::vector<int> posted_from_outside_;  ///< PEs to which threads that are no PE may post at any time
  simulated_network network_;
  std::vector<std::unique_ptr<transport>> wires_;  ///< one for each PE
  trace::track* arrivals_ = nullptr;
  std::unique_ptr<flow_recorder> flow_;  ///< null unless the run's flow is recorded
};

}  // namespace imbrex::detail
