// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/checkpoint/part.hpp>

namespace imbrex::checkpoints {

/// The list of the parts of a checkpoint. It is written last: without it there is no checkpoint.
struct manifest {
  std::uint64_t number = 0;
  std::uint64_t run = 0;  ///< as in the parts
  int pes = 1;
  std::string program{};
  std::string written{};              ///< date and time: "2026-11-30T01:02:03Z"
  std::vector<part_summary> parts{};  ///< in the order of the processes
};

/// Name of the file with the part of a process: "part-0003.icp".
std::string name_of_part(int process);
/// True for a name that is made so.
bool is_name_of_part(const std::string& name);

/// The text of a manifest, with a checksum.
std::string to_json(const manifest& m);

/// Throws `error`, with only the cause and the remedy, if the text is no manifest, has another checksum, or
/// is of another format.
manifest parse_manifest(std::string_view json);

/// This moment, as a manifest has it.
std::string date_and_time();

}  // namespace imbrex::checkpoints
