// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/run_devices.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <thread>

#include <imbrex/base/error.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/core/gpu/make_streams.hpp>
#include <imbrex/core/gpu/nearest_devices.hpp>
#include <imbrex/core/gpu/readers_of_devices.hpp>
#include <imbrex/core/gpu/run_options.hpp>
#include <imbrex/device/backends/devices.hpp>
#include <imbrex/net/ucx/memory_kinds.hpp>
#include <imbrex/sched/scheduler.hpp>
#include <imbrex/serial/bytes.hpp>

namespace imbrex::detail {

namespace {

/// The variable by which tests have the processes of a host share their emulated devices, as far as balancers
/// see them.
constexpr const char* share_emulated_devices = "IMBREX_SHARE_EMULATED";

/// Random part of each operation's time, on the deterministic machine.
constexpr double jitter = 0.5;

void check(const options& settings, bool charges_pes) {
  if (settings.device == "emulated") return;
  if (settings.device.empty() && !settings.source.device_words.empty())
    throw usage_error(settings.source.device_words +
                      " is for runs with devices: add --device emulated or --device cuda, or leave it out");
  if (settings.devices != 0)
    throw usage_error("--devices " + std::to_string(settings.devices) +
                      " is for --device emulated; with cuda, CUDA_VISIBLE_DEVICES selects the devices");
  if (!settings.device_model.empty() && !charges_pes)
    throw usage_error("--device-model " + settings.device_model +
                      " is for --device emulated: a real device needs no model");
  if (!settings.device_data)
    throw usage_error("--no-data is for --device emulated: a real device always does its work");
}

/// Keeps a device until the process ends, for objects that the program has not destroyed at the end of its
/// run.
void keep_for(const std::string& left, std::unique_ptr<device> which) {
  log(log_level::warning,
      "the run has ended and leaves " + left + " of " + which->info().label() +
          ", which can no longer be used; destroy what is made of a device before the main task returns");
  which->end();
  static std::mutex lock;
  static auto& kept = *new std::vector<std::unique_ptr<device>>;
  const std::lock_guard hold(lock);
  kept.push_back(std::move(which));
}

}  // namespace

std::span<const char* const> hiding_variables() {
  static constexpr std::array names{"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"};
  return names;
}

device_sharers sharers_of_devices(const host_share& host, bool own) {
  device_sharers found;
  const host_process& self = host.processes[host.self];
  for (const host_process& other : host.processes) {
    if (&other == &self) found.first_pe = found.pes;
    if (&other != &self && (own || other.devices != self.devices)) continue;
    found.processes.push_back(other);
    found.pes += other.pes;
  }
  return found;
}

int device_of(device_map map, const pe_place& pe, int devices) {
  if (map == device_map::round_robin) return pe.place % devices;
  return static_cast<int>(std::int64_t{pe.place} * devices / pe.all);
}

run_devices::run_devices(const options& settings, simulated_clock* time, bool charges_pes)
    : how_(settings), dice_(seed_of(settings)), charges_pes_(charges_pes) {
  check(settings, charges_pes_);
  if (!settings.device_model.empty()) model_ = find_device_model(settings.device_model);
  emulated_options emulated{.model = model_, .data = settings.device_data};
  if (charges_pes_) emulated.devices = std::min(settings.pes, max_devices);
  if (settings.devices != 0) emulated.devices = settings.devices;
  count_ = emulated.devices;
  if (charges_pes_ && model_.has_links()) {
    links_.emplace(model_, count_);
    emulated.links = &*links_;
  }
  if (settings.device.empty()) return;
  if (time != nullptr) {
    if (settings.device != "emulated")
      throw usage_error("--machine " + std::string(option_word(settings.machine)) +
                        " takes --device emulated alone: a " + settings.device + " device runs in real time");
    charges_pes_ ? time_.emplace(*time) : time_.emplace(*time, seed_of(settings), jitter);
    emulated.time = &*time_;
  }
  devices_ = devices(settings.device, emulated);
  count_ = static_cast<int>(devices_.size());
  for (const auto& d : devices_) {
    if (settings.balance.measures() && settings.balance.by != balanced_loads::cpu)
      d->meter_by(*loads_.emplace_back(std::make_unique<device_loads>(*d)));
    if (settings.gpu_path == device_path::host) d->leave_out_peers();
    if (settings.gpu_path == device_path::peer && !d->info().can.peer_copies && count_ > 1)
      throw usage_error("--gpu-path peer: " + d->info().label() +
                        " cannot copy from other devices; leave --gpu-path out");
  }
}

run_devices::~run_devices() {
  transfers_.clear();
  carriers_.clear();
  request_streams_.clear();
  shared_streams_.clear();
  completions_.clear();
  for (auto& d : devices_)
    d->backend().close_found();  // devices wait in their end until others have closed memory
  for (auto& d : devices_)
    if (const std::string left = d->left(); !left.empty()) keep_for(left, std::move(d));
}

std::string run_devices::seen() const {
  std::string words;
  for (const char* const name : hiding_variables())
    if (const char* const text = std::getenv(name)) words += std::string(name) + "=" + text + " ";
  for (const auto& d : devices_) words += d->info().pci_bus_id + " ";
  return words;
}

std::vector<std::optional<int>> run_devices::choose(const host_share& host) const {
  std::vector<std::optional<int>> chosen(static_cast<std::size_t>(host.pes));
  if (devices_.empty() || (how_.map == device_map::none && !how_.choose_device)) return chosen;
  std::vector<device_info> infos;
  for (const auto& d : devices_) infos.push_back(d->info());
  const auto sharers = sharers_of_devices(host, how_.device == "emulated");
  std::vector<int> near;
  if (how_.map == device_map::near && !how_.choose_device)
    near = nearest_devices(host_topology(host_topology::parts::processors), sharers.processes,
                           how_.bind == options::binding::core, device_places(devices_));
  for (int p = 0; p < host.pes; ++p) {
    auto& which = chosen[static_cast<std::size_t>(p)];
    if (how_.choose_device) {
      which = choice_of_program(
          {host.processes[host.self].first_pe + p, p, host.pes, host.first_pe + p, host.host_pes, infos});
    } else if (!near.empty()) {
      which = near[static_cast<std::size_t>(sharers.first_pe + p)];
    } else {
      which = device_of(how_.map, {sharers.first_pe + p, sharers.pes}, static_cast<int>(devices_.size()));
    }
  }
  return chosen;
}

std::optional<int> run_devices::choice_of_program(const device_choice& pe) const {
  const auto choice = how_.choose_device(pe);
  const int last = static_cast<int>(devices_.size()) - 1;
  if (choice && (*choice < 0 || *choice > last))
    throw usage_error("options::choose_device gave PE " + std::to_string(pe.pe) + " the device " +
                      std::to_string(*choice) + ", but this process has devices 0 to " +
                      std::to_string(last) + "; return one of these, or std::nullopt for none");
  return choice;
}

void run_devices::attach(scheduler& pe, int which) {
  const completion_costs costs{model_.message.callback, model_.host.synchronize};
  completions_.push_back(std::make_unique<device_completions>(pe, *devices_[static_cast<std::size_t>(which)],
                                                              how_.completion, how_.poll,
                                                              charges_pes_ ? &costs : nullptr));
  pe.attach(*completions_.back());
  transfers_.resize(std::max(transfers_.size(), static_cast<std::size_t>(pe.pe()) + 1));
  users_.resize(devices_.size());
  users_[static_cast<std::size_t>(which)].push_back(pe.pe());
  used_.resize(std::max(used_.size(), static_cast<std::size_t>(pe.pe()) + 1), -1);
  used_[static_cast<std::size_t>(pe.pe())] = which;
  if (device_loads* const its = loads(pe.pe())) its->add(pe.pe());
}

std::string why_network_takes_none(const options& how, std::span<const std::unique_ptr<device>> devices) {
  const std::string not_requested = "only --gpu-path network sends memory of devices by the network";
  if (devices.empty()) return "it has no devices";
  if (how.net != "ucx") return "--net " + how.net + " takes memory of the host alone";
  const bool is_requested = how.gpu_path == device_path::network;
  if (how.device == "emulated") return is_requested ? "" : not_requested;  // emulated memory is host memory
  const std::string required_kind = how.device == "hip" ? "rocm" : how.device;
  std::string taken;
  try {
    for (const std::string& kind : ucx::memory_kinds()) {
      if (kind == required_kind) return is_requested ? "" : not_requested;
      taken += (taken.empty() ? "" : ", ") + kind;
    }
  } catch (const error& e) {
    return e.what();
  }
  if (taken.empty()) return "this build has no network";
  return "UCX takes no memory of " + how.device + " devices here (it says: " + taken + ")";
}

void run_devices::try_network(bootstrap& job, const host_share& host) {
  why_not_sent_ = how_.gpu_path == device_path::network ? why_network_takes_none(how_, devices_)
                                                        : "--gpu-path network is not given";
  std::vector<bool> near(static_cast<std::size_t>(job.size()), false);  // copies can reach their memory
  if (how_.device != "emulated")
    for (const host_process& other : host.processes)
      near[static_cast<std::size_t>(std::ranges::lower_bound(host.process_starts, other.first_pe) -
                                    host.process_starts.begin())] = true;
  const auto all = job.all_gather(why_not_sent_);
  for (int p = 0; p < job.size(); ++p)
    if (p != job.rank() && why_not_sent_.empty() && all[static_cast<std::size_t>(p)].empty() &&
        !near[static_cast<std::size_t>(p)])
      reached_.push_back(p);
}

namespace {

/// The PEs of a process with a device, and a name that the device has in all processes.
struct named_device {
  std::string name;
  std::vector<int> pes;

