// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <imbrex/net/network.hpp>
#include <imbrex/net/ucx/handles.hpp>

namespace imbrex::ucx {

/// Notices that a link between hosts is down, which nobody else does while bytes wait for it: TCP's keepalive
/// rests then, and TCP itself tries again for a quarter of an hour.
///
/// Process 0 and the first process of each other host send each other a few bytes now and then, however busy
/// their PEs are: by a worker and a thread of its own. Within a host nothing is sent, since the launcher
/// tells of a death there, and a process that is stopped is only slow. A process of another host that is
/// stopped for `silence` cannot be told from one behind a link that is down.
class heartbeat {
 public:
  /// How long nothing may be heard from a process: the seconds in the environment variable IMBREX_SILENCE,
  /// 0 for any time, or 16 s. Throws `usage_error` for a variable with an impossible value.
  static std::chrono::milliseconds silence();

  /// `process` is this process's number.
  heartbeat(ucp_context_h context, int process, std::chrono::milliseconds silence, network::receiver& to);
  ~heartbeat();
  heartbeat(const heartbeat&) = delete;
  heartbeat& operator=(const heartbeat&) = delete;

  std::string address() const;
  /// Begins to send to that process and to listen for it; before `start`.
  void watch(int process, const std::string& address);
  /// From now on a process that is silent is told to the receiver as lost, once, by a thread of this object.
  void start();

 private:
  struct peer;

  static ucs_status_t heard(void* self, const void* header, std::size_t header_length, void* data,
                            std::size_t length, const ucp_am_recv_param_t* how);
  void run();
  /// Sends one beat to each. Returns the first that has been silent for too long, or null.
  peer* beat();

  const int process_;
  const std::chrono::milliseconds interval_;
  network::receiver& to_;
  worker worker_;  // the constructor's thread's, then the object's own
  std::vector<std::unique_ptr<peer>> peers_;
  std::mutex lock_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace imbrex::ucx
