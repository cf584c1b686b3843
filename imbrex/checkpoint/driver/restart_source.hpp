// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/checkpoint/driver/saved_value.hpp>
#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/checkpoint/part_reader.hpp>
#include <imbrex/core/extension/durable.hpp>

namespace imbrex::checkpoints::detail {

/// The PEs that wrote the records of a section: pairs of a first record and its PE, in the order of records.
using record_origins = std::vector<std::pair<std::uint64_t, int>>;

/// The sections of an array that were made on one PE.
struct saved_sections {
  std::string array;
  std::vector<std::uint64_t> numbers;
  std::vector<std::byte> bytes;

  void serialize(auto& ar) { ar(array, numbers, bytes); }
};

/// The single chares and sections of a PE, and the names that its records use.
struct tables_of_pe {
  int pe = 0;
  std::vector<extension::saved_name> names{};
  std::vector<std::pair<std::string, extension::saved_single>> singles{};
  std::vector<saved_sections> sections{};

  void serialize(auto& ar) { ar(pe, names, singles, sections); }
};

/// Names of the sections that are the runtime's own.
inline constexpr const char* section_of_tables = "tables of PEs";
inline constexpr const char* section_of_origins = "PEs of records";
inline bool is_section_of_runtime(std::string_view name) {
  return name == section_of_tables || name == section_of_origins;
}

/// The description of an array as attributes of a section, and back. The number of elements is left out.
std::map<std::string, std::string> attributes_of(const extension::saved_array& what);
extension::saved_array array_of(const section_info& section);

/// An array of a checkpoint.
struct array_in_parts {
  extension::saved_array what;
  class_schema schema;
  /// A part, and the number of the array's section there.
  std::vector<std::pair<std::size_t, std::size_t>> sections;
};

/// The checkpoint from which a run begins, as its PEs read it. Several threads may read at once.
class restart_source {
 public:
  /// Opens the checkpoint that a path names. Throws `error` if there is none.
  explicit restart_source(const std::string& path);

  const chosen_checkpoint& chosen() const { return chosen_; }
  const std::vector<part_reader>& parts() const { return parts_; }
  /// By the name of the array.
  const std::map<std::string, array_in_parts>& arrays() const { return arrays_; }
  /// The tables of the PE that wrote a record.
  const tables_of_pe& tables_of(const std::string& array, std::size_t part, std::uint64_t record) const;
  /// Visits the tables of all PEs that wrote the checkpoint.
  template <class Visitor>
  void for_each_table(Visitor visit) const {
    for (const part_tables& part : tables_)
      for (const auto& of_pe : part.of_pes) visit(of_pe.second);
  }
  /// The single chares and sections, with the numbers that they get in a run on so many PEs.
  extension::saved_numbers numbers(int pes) const;
  /// The values that the program has saved, by name.
  std::map<std::string, saved_value> values() const;
  std::optional<saved_value> find_value(std::string_view name) const;

 private:
  struct part_tables {
    std::map<int, tables_of_pe> of_pes;
    std::map<std::string, record_origins> origins;  ///< by the name of the array
  };

  void read_tables(const part_reader& part);
  /// Calls `visit(section, bytes)` for each value of the program.
  template <class Visitor>
  void for_each_value(Visitor visit) const;

  chosen_checkpoint chosen_;
  std::vector<part_reader> parts_;
  std::vector<part_tables> tables_;
  std::map<std::string, array_in_parts> arrays_;
};

}  // namespace imbrex::checkpoints::detail
