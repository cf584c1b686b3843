// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/net/bootstrap/internal/numbered_job.hpp>

namespace imbrex {

/// Gives each process of a numbered job a connection to process 0. On its host, process 0 listens on a Unix
/// socket without a file; the kernel names the user at the other end. If there is a secret, it listens for
/// other hosts on TCP: on the first free of the `ports_tried` ports after the job's. Both sides then prove
/// that they know the secret, which is empty on the host. The proofs are hashes of the secret with random
/// numbers of both (challenge and answer). Processes without proof are dropped, with a warning that names
/// them.
class meeting_point {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr int ports_tried = 16;

  /// `secret`: none if the job is on one host.
  meeting_point(const numbered_job& job, std::optional<std::string> secret);

  /// Process 0: connections to processes 1 and so on, in this order. Throws imbrex::error, which names the
  /// missing processes, if some have not connected before `deadline`.
  std::vector<descriptor> receive(time_point deadline) const;
  /// Another process: a connection to process 0. Throws imbrex::error if process 0 is not reached before
  /// `deadline`.
  descriptor visit(time_point deadline) const;

 private:
  struct guest;
  struct reception;

  std::string secret_for(bool on_host) const;
  bool greet(const descriptor& process_0, bool on_host, time_point deadline) const;

  const numbered_job& job_;
  std::optional<std::string> secret_;
  std::string name_;  ///< name of the job, which all its processes can compute
};

}  // namespace imbrex
