// SPDX-License-Identifier: Apache-2.0
#pragma once
// Protection of parts that lie on single hosts, by SCR's schemes PARTNER and XOR (Moody et al., SC 2010).
// The processes of a group are on different hosts. A part of a group of n is cut into n - 1 segments, one for
// each other process. A process keeps the XOR of the segments for it, its parity. So the part of a lost
// process follows from the files of the others. In a group of two the parity is a copy.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <imbrex/checkpoint/manifest.hpp>

namespace imbrex::checkpoints {

/// Processes on different hosts, ascending.
using parity_group = std::vector<int>;

/// Groups of as many hosts as `size`, or one more. Each process is in one of them; a process without a
/// counterpart on the other hosts shares a group with one that is in another group, too. `hosts`: the host of
/// each process, numbered from 0. Empty on a single host.
std::vector<parity_group> parity_groups(std::span<const int> hosts, int size);

/// The bytes of a part whose XOR another process of the group keeps.
struct parity_segment {
  int holder = 0;  ///< the process
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
/// The segments of a process's part with so many bytes; some may be empty.
std::vector<parity_segment> segments_of(const parity_group& group, int process, std::uint64_t bytes);

/// Adds bytes by XOR, at a position. The sum grows where it is too short.
void add_by_xor(std::vector<std::byte>& sum, std::uint64_t position, std::span<const std::byte> bytes);

/// Name of the file with the parity that a process keeps for its group: "xor-0000-0003.icx".
std::string name_of_parity(const parity_group& group, int holder);
/// True for a name that `name_of_parity` returns.
bool is_name_of_parity(const std::string& name);
/// Writes a parity into the folder of a checkpoint. Throws `error` with the path, the cause and the remedy.
void write_parity(const std::string& checkpoint, const parity_group& group, int holder,
                  std::span<const std::byte> parity);

/// Rebuilds the part of a process from the parts and parities of a group in this folder. Throws `error` if a
/// file is missing, or the result has another digest than the manifest says.
void rebuild_part(const std::string& checkpoint, const manifest& m, int process);
/// True if the part of a process follows from the other files of a checkpoint, by their names.
bool can_rebuild(std::span<const std::string> files, int process);

}  // namespace imbrex::checkpoints
