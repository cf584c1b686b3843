// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/part_image.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/checkpoint/internal/layout.hpp>
#include <imbrex/serial/bytes.hpp>
#include <imbrex/serial/copy_bytes.hpp>

namespace imbrex::checkpoints {

using namespace detail;

namespace {

static_assert(record_alignment == growing_memory::alignment);

/// Blocks of at least this size go to the image without a copy in between.
constexpr std::size_t least_block = 512;

}  // namespace

part_image::part_image() { out_.write_through(end_, least_block); }

part_image::part_image(descriptor memory_file) : records_(std::move(memory_file)) {
  out_.write_through(end_, least_block);
}

void part_image::begin(part_header header) {
  header_ = std::move(header);
  sections_.clear();
  strings_.clear();
  record_begin_ = 0;
  is_sealed_ = is_complete_ = false;
  index_.shorten(0);
  records_.shorten(0);
  const preamble first;
  records_.append(std::as_bytes(std::span(&first, 1)));
}

int part_image::open_section(section_info info) {
  sections_.push_back({std::move(info)});
  return static_cast<int>(sections_.size()) - 1;
}

std::uint32_t part_image::intern(std::string_view text) {
  const auto known = strings_.find(text);
  if (known != strings_.end()) return known->second;
  const auto number = static_cast<std::uint32_t>(strings_.size());
  strings_.emplace(text, number);
  return number;
}

void part_image::drop_unfinished_record() {
  records_.shorten(record_begin_);
  index_.shorten(entry_begin_);
}

writer& part_image::begin_record(int section, std::span<const std::byte> key) {
  if (record_begin_ != 0) drop_unfinished_record();
  if (key.size() > std::numeric_limits<std::uint32_t>::max())
    throw error("a record's key of " + std::to_string(key.size()) + " bytes is too long for a checkpoint");
  records_.align();
  record_begin_ = records_.size();
  entry_begin_ = index_.size();
  const index_entry entry{static_cast<std::uint32_t>(section), static_cast<std::uint32_t>(key.size()), 0};
  const std::size_t key_room = round_up(key.size(), index_alignment);
  std::byte* const place = index_.append(sizeof entry + key_room);
  std::memcpy(place, &entry, sizeof entry);
  if (key_room > 0) {
    std::memset(place + sizeof entry + key_room - index_alignment, 0, index_alignment);
    imbrex::detail::copy_bytes(place + sizeof entry, key.data(), key.size());
  }
  out_.clear();
  return out_;
}

void part_image::end_record() {
  records_.append(out_.written());
  const std::uint64_t bytes = records_.size() - record_begin_;
  std::byte* const entry = index_.bytes().data() + entry_begin_;
  std::memcpy(entry + offsetof(index_entry, bytes), &bytes, sizeof bytes);
  std::uint32_t section = 0;
  std::memcpy(&section, entry + offsetof(index_entry, section), sizeof section);
  ++sections_[section].records;
  record_begin_ = 0;
}

void part_image::seal() {
  if (record_begin_ != 0) drop_unfinished_record();
  record_begin_ = 0;
  is_sealed_ = true;
}

std::vector<std::byte> part_image::directory() const {
  detail::directory all{header_, std::vector<std::string>(strings_.size()), {}};
  for (const auto& [text, number] : strings_) all.strings[number] = text;
  for (const auto& section : sections_) all.sections.push_back({section.info, section.records});
  return to_bytes(all);
}

std::span<const std::byte> part_image::complete() {
  if (is_complete_) return records_.bytes();
  const std::size_t end = records_.size();
  try {
    append_tables();
  } catch (...) {
    records_.shorten(end);
    throw;
  }
  is_complete_ = true;
  return records_.bytes();
}

void part_image::append_tables() {
  trailer last;
  records_.align();
  last.records_end = records_.size();
  records_.append(index_.bytes());
  last.index_end = records_.size();
  records_.append(directory());
  last.body = records_.size();
  preamble first;
  first.bytes = last.body + blocks_of(last.body) * sizeof(std::uint64_t) + sizeof last;
  std::memcpy(records_.bytes().data(), &first, sizeof first);
  std::vector<std::uint64_t> sums;
  for (std::size_t at = 0; at < last.body; at += block_size)
    sums.push_back(checksum_of(records_.bytes().subspan(at, std::min(block_size, last.body - at))));
  const auto all_sums = std::as_bytes(std::span(sums));
  last.checksum = checksum_of(all_sums);
  last.digest = digest_of(last);
  records_.append(all_sums);
  records_.append(std::as_bytes(std::span(&last, 1)));
}

}  // namespace imbrex::checkpoints
