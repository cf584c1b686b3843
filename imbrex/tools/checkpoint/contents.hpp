// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/checkpoint/part_reader.hpp>

namespace imbrex::tools {

/// A record of a checkpoint.
struct record_place {
  std::size_t part = 0;
  std::size_t section = 0;  ///< number in the part
  std::size_t record = 0;
};

/// The records of one section in all parts, in the order of their keys.
struct whole_section {
  checkpoints::section_info info;
  std::vector<record_place> records{};
  std::uint64_t bytes = 0;
};

/// A checkpoint with all its parts.
class checkpoint_contents {
 public:
  /// `path`: a checkpoint, or a folder, which stands for its newest whole one. Throws `error`.
  explicit checkpoint_contents(const std::string& path);

  const std::string& path() const { return path_; }
  const checkpoints::manifest& contents() const { return manifest_; }
  /// In the order of their kinds and names.
  const std::vector<whole_section>& sections() const { return sections_; }
  /// Null if there is none.
  const whole_section* find(const checkpoints::section_info& like) const;

  std::span<const std::byte> key(const record_place& at) const {
    return parts_[at.part].key(at.section, at.record);
  }
  std::span<const std::byte> record(const record_place& at) const {
    return parts_[at.part].record(at.section, at.record);
  }

 private:
  void add_sections(std::size_t part);

  std::string path_;
  checkpoints::manifest manifest_;
  std::vector<checkpoints::part_reader> parts_;
  std::vector<whole_section> sections_;
};

/// A key for readers: as numbers, as text, or in hexadecimal digits.
std::string text_of_key(std::span<const std::byte> key);

/// "array blocks".
std::string name_of_section(const checkpoints::section_info& info);

}  // namespace imbrex::tools