  void serialize(auto& ar) { ar(name, pes); }
};

/// A device without hardware belongs to its process, unless a test has processes of a host share them.
std::string shared_name_of(const device_info& of, int node, int process) {
  const std::string place = "node " + std::to_string(node) + " " + of.backend + " ";
  if (!of.pci_bus_id.empty()) return place + of.pci_bus_id;
  if (std::getenv(share_emulated_devices) != nullptr) return place + std::to_string(of.index);
  return place + std::to_string(of.index) + " of process " + std::to_string(process);
}

}  // namespace

void run_devices::find_sharers(bootstrap& job, const host_share& host) {
  const auto node = std::ranges::upper_bound(host.host_starts, host.processes[host.self].first_pe);
  std::vector<named_device> own;
  for (std::size_t d = 0; d < loads_.size(); ++d)
    own.push_back(
        {shared_name_of(devices_[d]->info(), static_cast<int>(node - host.host_starts.begin()), job.rank()),
         loads_[d]->pes()});
  std::map<std::string, std::vector<int>> pes;
  const std::vector<std::byte> bytes = to_bytes(own);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const std::string& from : job.all_gather(text))
    for (const auto& each : from_bytes<std::vector<named_device>>(std::as_bytes(std::span(from))))
      pes[each.name].insert(pes[each.name].end(), each.pes.begin(), each.pes.end());
  for (std::size_t d = 0; d < loads_.size(); ++d) {
    std::ranges::sort(pes[own[d].name]);
    loads_[d]->set_pes(pes[own[d].name]);
  }
}

