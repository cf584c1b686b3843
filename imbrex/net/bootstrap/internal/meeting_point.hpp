// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/net/bootstrap/internal/numbered_job.hpp>

namespace imbrex {

/// How the processes of a numbered job come by a connection to process 0 each. On its host it listens on a
/// Unix socket without a file, whose kernel tells which user is at the other end; beyond, if there is a
/// secret, on TCP, from the first free port of `ports_tried` behind that of the job. Both sides then prove to
/// each other that they know the secret (empty on the host) by hashes of it with random numbers of both
/// (challenge and answer). Strangers are dropped and named.
class meeting_point {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr int ports_tried = 16;

  /// `secret`: none if the job is on one host.
  meeting_point(const numbered_job& job, std::optional<std::string> secret);

  /// Process 0: connections to processes 1 and so on, in this order. Throws imbrex::error, which names the
  /// missing, if they have not all come by then.
  std::vector<descriptor> receive(time_point deadline) const;
  /// Another process: a connection to process 0. Throws imbrex::error if it is not there by then.
  descriptor visit(time_point deadline) const;

 private:
  struct guest;
  struct reception;

  std::string secret_for(bool on_host) const;
  bool greet(const descriptor& process_0, bool on_host, time_point deadline) const;

  const numbered_job& job_;
  std::optional<std::string> secret_;
  std::string name_;  ///< of the job, as all its processes can make it
};

}  // namespace imbrex
