// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/findings_text.hpp>

#include <cstdint>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

namespace imbrex::tools {
namespace {

using nlohmann::ordered_json;

std::string word(const ordered_json& text) { return text.get<std::string>(); }

std::string ranges(const ordered_json& numbers) { return tools::ranges(numbers.get<std::vector<int>>()); }

/// "1 kernel", "2 kernels".
std::string count(const ordered_json& number, const std::string& what) {
  return number.dump() + " " + what + (number == 1 ? "" : "s");
}

std::string memory(const ordered_json& bytes) {
  constexpr double gib = 1 << 30;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes.get<std::uint64_t>()) / gib);
  return text;
}

std::string build_text(const ordered_json& found) {
  std::string with;
  std::string without;
  for (const auto& [key, name] :
       {std::pair("ucx", "UCX"), {"pmix", "PMIx"}, {"mpi", "MPI"}, {"cuda", "CUDA"}, {"otf2", "OTF2"}}) {
    std::string& list = found[key].is_null() ? without : with;
    list += (list.empty() ? "" : ", ") + std::string(name);
    if (!found[key].is_null()) list += " " + word(found[key]);
  }
  std::string text = "Imbrex " + word(found["version"]) + ", " + word(found["build_type"]) + ", by " +
                     word(found["compiler"]) + "\n";
  if (!with.empty()) text += "  built with " + with + "\n";
  if (!without.empty()) text += "  built without " + without + "\n";
  text += "  models of devices:";
  for (const auto& model : found["device_models"]) text += " " + word(model);
  return text + "\n";
}

std::string processors_text(const ordered_json& processors) {
  return "  processors: " + processors["usable"].dump() + " usable of " + processors["of_host"].dump() +
         "; affinity allows " + ranges(processors["allowed"]) +
         (processors["control_group"].is_null()
              ? "; no quota known"
              : "; the control group's quota pays for " + processors["control_group"].dump()) +
         "\n";
}

std::string libraries_text(const ordered_json& libraries) {
  const auto& variable = libraries["variable"];
  const std::string value = variable.is_null() ? "" : "OMP_NUM_THREADS=" + word(variable);
  if (libraries["threads"].is_null()) return "  OpenMP and BLAS: threads in each PE by " + value + "\n";
  return "  OpenMP and BLAS: " + count(libraries["threads"], "thread") + " in each PE, as " +
         (value.empty() ? "OMP_NUM_THREADS is not set" : value + " is no number of threads") + "\n";
}

std::string device_text(const ordered_json& device) {
  std::string text =
      "    " + device["index"].dump() + ": " + word(device["name"]) + ", " + memory(device["memory"]);
  if (!device["pci_bus_id"].is_null()) {
    text += ", at " + word(device["pci_bus_id"]);
    text += device["near_processors"].is_null() ? ", near which processors is not known"
                                                : ", near processors " + ranges(device["near_processors"]);
  }
  text += "\n       ";
  for (const auto& [key, name] :
       {std::pair("stream_values", "stream values"), {"graphs", "graphs"}, {"peer_copies", "peer copies"}})
    if (device[key].get<bool>()) text += std::string(name) + ", ";
  return text + (device["priorities"] == 1 ? "1 priority" : device["priorities"].dump() + " priorities") +
         ", " + count(device["concurrent_kernels"], "kernel") + " at once, " +
         count(device["copy_engines"], "copy engine") + "\n";
}

std::string devices_text(const ordered_json& process) {
  std::string text;
  for (const auto& [name, value] : process["hiding"].items())
    text += "  " + name + "=" + word(value) + ": no other devices are shown to this process\n";
  for (const auto& backend : process["backends"]) {
    const std::size_t devices = backend["devices"].size();
    text += "  " + word(backend["name"]) + ": ";
    text += backend["problem"].is_null() ? count(devices, "device") : "none: " + word(backend["problem"]);
    text += "\n";
    for (const auto& device : backend["devices"]) text += device_text(device);
  }
  return text;
}

