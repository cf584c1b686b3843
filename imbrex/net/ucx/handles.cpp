// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/handles.hpp>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/net/bootstrap/launcher_watch.hpp>
#include <imbrex/net/ucx/library.hpp>

namespace imbrex::ucx {
namespace {

/// Number of messages that other processes may leave for a worker in shared memory before they must wait for
/// it. UCX's own limit of 64 is reached before a process that shares its processor with others is awake. This
/// number needs no more memory than UCX takes anyway.
constexpr const char* messages_before_waiting = "256";

/// True since 1.17: names of options in a configuration include the transport. Before, they include the name
/// of the table that they are in.
bool options_have_names_of_transports() {
  const library& loaded = load();
  return std::pair(loaded.major, loaded.minor) >= std::pair(1U, 17U);
}

/// Sets an option; a UCX that lacks it changes nothing.
void set(ucp_config_t* config, const char* name, const char* value) {
  static_cast<void>(ucp.config_modify(config, name, value));
}

/// Lengthens the queues unless the user has set them. UCX warns of options of transports that it does not
/// open.
void lengthen_queues(ucp_config_t* config, std::string_view transports) {
  if (std::getenv("UCX_POSIX_FIFO_SIZE") != nullptr || std::getenv("UCX_SYSV_FIFO_SIZE") != nullptr) return;
  const bool posix = opens(transports, "posix");
  const bool system_v = opens(transports, "sysv");
  if (!options_have_names_of_transports()) {
    if (posix || system_v) set(config, "MM_FIFO_SIZE", messages_before_waiting);
    return;
  }
  if (posix) set(config, "POSIX_FIFO_SIZE", messages_before_waiting);
  if (system_v) set(config, "SYSV_FIFO_SIZE", messages_before_waiting);
}

constinit std::mutex level_lock;

/// True if the system has reached its limit of System V shared memory segments.
bool segments_are_used_up() {
  std::ifstream limit("/proc/sys/kernel/shmmni");
  std::ifstream table("/proc/sysvipc/shm");
  std::size_t most = 0;
  if (!(limit >> most)) return false;
  std::size_t lines = 0;
  for (std::string line; std::getline(table, line);) ++lines;
  return lines > most;  // the first line is a head
}

std::string remedy_for(ucs_status_t status) {
  if (status != UCS_ERR_NO_RESOURCE && status != UCS_ERR_NO_MEMORY) return {};
  if (segments_are_used_up())
    return "; all segments of System V's shared memory are in use: remove what programs have left (ipcs -m, "
           "ipcrm), or allow more (sysctl kernel.shmmni)";
  return "; it takes some 5 MB of /dev/shm for each PE: give it more, or fewer PEs; and memory (ulimit -v)";
}

/// Limit of the descriptors that a worker opens for itself and to reach others.
constexpr int descriptors_of_worker = 24;

}  // namespace

std::string text_of(ucs_status_t status, const char* what) {
  return "UCX: " + std::string(what) + " failed: " + ucs.status_string(status) + remedy_for(status) +
         " (UCX_LOG_LEVEL=info prints more)";
}

void throw_failure(ucs_status_t status, const char* what) { throw error(text_of(status, what)); }

without_warnings::without_warnings() : alone_(level_lock) {
  if (ucs.global_opts_get_value("LOG_LEVEL", level_.data(), level_.size()) != UCS_OK) level_[0] = '\0';
  if (level_[0] != '\0') ucs.global_opts_set_value("LOG_LEVEL", "fatal");
}

without_warnings::~without_warnings() {
  if (level_[0] != '\0') ucs.global_opts_set_value("LOG_LEVEL", level_.data());
}

context make_context(connecting how_to_connect, const ways& open) {
  load();
  // UCX tries out its hooks with a System V segment.
  const outliving_launcher until_then;
  ucp_params_t parameters{};
  parameters.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED;
  parameters.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  parameters.mt_workers_shared = 1;
  ucp_config_t* config = nullptr;
  check(ucp.config_read(nullptr, nullptr, &config), "ucp_config_read");
  if (how_to_connect == connecting::in_background)
    set(config, options_have_names_of_transports() ? "TCP_CONN_NB" : "CONN_NB", "y");
  const char* const chosen = std::getenv("UCX_TLS");
  lengthen_queues(config, !open.transports.empty() ? open.transports : chosen != nullptr ? chosen : "all");
  std::optional<without_warnings> quiet;  // no warnings of a transport that UCX lacks here
  if (!open.transports.empty() && std::getenv("UCX_LOG_LEVEL") == nullptr) quiet.emplace();
  if (!open.transports.empty()) set(config, "TLS", open.transports.c_str());
  if (!open.devices.empty()) set(config, "NET_DEVICES", open.devices.c_str());
  // UCX aborts if another job's empty datagram wakes an interface that UCX does not poll yet.
  if (open.stay_within_host() && std::getenv("UCX_ADAPTIVE_PROGRESS") == nullptr)
    set(config, "ADAPTIVE_PROGRESS", "n");
  ucp_context_h handle = nullptr;
  const ucs_status_t status =
      ucp.init_version(library::oldest_major, library::oldest_minor, &parameters, config, &handle);
  ucp.config_release(config);
  check(status, "ucp_init");
  return context(handle);
}

worker make_worker(ucp_context_h context, const ucp_worker_params_t& parameters) {
  require_descriptors(descriptors_of_worker,
                      "the network takes up to " + std::to_string(descriptors_of_worker) + " for each PE");
  // UCX makes files for its shared memory, and removes their names a moment later.
  const outliving_launcher until_then;
  ucp_worker_h handle = nullptr;
  check(ucp.worker_create(context, &parameters, &handle), "ucp_worker_create");
  return worker(handle);
}

}  // namespace imbrex::ucx