void run_devices::try_sharing(bootstrap& job, const host_share& host) {
  if (how_.balance.measures()) find_sharers(job, host);
  try_network(job, host);
  if (!host.has_devices_side_by_side) return;
  std::vector<int> near;
  std::vector<device*> used;
  if (how_.gpu_path == device_path::any || how_.gpu_path == device_path::shared) {
    for (const host_process& other : host.processes)
      if (&other != &host.processes[host.self])
        near.push_back(static_cast<int>(std::ranges::lower_bound(host.process_starts, other.first_pe) -
                                        host.process_starts.begin()));
    for (std::size_t d = 0; d < users_.size(); ++d)
      if (!users_[d].empty()) used.push_back(devices_[d].get());
  }
  readers_ = readers_of_devices(job, near, used);
}

device_loads* run_devices::loads(int pe) {
  const int which = used_by(pe);
  return which < 0 || loads_.empty() ? nullptr : loads_[static_cast<std::size_t>(which)].get();
}

int run_devices::device_near(int pe) const {
  if (used_by(pe) >= 0) return used_by(pe);
  return device_of(device_map::block, {pe, how_.pes}, count_);
}

template <class Make>
std::shared_ptr<std::vector<stream>> run_devices::shared_by_pes(device& of, streams_of_devices& there,
                                                                Make make) {
  const std::lock_guard hold(shared_streams_lock_);
  auto& streams = there[&of];
  if (streams == nullptr) {
    streams = std::make_shared<std::vector<stream>>(make());
    const auto place = std::ranges::find_if(devices_, [&](const auto& d) { return d.get() == &of; });
    if (users_[static_cast<std::size_t>(place - devices_.begin())].size() > 1)
      for (stream& s : *streams) s.share();
  }
  return streams;
}

std::shared_ptr<std::vector<stream>> run_devices::shared_streams(device& of) {
  return shared_by_pes(of, shared_streams_, [&of] {
    return make_streams(of, stream_policy::five,
                        "the chares of " + of.info().label() + ", of which --streams two names the one");
  });
}

std::vector<stream>& run_devices::request_streams(device& of) {
  return *shared_by_pes(of, request_streams_, [&of] {
    std::vector<stream> streams;
    for (std::size_t s = 0; s < stages_of_requests; ++s)
      streams.emplace_back(of, stream_priority::normal, "the work requests to " + of.info().label());
    return streams;
  });
}

transfer_streams& run_devices::transfers(int pe, device& of) {
  auto& own = transfers_[static_cast<std::size_t>(pe)];
  if (own == nullptr) own = std::make_unique<transfer_streams>(of, pe);
  return *own;
}

stream& run_devices::carrier(device& of) {
  return shared_by_pes(of, carriers_,
                       [&of] {
                         std::vector<stream> streams;
                         streams.emplace_back(of, stream_priority::high,
                                              "the messages from " + of.info().label());
                         return streams;
                       })
      ->front();
}

bool run_devices::drain(std::chrono::milliseconds at_most) {
  if (time_)
    for (auto moment = time_->next(); moment; moment = time_->next()) time_->advance_to(*moment);
  const auto until = std::chrono::steady_clock::now() + at_most;
  for (auto& d : devices_) {
    const auto end = d->registry().now();
    while (!time_ && end && !end->over()) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    d->registry().check();
  }
  return true;
}

}  // namespace imbrex::detail
