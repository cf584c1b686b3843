// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <imbrex/base/clock.hpp>
#include <imbrex/core/extension/diagnosis.hpp>
#include <imbrex/core/options/options.hpp>
#include <imbrex/net/host.hpp>
#include <nlohmann/json_fwd.hpp>

/// Results of `imbrex info` as JSON; docs/launch.md lists the keys. Missing items are null.

namespace imbrex::tools {

/// Build information, equal in all processes of a job.
nlohmann::ordered_json build_findings();

/// The hardware that a program with these options finds in this process.
class process_findings {
 public:
  /// Searches for devices. Throws usage_error for options that contradict each other.
  explicit process_findings(const options& how);
  process_findings(const process_findings&) = delete;
  process_findings& operator=(const process_findings&) = delete;

  /// The text of `extension::run_devices::seen`.
  std::string seen() const { return devices_ ? devices_->seen() : std::string(); }

  /// All findings. Call it after the job has divided this host's resources. `rank`: this process's.
  /// `with_paths`: measures message paths, in the first process of each host.
  nlohmann::ordered_json json(int rank, const host_share& host, bool with_paths) const;

 private:
  const options how_;
  detail::simulated_clock clock_;
  std::unique_ptr<extension::run_devices> devices_;  // null if there is no device of the requested kind
  std::string problem_;                              // the reason for a null `devices_`
};

}  // namespace imbrex::tools
