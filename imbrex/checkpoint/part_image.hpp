// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/checkpoint/growing_memory.hpp>
#include <imbrex/checkpoint/part.hpp>
#include <imbrex/serial/writer.hpp>

namespace imbrex::checkpoints {

/// A part of a checkpoint in memory. One image serves for many checkpoints, one after the other: its memory
/// stays mapped. One thread at a time. All functions throw `error` if there is no memory.
///
///     image.begin(header);
///     const int blocks = image.open_section({section_kind::array, "blocks", schema_of(first)});
///     image.begin_record(blocks, key)(element);
///     image.end_record();
///     image.seal();                       // the program goes on
///     write_part(image, file);            // in another thread
class part_image {
 public:
  part_image();
  /// The image lies in a memory file, from its first byte on.
  explicit part_image(descriptor memory_file);
  part_image(const part_image&) = delete;
  part_image& operator=(const part_image&) = delete;

  /// Drops the former contents.
  void begin(part_header header);
  const part_header& header() const { return header_; }

  /// Returns the number of a new section. Records of several sections may come in any order.
  int open_section(section_info info);

  /// The number of a text, which records hold in its place.
  std::uint32_t intern(std::string_view text);

  /// Begins a record, with the key by which it is found. What the archive gets until `end_record` is the
  /// record, which is dropped if that does not come before the next record.
  writer& begin_record(int section, std::span<const std::byte> key);
  void end_record();

  /// Ends the records: this takes no longer for more of them.
  void seal();
  bool is_sealed() const noexcept { return is_sealed_; }

  /// Appends the index, the directory and the checksums of a sealed image, once, and returns the whole part.
  /// Takes time in proportion to its size, and may be called by another thread than `seal`.
  std::span<const std::byte> complete();

  /// Number of bytes of the records so far.
  std::uint64_t size() const noexcept { return records_.size(); }

 private:
  struct open_section_state {
    section_info info;
    std::uint64_t records = 0;
  };

  /// Takes the bytes that do not fit into the archive's own buffer.
  class image_end final : public byte_sink {
   public:
    explicit image_end(growing_memory& memory) : memory_(memory) {}
    void take(std::span<const std::byte> bytes) override { memory_.append(bytes); }

   private:
    growing_memory& memory_;
  };

  void drop_unfinished_record();
  void append_tables();
  std::vector<std::byte> directory() const;

  growing_memory records_;
  growing_memory index_;
  image_end end_{records_};
  writer out_;
  part_header header_;
  std::vector<open_section_state> sections_;
  std::map<std::string, std::uint32_t, std::less<>> strings_;
  std::size_t record_begin_ = 0;  ///< beginning of the unfinished record; 0: there is none
  std::size_t entry_begin_ = 0;   ///< beginning of its entry in the index
  bool is_sealed_ = false;
  bool is_complete_ = false;
};

}  // namespace imbrex::checkpoints
