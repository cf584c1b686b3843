// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <imbrex/base/clock.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/options/options.hpp>
#include <imbrex/net/host.hpp>
#include <nlohmann/json_fwd.hpp>

/// What `imbrex info` finds, as JSON; docs/launch.md lists the keys. What there is none of is null.

namespace imbrex::tools {

/// What is the same for all processes of a job: Imbrex itself.
nlohmann::ordered_json build_findings();

/// What a program that is started with these options finds in this process.
class process_findings {
 public:
  /// Looks for devices. Throws usage_error for options that contradict each other.
  explicit process_findings(const options& how);
  process_findings(const process_findings&) = delete;
  process_findings& operator=(const process_findings&) = delete;

  /// As `detail::run_devices` says it.
  std::string seen() const { return devices_ ? devices_->seen() : std::string(); }

  /// Everything, once the job has agreed on who has what of this host. `rank`: this process's. `with_paths`:
  /// measures what messages take, in the first process of each host.
  nlohmann::ordered_json json(int rank, const host_share& host, bool with_paths) const;

 private:
  const options how_;
  detail::simulated_clock clock_;
  std::unique_ptr<detail::run_devices> devices_;  // null if there is none of the kind asked for
  std::string problem_;                           // why
};

}  // namespace imbrex::tools
