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
#include <imbrex/core/gpu/device_loads.hpp>
#include <imbrex/core/gpu/transfer_streams.hpp>
#include <imbrex/core/options/options.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/device/emulated/operation_listener.hpp>
#include <imbrex/device/emulated/simulated_time.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/device/node_links.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/net/host.hpp>
#include <imbrex/sched/device_completions.hpp>

namespace imbrex::detail {

/// A PE's position among the PEs that share devices.
struct pe_place {
  int place = 0;  ///< index of this PE
  int all = 1;    ///< number of PEs
};

/// Environment variables by which launchers restrict the devices that a process sees.
std::span<const char* const> hiding_variables();

/// The processes of a host that see the same devices.
struct device_sharers {
  std::vector<host_process> processes;
  int first_pe = 0;  ///< number of their PEs before those of this process
  int pes = 0;       ///< number of all their PEs
};

/// The processes that see the same devices as this process; only this one if its devices are its `own`.
device_sharers sharers_of_devices(const host_share& host, bool own);

/// The device of a PE, for maps that depend only on the number of devices: `block`, `round_robin`.
int device_of(device_map map, const pe_place& pe, int devices);

/// The number of streams of a device for work requests.
inline constexpr std::size_t stages_of_requests = 3;

/// The reason why messages to other hosts do not carry memory of these devices directly. Empty if they do,
/// which an option must enable.
std::string why_network_takes_none(const options& how, std::span<const std::unique_ptr<device>> devices);

/// The devices used by the PEs of one process in a run, and their completions.
class run_devices {
 public:
  /// `time`: the clock of a machine in simulated time; null in real time. `charges_pes`: that machine charges
  /// its PEs by the device model. Throws usage_error, or imbrex::error if there is no such device.
  run_devices(const options& settings, simulated_clock* time, bool charges_pes);
  ~run_devices();
  run_devices(const run_devices&) = delete;
  run_devices& operator=(const run_devices&) = delete;

  /// An identification of the devices that this process sees, as in `host_process`. It includes the
  /// launcher's variables that hide devices, which may select parts of a device.
  std::string seen() const;

  /// The device of each PE of this process; empty for a PE without one. Processes that see the same devices
  /// divide them among themselves. Throws usage_error if `options::choose_device` returns a device that does
  /// not exist.
  std::vector<std::optional<int>> choose(const host_share& host) const;

  /// Assigns device `which` to a PE.
  void attach(scheduler& pe, int which);

  /// Tests which other processes of the host can read memory of the used devices. Collective, once, before
  /// PEs send.
  void try_sharing(bootstrap& job, const host_share& host);
  /// True if the network sends memory of this process's devices to process number `process`.
  bool are_sent_to(int process) const { return std::ranges::binary_search(reached_, process); }
  /// The reason why the network sends no device memory; empty if it does.
  const std::string& why_not_sent() const { return why_not_sent_; }
  /// True if process number `process` can read memory of this process's devices.
  bool are_read_by(int process) const { return std::ranges::binary_search(readers_, process); }
  bool has_readers() const { return !readers_.empty(); }

  /// The streams of the device that all its chares share under policy `five`. Any thread.
  std::shared_ptr<std::vector<stream>> shared_streams(device& of);
  /// The streams of all work requests to the device: copies to it, kernels, copies from it. They live as long
  /// as this object. Any thread.
  std::vector<stream>& request_streams(device& of);
  /// The streams by which messages carry device memory to and from that PE. Its thread only.
  transfer_streams& transfers(int pe, device& of);
  /// The stream for copies from that device by PEs of other devices. Any thread.
  stream& carrier(device& of);

  /// The loads of the PE's device; null if it has no device, or if the run measures no loads of devices.
  device_loads* loads(int pe);

  /// Waits until the devices have completed all work. False after `at_most`. Throws device_error if a device
  /// has failed.
  bool drain(std::chrono::milliseconds at_most);

  // Functions for simulated time.

