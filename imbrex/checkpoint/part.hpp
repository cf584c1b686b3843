// SPDX-License-Identifier: Apache-2.0
#pragma once
// The contents of a part of a checkpoint: a file or memory, written by one process.
// docs/checkpoints.md describes the format.

#include <cstdint>
#include <map>
#include <string>

#include <imbrex/serial/class_schema.hpp>

namespace imbrex::checkpoints {

/// The process that wrote a part, and its run.
struct part_header {
  std::uint64_t number = 0;  ///< number of the checkpoint
  std::uint64_t run = 0;     ///< number of the run by chance, equal in all parts
  int process = 0;
  int processes = 1;
  int pes = 1;  ///< PEs of the whole run
  std::string program{};
  std::map<std::string, std::string> attributes{};

  void serialize(auto& ar) { ar(number, run, process, processes, pes, program, attributes); }
};

enum class section_kind : std::uint8_t { array, group, single, section, process_group, value };
inline constexpr int section_kinds = 6;

/// The name of a kind: "array".
const char* name_of(section_kind kind);

/// Records of one kind: the elements of an array, for example. A section is named by its kind and its name;
/// each part has some of its records.
struct section_info {
  section_kind kind = section_kind::array;
  std::string name{};
  class_schema schema{};
  std::map<std::string, std::string> attributes{};

  void serialize(auto& ar) { ar(kind, name, schema, attributes); }
};

/// A part as the manifest names it.
struct part_summary {
  int process = 0;
  std::uint64_t bytes = 0;
  std::uint64_t digest = 0;  ///< checksum of all checksums of the part

  void serialize(auto& ar) { ar(process, bytes, digest); }
  bool operator==(const part_summary&) const = default;
};

}  // namespace imbrex::checkpoints
