// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/findings.hpp>

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/library_threads.hpp>
#include <imbrex/base/host/topology.hpp>
#include <imbrex/core/options/options.hpp>
#include <imbrex/device/backends/devices.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/net/connect/path_times.hpp>
#include <imbrex/net/ucx/library.hpp>
#include <imbrex/resident/heap_source.hpp>
#include <imbrex/resident/nvshmem.hpp>
#include <imbrex/sched/idle_spin.hpp>
#include <imbrex/tools/built_with.hpp>

namespace imbrex::tools {
namespace {

using nlohmann::ordered_json;

/// Null if `value` is empty.
template <class T>
ordered_json or_null(const T& value) {
  return value.empty() ? ordered_json(nullptr) : ordered_json(value);
}

std::string name_of_this_host() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

ordered_json json_of(const device_info& info, const std::vector<int>& near) {
  return {{"index", info.index},
          {"name", info.name},
          {"memory", info.memory},
          {"pci_bus_id", or_null(info.pci_bus_id)},
          {"near_processors", or_null(near)},
          {"stream_values", info.can.stream_values},
          {"graphs", info.can.graphs},
          {"peer_copies", info.can.peer_copies},
          {"priorities", info.can.priorities},
          {"concurrent_kernels", info.can.concurrent_kernels},
          {"copy_engines", info.can.copy_engines}};
}

ordered_json json_of(const std::vector<std::unique_ptr<device>>& devices) {
  const auto places = extension::device_places(devices);
  ordered_json all = ordered_json::array();
  for (std::size_t d = 0; d < devices.size(); ++d) all.push_back(json_of(devices[d]->info(), places[d]));
  return all;
}

/// All devices that this process could use. `chosen`: the devices of the kind that the options name, or null.
ordered_json backends(const options& how, const extension::run_devices* chosen) {
  ordered_json all = ordered_json::array();
  for (const std::string_view name : device_backends()) {
    ordered_json one{{"name", name}, {"devices", ordered_json::array()}, {"problem", nullptr}};
    try {
      one["devices"] =
          chosen != nullptr && name == how.device ? json_of(chosen->all()) : json_of(devices(name, {}));
    } catch (const error& e) {
      one["problem"] = e.what();
    }
    all.push_back(std::move(one));
  }
  return all;
}

ordered_json hiding() {
  ordered_json set = ordered_json::object();
  for (const char* const name : extension::hiding_variables())
    if (const char* const text = std::getenv(name)) set[name] = text;
  return set;
}

ordered_json processors() {
  const int paid = processors_of_control_group();
  return {{"of_host", processors_of_host()},
          {"allowed", usable_processor_numbers()},
          {"control_group", paid != 0 ? ordered_json(paid) : ordered_json(nullptr)},
          {"usable", usable_processors()}};
}

/// The threads of OpenMP and BLAS in each PE, and the user's number, which decides where it is valid.
ordered_json threads_of_libraries(const host_share& host) {
  const char* const text = std::getenv(library_threads_variable);
  const bool is_number = text != nullptr && is_number_of_threads(text);
  const int threads = library_threads(usable_processors(), pes_of_own_processors(host));
  return {{"variable", text == nullptr ? ordered_json(nullptr) : ordered_json(text)},
          {"threads", is_number ? ordered_json(nullptr) : ordered_json(threads)}};
}

/// The value of the command-line option for this map.
std::string_view name_of(device_map map) {
  static constexpr std::array<std::string_view, 4> names{"block", "round-robin", "near", "none"};
  return names[static_cast<std::size_t>(map)];
}

ordered_json json_of(const path_times& times) {
  return {{"longest", times.longest},
          {"by_kernel", times.by_kernel ? ordered_json(times.by_kernel->count()) : ordered_json(nullptr)},
          {"by_memory", times.by_memory.count()},
          {"chosen", times.memory_is_better() ? "memory" : "kernel"}};
}

/// The path of device memory between two endpoints, and the reason why it is not a shorter path.
ordered_json device_way(const char* between, const char* way, const std::string& why = {}) {
  return {{"between", between}, {"way", way}, {"why", or_null(why)}};
}

/// The reason why other processes of the host cannot open its memory; empty if they can.
std::string why_not_found(device& one) {
  const bool shares = one.info().keeps_data && [&one] {
    const device_buffer<std::byte> some(one, detail::sharable_bytes);
    return one.backend().key_of(some.span().data()).has_value();
  }();
  if (shares) return {};
  const std::string no_key = one.backend().why_no_key();
  return "other processes cannot find memory of " + one.info().label() +
         (no_key.empty() ? "" : ": " + no_key);
}

/// The paths that device memory in messages would take.
ordered_json device_ways(const extension::run_devices& devices, const options& how,
                         const std::string& not_found) {
  constexpr const char* by_host = "pinned memory of the host";
  constexpr const char* by_network = "the network, from device to device, of 4 KiB and more";
  constexpr const char* refused = "none: it is an error";
  const device_info& one = devices.all().front()->info();
  const device_path path = how.gpu_path;
  const std::string forced =
      path == device_path::any ? "" : "--gpu-path " + std::string(option_word(path)) + " says so";
  const std::string no_peers = one.label() + " cannot copy from other devices";
  const std::string not_sent = extension::why_network_takes_none(how, devices.all());
  const auto in_process = [&](const char* ends) {
    if (!one.can.peer_copies) return device_way(ends, by_host, no_peers);
    if (path == device_path::host) return device_way(ends, by_host, forced);
    return device_way(ends, "a copy from the other device");
  };
  const auto in_host = [&](const char* ends) {
    if (path == device_path::network) {
      if (!not_sent.empty()) return device_way(ends, refused, not_sent);
      if (how.device == "emulated") return device_way(ends, by_network);
      return device_way(ends, refused, "--gpu-path network is for processes of different hosts");
    }
    if (path == device_path::host || path == device_path::peer) return device_way(ends, by_host, forced);
    if (not_found.empty()) return device_way(ends, "a copy from the other's memory");
    return device_way(ends, path == device_path::shared ? refused : by_host, not_found);
  };
  const auto between_hosts = [&](const char* ends) {
    if (path == device_path::network)
      return device_way(ends, not_sent.empty() ? by_network : refused, not_sent);
    if (path == device_path::shared)
      return device_way(ends, refused, "--gpu-path shared is for processes of one host");
    return device_way(ends, by_host, path == device_path::any ? not_sent : forced);
  };
  return {device_way("a device and itself, handed over", "its address"),
          device_way("a device and itself, otherwise", "a copy within the device"),
          in_process("devices of a process"), in_host("processes of a host"), between_hosts("hosts")};
}

/// The paths between symmetric heaps of GPUs in several processes.
ordered_json heap_ways(device& one, const std::string& why_no_handles) {
  const std::string no_nvshmem = resident::detail::why_no_nvshmem(one.info());
  const std::string by_nvshmem = no_nvshmem.empty() ? "NVSHMEM " + resident::nvshmem::load().version() +
                                                          ", " + resident::nvshmem::load().file
                                                    : "none";
  return {device_way("processes of a host", why_no_handles.empty() ? "handles of memory" : "none",
                     why_no_handles),
          device_way("hosts", by_nvshmem.c_str(), no_nvshmem)};
}

/// The UCX library that a job of several processes would load on this host.
ordered_json loaded_ucx() {
  try {
    const ucx::library& loaded = ucx::load();
    return {{"version", loaded.version()}, {"file", loaded.file}, {"problem", nullptr}};
  } catch (const error& e) {
    return {{"version", nullptr}, {"file", nullptr}, {"problem", e.what()}};
  }
}

/// The idle times of PEs and the paths of long messages between processes on this host; in nanoseconds.
ordered_json paths(const host_share& host, const extension::run_devices* devices, const options& how) {
  const auto wake = detail::measure_wake();
  const detail::idle_spin spin(wake.value_or(nanoseconds(0)));
  const auto time = [&](bool with_network) {
    return host.has_processor_for_each ? spin.time(with_network).count() : 0;
  };
  ordered_json messages = ordered_json::array();
  for (const path_times& times : measure_paths()) messages.push_back(json_of(times));
  device* const first = devices != nullptr && devices->any() ? devices->all().front().get() : nullptr;
  const std::string not_found = first == nullptr ? "" : why_not_found(*first);
  return {{"wake", wake ? ordered_json(wake->count()) : ordered_json(nullptr)},
          {"spin", time(false)},
          {"spin_with_network", time(true)},
          {"ucx", loaded_ucx()},
          {"long_messages", std::move(messages)},
          {"left_to_ucx", std::getenv("UCX_RNDV_THRESH") != nullptr},
          {"device_memory", first == nullptr ? ordered_json(nullptr) : device_ways(*devices, how, not_found)},
          {"symmetric_heaps", first == nullptr ? ordered_json(nullptr) : heap_ways(*first, not_found)}};
}

}  // namespace

ordered_json build_findings() {
  const built_with& build = this_build();
  return {{"version", build.version},    {"commit", or_null(build.commit)},
          {"compiler", build.compiler},  {"build_type", build.build_type},
          {"ucx", or_null(build.ucx)},   {"pmix", or_null(build.pmix)},
          {"mpi", or_null(build.mpi)},   {"cuda", or_null(build.cuda)},
          {"otf2", or_null(build.otf2)}, {"device_models", device_model_names()}};
}

process_findings::process_findings(const options& how) : how_(how) {
  try {
    devices_ = std::make_unique<extension::run_devices>(
        how_, how_.machine == machine_kind::threads ? nullptr : &clock_,
        how_.machine == machine_kind::simulated);
  } catch (const usage_error&) {
    throw;
  } catch (const error& e) {
    problem_ = e.what();
  }
}

ordered_json process_findings::json(int rank, const host_share& host, bool with_paths) const {
  const int first = host.processes[host.self].first_pe;
  ordered_json pes = ordered_json::array();
  const auto chosen = devices_ ? devices_->choose(host) : std::vector<std::optional<int>>{};
  for (int p = 0; p < host.pes; ++p) {
    const auto place = static_cast<std::size_t>(p);
    const bool has_device = place < chosen.size() && chosen[place];
    pes.push_back({{"pe", first + p},
                   {"processor", processor_of_pe(first + p)},
                   {"device", has_device ? ordered_json(*chosen[place]) : ordered_json(nullptr)}});
  }
  return {
      {"rank", rank},
      {"host", name_of_this_host()},
      {"processors", processors()},
      {"libraries", threads_of_libraries(host)},
      {"hiding", hiding()},
      {"backends", backends(how_, devices_.get())},
      {"machine", option_word(how_.machine)},
      {"bound", how_.bind == options::binding::core && how_.machine == machine_kind::threads},
      {"device", or_null(how_.device)},
      {"device_map", name_of(how_.map)},
      {"problem", or_null(problem_)},
      {"pes", std::move(pes)},
      {"paths", with_paths && host.self == 0 ? paths(host, devices_.get(), how_) : ordered_json(nullptr)}};
}

}  // namespace imbrex::tools