  /// The time of the next event of a device; empty if there is none.
  std::optional<nanoseconds> next() const { return time_ ? time_->next() : std::nullopt; }
  /// Lets the devices complete all work due until `moment`, and advances the clock.
  void advance_to(nanoseconds moment) { time_->advance_to(moment); }
  /// Sets the clock that is charged for calls to devices; null: none.
  void charge_to(local_clock* caller) {
    if (time_) time_->charge_to(caller);
  }
  /// Reports the devices' operations and all completions to these from now on.
  void report_to(emulated::operation_listener& operations, completion_listener& completions) {
    if (time_) time_->report_to(&operations);
    for (const auto& one : completions_) one->report_to(completions);
  }
  /// The listener, which copies in host memory are reported to; null if there is none, or no device.
  emulated::operation_listener* listener() const { return time_ ? time_->listener() : nullptr; }
  /// Calls `tell(pe)` for each PE whose device has made progress since the last call.
  template <class Tell>
  void tell_news(Tell tell) {
    if (!time_) return;
    for (const int d : time_->take_devices_with_news())
      if (static_cast<std::size_t>(d) < users_.size())
        for (const int pe : users_[static_cast<std::size_t>(d)]) tell(pe);
  }
  /// The model's links, which messages use, too. Null if the model has none, or charges no PEs.
  node_links* links() { return links_ ? &*links_ : nullptr; }
  /// True if device memory between these PEs of one process is sent through the host: the model has links,
  /// and the PEs are on different hosts.
  bool are_apart(int pe, int other) const {
    return links_ && how_.gpu_path == device_path::host &&
           links_->host_of(device_near(pe)) != links_->host_of(device_near(other));
  }
  /// True if these PEs of this process have the same device, or none.
  bool have_one(int pe, int other) const { return used_by(pe) == used_by(other); }
  /// The number of the PE's device; for a PE without one, of the device near the PE.
  int device_near(int pe) const;
  /// The number of devices; for a model with links but no devices, one for each PE.
  int count() const { return count_; }
  bool any() const { return !devices_.empty(); }
  const std::vector<std::unique_ptr<device>>& all() const { return devices_; }
  /// True at random, by the seed: then the devices make progress although PEs have work.
  bool goes_on_beside() { return dice_.below(8) == 0; }
  /// A random number below `below`, by the seed.
  int draw(int below) { return static_cast<int>(dice_.below(static_cast<std::uint64_t>(below))); }

 private:
  /// The number of the PE's device; -1 for a PE without one, or of another process.
  int used_by(int pe) const {
    const auto place = static_cast<std::size_t>(pe);
    return place < used_.size() ? used_[place] : -1;
  }

  using streams_of_devices = std::map<const device*, std::shared_ptr<std::vector<stream>>>;

  std::optional<int> choice_of_program(const device_choice& pe) const;
  /// Finds out which PEs of other processes have the devices of this one, if loads are measured.
  void find_sharers(bootstrap& job, const host_share& host);
  /// Finds out which processes' networks accept device memory.
  void try_network(bootstrap& job, const host_share& host);
  /// Returns the streams of the device in `there`; if missing, creates them by `make()` for all PEs of the
  /// device.
  template <class Make>
  std::shared_ptr<std::vector<stream>> shared_by_pes(device& of, streams_of_devices& there, Make make);

  const options& how_;
  random dice_;
  device_model model_;
  const bool charges_pes_;
  int count_ = 0;
  std::optional<node_links> links_;
  std::optional<simulated_time> time_;
  std::vector<std::unique_ptr<device_loads>> loads_;  ///< by device; empty if loads are not measured
  std::vector<std::unique_ptr<device>> devices_;
  std::vector<std::vector<int>> users_;  ///< PEs, by device
  std::vector<int> readers_;             ///< process numbers
  std::vector<int> reached_;             ///< process numbers, reached by the network
  std::string why_not_sent_;
  std::vector<int> used_;  ///< devices, by PE; -1 without a device
  std::vector<std::unique_ptr<device_completions>> completions_;
  std::mutex shared_streams_lock_;
  streams_of_devices shared_streams_;
  streams_of_devices request_streams_;
  streams_of_devices carriers_;
  std::vector<std::unique_ptr<transfer_streams>> transfers_;  ///< by PE number in the job
};

}  // namespace imbrex::detail
