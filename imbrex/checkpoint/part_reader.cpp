// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/part_reader.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/checkpoint/internal/layout.hpp>
#include <imbrex/checkpoint/internal/part_bytes.hpp>
#include <imbrex/serial/bytes.hpp>

namespace imbrex::checkpoints {

using namespace detail;

class part_reader::state {
 public:
  template <class... Source>
  explicit state(Source&&... source) : bytes_(std::forward<Source>(source)...) {
    read_directory();
    read_index();
  }

  struct place {
    std::uint64_t key = 0;
    std::uint64_t at = 0;
    std::uint64_t bytes = 0;
    std::uint32_t key_bytes = 0;
  };

  part_bytes& bytes() { return bytes_; }
  const part_header& header() const { return header_; }
  const std::vector<std::string>& strings() const { return strings_; }
  const std::vector<section_info>& sections() const { return sections_; }
  std::size_t records(std::size_t section) const { return places_.at(section).size(); }
  const place& place_of(std::size_t section, std::size_t record) const {
    return places_.at(section).at(record);
  }

 private:
  void read_directory();
  void read_index();

  part_bytes bytes_;
  part_header header_;
  std::vector<std::string> strings_;
  std::vector<section_info> sections_;
  std::vector<std::uint64_t> counts_;  ///< numbers of records, as the directory says
  std::vector<std::vector<place>> places_;
};

void part_reader::state::read_directory() {
  const auto stored = bytes_.checked(bytes_.last().index_end, bytes_.last().body);
  try {
    auto all = from_bytes<directory>(stored);
    header_ = std::move(all.header);
    strings_ = std::move(all.strings);
    for (stored_section& section : all.sections) {
      if (static_cast<int>(section.info.kind) >= section_kinds)
        bytes_.refuse_damaged("section " + std::to_string(sections_.size()) + " is of no known kind");
      sections_.push_back(std::move(section.info));
      counts_.push_back(section.records);
    }
  } catch (const serial_error& what) {
    bytes_.refuse_damaged(std::string("its directory cannot be read: ") + what.what());
  }
  places_.resize(sections_.size());
}

void part_reader::state::read_index() {
  const std::uint64_t begin = bytes_.last().records_end;  // behind the records
  const auto index = bytes_.checked(begin, bytes_.last().index_end);
  std::uint64_t record_at = sizeof(preamble);
  for (std::uint64_t at = 0; at < index.size();) {
    index_entry entry;
    if (index.size() - at < sizeof entry) bytes_.refuse_damaged("its index ends within a record");
    std::memcpy(&entry, index.data() + at, sizeof entry);
    at += sizeof entry;
    const std::uint64_t key_room = round_up(entry.key_bytes, index_alignment);
    if (entry.section >= places_.size())
      bytes_.refuse_damaged("its index names section " + std::to_string(entry.section) + " of " +
                            std::to_string(places_.size()));
    if (key_room > index.size() - at) bytes_.refuse_damaged("its index ends within a key");
    if (entry.bytes > begin - record_at) bytes_.refuse_damaged("a record ends behind the others");
    places_[entry.section].push_back({begin + at, record_at, entry.bytes, entry.key_bytes});
    at += key_room;
    record_at = std::min(round_up(record_at + entry.bytes, record_alignment), begin);
  }
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (places_[i].size() != counts_[i])
      bytes_.refuse_damaged("section \"" + sections_[i].name + "\" has " + std::to_string(places_[i].size()) +
                            " records of " + std::to_string(counts_[i]));
}

part_reader::part_reader(const std::string& file) : state_(std::make_unique<state>(file)) {}
part_reader::part_reader(std::span<const std::byte> memory, std::string name)
    : state_(std::make_unique<state>(memory, std::move(name))) {}
part_reader::~part_reader() = default;
part_reader::part_reader(part_reader&&) noexcept = default;

const std::string& part_reader::name() const { return state_->bytes().name(); }
const part_header& part_reader::header() const { return state_->header(); }
part_summary part_reader::summary() const {
  return {header().process, state_->bytes().size(), state_->bytes().last().digest};
}
const std::vector<section_info>& part_reader::sections() const { return state_->sections(); }
const std::vector<std::string>& part_reader::strings() const { return state_->strings(); }
std::size_t part_reader::records(std::size_t section) const { return state_->records(section); }

std::span<const std::byte> part_reader::key(std::size_t section, std::size_t record) const {
  const auto& place = state_->place_of(section, record);
  return state_->bytes().checked(place.key, place.key + place.key_bytes);
}

std::uint64_t part_reader::size(std::size_t section, std::size_t record) const {
  return state_->place_of(section, record).bytes;
}

std::span<const std::byte> part_reader::record(std::size_t section, std::size_t record) const {
  const auto& place = state_->place_of(section, record);
  return state_->bytes().checked(place.at, place.at + place.bytes);
}

void part_reader::verify() const { state_->bytes().check_all(); }

}  // namespace imbrex::checkpoints
