// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/checkpoint/driver/store.hpp>
#include <imbrex/checkpoint/parity.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/send.hpp>

namespace imbrex::checkpoints::detail {

/// True if each host of the run has a folder of checkpoints for itself, and there are several hosts.
bool have_hosts_own_folders();
/// True if this PE is the first of its process.
bool is_first_of_process();
/// True if this PE is the first of its host.
bool is_first_of_host();
/// The number of this PE's host, from 0.
int host_here();

/// The place of a process.
struct process_place {
  int process = 0;
  int pe = 0;  ///< the first PE of the process
  int host = 0;

  void serialize(auto& ar) { ar(process, pe, host); }
};

/// Protects the parts of a checkpoint from the loss of a host (`--checkpoint-hosts`): a group. Each process
/// sends the segments of its part to the others of its parity groups, which write their XOR.
class parity_keeper : public chare<parity_keeper> {
 public:
  parity_keeper();

  // Entries.

  /// The process whose first PE this is.
  std::optional<process_place> place() const;
  /// The largest number of a checkpoint in this host's folder, whole or not; 0: none.
  std::uint64_t largest_number() const;
  /// On all PEs, before `protect`: the places of processes.
  void learn(const std::vector<process_place>& places);
  /// On the first PE of a process: sends the segments of its part, which lies in this host's folder. Returns
  /// why that is not possible; empty: it is done.
  task<std::string> protect(const checkpoint_identity& which, int process);
  /// Adds a part of a segment to the parity of a group.
  void add(std::uint64_t number, const parity_group& group, std::uint64_t position,
           const std::vector<std::byte>& bytes);
  /// Writes the parities of this process. Returns a problem, as `protect`.
  std::string write(const checkpoint_identity& which);
  /// On the first PE of a host: writes the manifest, and removes checkpoints that are older than `oldest`.
  /// Returns a problem, as `protect`.
  std::string commit(const checkpoint_identity& which, const std::string& manifest_text,
                     std::uint64_t oldest);

 private:
  std::map<int, int> first_pes_;  ///< by process
  std::vector<parity_group> groups_;
  std::uint64_t number_ = 0;  ///< number of the checkpoint to which the parities belong
  std::map<parity_group, std::vector<std::byte>> parities_;
};

}  // namespace imbrex::checkpoints::detail
