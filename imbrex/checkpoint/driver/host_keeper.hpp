// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/checkpoint/host_files.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/run/restart_preparation.hpp>

namespace imbrex::checkpoints::detail {

/// The folder of checkpoints of each host, before a restart: a group, of which the chares on the first PEs of
/// hosts read and write files.
class host_keeper : public chare<host_keeper> {
 public:
  explicit host_keeper(std::string folder) : folder_(std::move(folder)) {}

  // Entries.

  std::vector<host_files> list() const;
  /// Bytes of a file of a checkpoint; fewer at its end.
  std::vector<std::byte> read(std::uint64_t number, const std::string& name, std::uint64_t position) const;
  /// Makes the checkpoint whole on this host. `first_pes`: of the hosts. Returns why that is not possible;
  /// empty: it is done.
  task<std::string> complete(const gathering& plan, std::vector<int> first_pes);

 private:
  task<> fetch(std::uint64_t number, const std::string& name, int from) const;

  const std::string folder_;
};

/// The preparation of a restart by `--restart DIR --checkpoint-hosts partner|xor`, in which each host gets
/// the files that it lacks; empty for other settings.
std::optional<restart_preparation> prepare_restart(const options& settings);

}  // namespace imbrex::checkpoints::detail
