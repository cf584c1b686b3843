// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <imbrex/net/endpoint/run_token.hpp>
#include <imbrex/net/fabric.hpp>
#include <imbrex/net/ucx/handles.hpp>
#include <imbrex/net/ucx/ways.hpp>

namespace imbrex::ucx {

/// Detects that a link between hosts is down. Otherwise this stays unnoticed while bytes wait for the link:
/// TCP's keepalive then rests, and TCP itself retries for a quarter of an hour.
///
/// The first processes of two hosts send each other a few bytes now and then. They do so by a worker and a
/// thread of their own, however busy their PEs are. The first host and each other host do so from the start.
/// Two other hosts do so once a process of one connects to a process of the other. So there are never more
/// beats than connections of the program itself. Within a host nothing is sent: the launcher reports a death
/// there, and a stopped process is only slow. If the first process of another host is stopped for `silence`,
/// the link appears to be down.
///
/// An endpoint notifies the first process of its host of each other host to which it is about to connect. The
/// heartbeat at that host starts its own beats when it receives the first one.
class heartbeat final : public link_watch {
 public:
  /// The longest permitted silence of a process: the seconds in the environment variable IMBREX_SILENCE, 0
  /// for no limit, or 16 s. Throws `usage_error` for a variable with an invalid value.
  static std::chrono::milliseconds silence();

  /// The heartbeat of the host with that number among `hosts`, which must be complete at the start, and
  /// outlive this. `token`: see `endpoints::places`.
  heartbeat(int host, const std::vector<link_monitor>& hosts, std::chrono::milliseconds silence,
            const ways& open, endpoints::run_token token, detail::network::receiver& to);
  ~heartbeat() override;
  heartbeat(const heartbeat&) = delete;
  heartbeat& operator=(const heartbeat&) = delete;

  std::string address() const override;
  /// Sends beats to that host from the next beat on.
  void monitor(int host) override;
  /// Starts the thread of this object, which reports a silent process.
  void start() override;

 private:
  struct peer;
  struct beat_of_host;

  static ucs_status_t receive_beat(void* self, const void* header, std::size_t header_length, void* data,
                                   std::size_t length, const ucp_am_recv_param_t* parameters);
  std::vector<int> take_requested_hosts();
  void watch(int host);
  void run();
  /// Makes progress until then. False if this object is to end.
  bool pause_until(std::chrono::steady_clock::time_point end);
  /// True if a connection to another host is being made.
  bool is_connecting() const;
  /// Sends one beat to each watched host. Returns a host that has been silent for too long, if there is one.
  std::optional<int> beat();

  const int host_;
  const endpoints::run_token token_;
  const std::vector<link_monitor>& hosts_;
  const std::chrono::milliseconds interval_;
  detail::network::receiver& to_;
  context context_;  ///< not shared: where a link is down, beats on others must not wait for it
  worker worker_;    // belongs to the constructing thread, then to `thread_`
  std::map<int, std::unique_ptr<peer>> peers_;  ///< by host; belongs to the worker's thread
  std::mutex lock_;                             // guards `requested_hosts_` and `stop_`
  std::vector<int> requested_hosts_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace imbrex::ucx
