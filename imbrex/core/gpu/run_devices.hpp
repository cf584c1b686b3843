// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/random.hpp>
#include <imbrex/core/gpu/device_choice.hpp>
#include <imbrex/core/gpu/transfer_streams.hpp>
#include <imbrex/core/options/options.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/device/emulated/simulated_time.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/device/node_links.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/net/host.hpp>
#include <imbrex/sched/device_completions.hpp>

namespace imbrex::detail {

/// A PE among those that share devices.
struct pe_place {
  int place = 0;  ///< of this PE
  int all = 1;    ///< PEs
};

/// The environment variables by which launchers show a process some of its host's devices.
std::span<const char* const> hiding_variables();

/// The processes of a host that have the same devices.
struct device_sharers {
  std::vector<host_process> processes;
  int first_pe = 0;  ///< how many of their PEs come before those of this process
  int pes = 0;       ///< of all of them
};

/// Those that see the same devices as this process; it alone if it has devices of its `own`.
device_sharers sharers_of_devices(const host_share& host, bool own);

/// Which of so many devices a PE uses by a map that needs no more than their number: `block`, `round_robin`.
int device_of(device_map map, const pe_place& pe, int devices);

/// How many streams a device has for work requests.
inline constexpr std::size_t stages_of_requests = 3;

/// Why messages do not take memory of these devices as it is to other hosts; empty if they do, which has to
/// be asked for.
std::string why_network_takes_none(const options& how, std::span<const std::unique_ptr<device>> devices);

/// The devices that the PEs of one process use in a run, and what tells them of their work.
class run_devices {
 public:
  /// `time`: the clock of a machine in simulated time; null in real time. `charges_pes`: that machine charges
  /// its PEs by the device model. Throws usage_error, or imbrex::error if there is no such device.
  run_devices(const options& settings, simulated_clock* time, bool charges_pes);
  ~run_devices();
  run_devices(const run_devices&) = delete;
  run_devices& operator=(const run_devices&) = delete;

  /// Which devices this process sees, as `host_process` has it. What a launcher has set to hide devices
  /// counts, for it may show parts of one.
  std::string seen() const;

  /// The device of each PE of this process; none for a PE that shall have none. Processes that see the same
  /// devices divide them among them. Throws usage_error for a device that `options::choose_device` gives and
  /// that there is not.
  std::vector<std::optional<int>> choose(const host_share& host) const;

  /// Gives a PE one of the devices.
  void attach(scheduler& pe, int which);

  /// Tries which other processes of the host read memory of the devices that PEs have. Collective, once,
  /// before PEs send.
  void try_sharing(bootstrap& job, const host_share& host);
  /// True if the network takes memory of this process's devices to that process, by its number.
  bool are_sent_to(int process) const { return std::ranges::binary_search(reached_, process); }
  /// Why it does not take any; empty if it does.
  const std::string& why_not_sent() const { return why_not_sent_; }
  /// True if that process, by its number, does.
  bool are_read_by(int process) const { return std::ranges::binary_search(readers_, process); }
  bool has_readers() const { return !readers_.empty(); }

  /// The streams that all chares share which use that device, as policy `five` has it; any thread.
  std::shared_ptr<std::vector<stream>> shared_streams(device& of);
  /// The streams of all work requests to that device: to it, kernels, from it. They live as long as this. Any
  /// thread.
  std::vector<stream>& request_streams(device& of);
  /// The streams by which messages bring memory of devices to that PE, and take it away. Its thread.
  transfer_streams& transfers(int pe, device& of);
  /// The stream by which PEs of other devices copy from that one. Any thread.
  stream& carrier(device& of);

  /// Waits until the devices have nothing to do any more. False if that takes longer. Throws device_error if
  /// one has failed.
  bool drain(std::chrono::milliseconds at_most);

  // In simulated time.

  /// When a device does something by itself; none if never.
  std::optional<nanoseconds> next() const { return time_ ? time_->next() : std::nullopt; }
  /// Lets the devices do what is due until then, and moves the clock on.
  void advance_to(nanoseconds moment) { time_->advance_to(moment); }
  /// What devices are called for is charged there from now on; null: nowhere.
  void charge_to(local_clock* caller) {
    if (time_) time_->charge_to(caller);
  }
  /// Calls `tell(pe)` with the number of each PE whose device has done something since the last call.
  template <class Tell>
  void tell_news(Tell tell) {
    if (!time_) return;
    for (const int d : time_->take_devices_with_news())
      if (static_cast<std::size_t>(d) < users_.size())
        for (const int pe : users_[static_cast<std::size_t>(d)]) tell(pe);
  }
  /// The links of a model that has some, which messages use, too; null if it has none, or charges no PEs.
  node_links* links() { return links_ ? &*links_ : nullptr; }
  /// True if memory of devices goes by the host between PEs of different hosts in that model.
  bool has_hosts_apart() const { return links_ && how_.gpu_path == device_path::host; }
  /// True if it does between these.
  bool are_apart(int pe, int other) const {
    return has_hosts_apart() && links_->host_of(device_near(pe)) != links_->host_of(device_near(other));
  }
  /// The number of that PE's device; of one that has none, of the device that lies where the PE does.
  int device_near(int pe) const;
  /// How many devices there are; where there are none but links, one for each PE.
  int count() const { return count_; }
  bool any() const { return !devices_.empty(); }
  const std::vector<std::unique_ptr<device>>& all() const { return devices_; }
  /// True now and then, by the seed: when the devices go on although PEs have work.
  bool goes_on_beside() { return dice_.below(8) == 0; }
  /// A number below that one, by the seed.
  int draw(int below) { return static_cast<int>(dice_.below(static_cast<std::uint64_t>(below))); }

 private:
  using streams_of_devices = std::map<const device*, std::shared_ptr<std::vector<stream>>>;

  std::optional<int> choice_of_program(const device_choice& pe) const;
  /// Asks which processes' networks know memory of devices.
  void try_network(bootstrap& job, const host_share& host);
  /// Those that are there; or puts there what `make()` returns, for all PEs that have the device.
  template <class Make>
  std::shared_ptr<std::vector<stream>> shared_by_pes(device& of, streams_of_devices& there, Make make);

  const options& how_;
  random dice_;
  device_model model_;
  const bool charges_pes_;
  int count_ = 0;
  std::optional<node_links> links_;
  std::optional<simulated_time> time_;
  std::vector<std::unique_ptr<device>> devices_;
  std::vector<std::vector<int>> users_;  ///< PEs, by device
  std::vector<int> readers_;             ///< processes
  std::vector<int> reached_;             ///< processes, by the network
  std::string why_not_sent_;
  std::vector<int> used_;  ///< devices, by PE; -1 of one that has none
  std::vector<std::unique_ptr<device_completions>> completions_;
  std::mutex shared_streams_lock_;
  streams_of_devices shared_streams_;
  streams_of_devices request_streams_;
  streams_of_devices carriers_;
  std::vector<std::unique_ptr<transfer_streams>> transfers_;  ///< by PE of the job
};

}  // namespace imbrex::detail
