// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/checkpoint/part.hpp>

namespace imbrex::checkpoints {

/// Reads a part of a checkpoint, of any origin. Each block of the part is checked when it is first read, and
/// a file's blocks are only read then. All functions throw `error`, with the name of the part, the cause and
/// the remedy, if it is no part, is damaged, or cannot be read. Several threads may read at once.
class part_reader {
 public:
  explicit part_reader(const std::string& file);
  /// The part begins with the memory, which must stay as it is while the reader lives, and may be longer.
  /// `name`: its name in errors.
  part_reader(std::span<const std::byte> memory, std::string name);
  ~part_reader();
  part_reader(part_reader&&) noexcept;

  const std::string& name() const;
  const part_header& header() const;
  part_summary summary() const;

  const std::vector<section_info>& sections() const;
  /// The texts that records name by numbers.
  const std::vector<std::string>& strings() const;

  /// Number of records of a section, which are numbered in the order in which they were written.
  std::size_t records(std::size_t section) const;
  std::span<const std::byte> key(std::size_t section, std::size_t record) const;
  /// Number of bytes of a record. Reads nothing.
  std::uint64_t size(std::size_t section, std::size_t record) const;
  /// The bytes of a record, which begin at a multiple of 16 bytes of memory. They stay valid while the reader
  /// lives.
  std::span<const std::byte> record(std::size_t section, std::size_t record) const;

  /// Reads and checks all blocks, without keeping them.
  void verify() const;

 private:
  class state;
  std::unique_ptr<state> state_;
};

}  // namespace imbrex::checkpoints