std::string pes_text(const ordered_json& process) {
  const auto& pes = process["pes"];
  const bool bound = process["bound"].get<bool>();
  const bool devices = !process["device"].is_null();
  const bool threads = process["machine"] == "threads";
  std::string text = "  " + count(pes.size(), "PE");
  text += !threads ? ", all on one thread"
          : bound  ? ", bound"
                   : ", not bound; --bind core would bind them to these processors";
  text += devices ? "; devices by --device-map " + word(process["device_map"])
                  : "; without --device they have no devices";
  text += "\n";
  for (const auto& pe : pes) {
    if (!threads && !devices) break;
    text += "    PE " + pe["pe"].dump() + ": ";
    if (threads) text += "processor " + pe["processor"].dump() + (devices ? ", " : "");
    if (devices)
      text +=
          (pe["device"].is_null() ? "no device" : word(process["device"]) + " device " + pe["device"].dump());
    text += "\n";
  }
  return text;
}

/// "4.9 us".
std::string microseconds(const ordered_json& nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f us", static_cast<double>(nanoseconds.get<std::int64_t>()) / 1000);
  return text;
}

std::string long_messages_text(const ordered_json& paths) {
  constexpr std::uint64_t kib = 1024;
  if (paths["long_messages"].empty()) return "    this build cannot connect processes\n";
  std::string text = "    long messages to processes of this host";
  text += paths["left_to_ucx"].get<bool>() ? ", all left to UCX since UCX_RNDV_THRESH is set:\n" : ":\n";
  for (const auto& one : paths["long_messages"])
    text += "      up to " + std::to_string(one["longest"].get<std::uint64_t>() / kib) + " KiB: " +
            (one["by_kernel"].is_null() ? "not copied by the kernel, which refuses it"
                                        : microseconds(one["by_kernel"]) + " copied by the kernel") +
            ", " + microseconds(one["by_memory"]) + " through shared memory: " + word(one["chosen"]) + "\n";
  return text;
}

std::string device_memory_text(const char* what, const ordered_json& ways) {
  if (ways.is_null()) return {};
  std::string text = "    " + std::string(what) + ":\n";
  for (const auto& one : ways) {
    text += "      between " + word(one["between"]) + ": " + word(one["way"]);
    if (!one["why"].is_null()) text += ", as " + word(one["why"]);
    text += "\n";
  }
  return text;
}

std::string ucx_text(const ordered_json& ucx) {
  return "    network: " +
         (ucx["problem"].is_null() ? "UCX " + word(ucx["version"]) + ", " + word(ucx["file"])
                                   : "none: " + word(ucx["problem"])) +
         "\n";
}

std::string paths_text(const ordered_json& paths) {
  if (paths.is_null()) return {};
  std::string text = "  paths: a wake takes ";
  text += paths["wake"].is_null() ? "an unknown time" : microseconds(paths["wake"]);
  text += paths["spin"] == 0 ? "; idle PEs sleep at once, as others need their processors\n"
                             : "; idle PEs poll for " + microseconds(paths["spin"]) +
                                   " before they sleep, with other processes for " +
                                   microseconds(paths["spin_with_network"]) + "\n";
  return text + ucx_text(paths["ucx"]) + long_messages_text(paths) +
         device_memory_text("device memory in messages", paths["device_memory"]) +
         device_memory_text("symmetric heaps of chares inside GPUs", paths["symmetric_heaps"]);
}

}  // namespace

std::string ranges(std::span<const int> numbers) {
  std::string text;
  for (std::size_t first = 0, last = 0; first < numbers.size(); first = ++last) {
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[first]);
    if (last > first) text += "-" + std::to_string(numbers[last]);
  }
  return text;
}

std::string text_of(const ordered_json& found) {
  std::string text = build_text(found);
  const auto& processes = found["processes"];
  text += found["launcher"].is_null()
              ? "Started by itself: one process\n"
              : "Started by " + word(found["launcher"]) + ": " +
                    (processes.size() == 1 ? "1 process" : std::to_string(processes.size()) + " processes") +
                    "\n";
  for (const auto& process : processes) {
    text += "Process " + process["rank"].dump() + ", on " + word(process["host"]) + "\n";
    text += processors_text(process["processors"]) + libraries_text(process["libraries"]) +
            devices_text(process) + pes_text(process) + paths_text(process["paths"]);
  }
  return text;
}

}  // namespace imbrex::tools
