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

/// Notices that a link between hosts is down, which nobody else does while bytes wait for it: TCP's keepalive
/// rests then, and TCP itself tries again for a quarter of an hour.
///
/// The first processes of two hosts send each other a few bytes now and then, however busy their PEs are: by
/// a worker and a thread of its own. The first host and each other do so from the start, two others once a
/// process of one connects to a process of the other; so beats are never more than what the program itself
/// connects. Within a host nothing is sent, since the launcher tells of a death there, and a process that is
/// stopped is only slow. A first process of another host that is stopped for `silence` cannot be told from
/// one behind a link that is down.
///
/// An endpoint tells the first process of its host of each other host that it is about to connect to; the
/// heartbeat there learns of it by the first beat.
class heartbeat final : public link_watch {
 public:
  /// How long nothing may be heard from a process: the seconds in the environment variable IMBREX_SILENCE,
  /// 0 for any time, or 16 s. Throws `usage_error` for a variable with an impossible value.
  static std::chrono::milliseconds silence();

  /// That of the host with this number among `hosts`, which must be complete at the start, and outlive this.
  /// `token`: see `endpoints::places`.
  heartbeat(int host, const std::vector<watchman>& hosts, std::chrono::milliseconds silence, const ways& open,
            endpoints::run_token token, detail::network::receiver& to);
  ~heartbeat() override;
  heartbeat(const heartbeat&) = delete;
  heartbeat& operator=(const heartbeat&) = delete;

  std::string address() const override;
  /// From the next beat on.
  void want(int host) override;
  /// A process that is silent is told by a thread of this object.
  void start() override;

 private:
  struct peer;
  struct beat_of_host;

  static ucs_status_t heard(void* self, const void* header, std::size_t header_length, void* data,
                            std::size_t length, const ucp_am_recv_param_t* parameters);
  std::vector<int> take_wanted();
  void watch(int host);
  void run();
  /// Sends one beat to each host that is watched. Returns one that has been silent for too long, if there is
  /// one.
  std::optional<int> beat();

  const int host_;
  const endpoints::run_token token_;
  const std::vector<watchman>& hosts_;
  const std::chrono::milliseconds interval_;
  detail::network::receiver& to_;
  context context_;  ///< of its own: where a link is down, beats on others must not wait for it
  worker worker_;    // the constructor's thread's, then the object's own
  std::map<int, std::unique_ptr<peer>> peers_;  ///< by host; the worker's thread's
  std::mutex lock_;                             // of what follows
  std::vector<int> wanted_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace imbrex::ucx
