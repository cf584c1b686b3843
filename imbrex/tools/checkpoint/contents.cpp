// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/checkpoint/contents.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include <imbrex/base/printable.hpp>

namespace imbrex::tools {
namespace {

using checkpoints::section_info;

auto order_of(const section_info& info) { return std::pair(info.kind, info.name); }

bool is_less(std::span<const std::byte> left, std::span<const std::byte> right) {
  return std::ranges::lexicographical_compare(left, right);
}

/// The key as numbers of type `Number`; empty unless all are small.
template <class Number>
std::string text_of_numbers(std::span<const std::byte> key) {
  constexpr Number most = 100'000'000;
  std::string text;
  for (std::size_t at = 0; at < key.size(); at += sizeof(Number)) {
    Number number = 0;
    std::memcpy(&number, key.data() + at, sizeof number);
    if (number > most || number < -most) return {};
    text += (at == 0 ? "" : ",") + std::to_string(number);
  }
  return text;
}

}  // namespace

checkpoint_contents::checkpoint_contents(const std::string& path) {
  auto chosen = checkpoints::choose_checkpoint(path);
  path_ = std::move(chosen.path);
  manifest_ = std::move(chosen.contents);
  for (const auto& part : manifest_.parts) {
    parts_.emplace_back(checkpoints::path_of_part(path_, part.process));
    add_sections(parts_.size() - 1);
  }
  std::ranges::sort(sections_, {}, [](const whole_section& s) { return order_of(s.info); });
  for (whole_section& section : sections_)
    std::ranges::sort(section.records, is_less, [this](const record_place& at) { return key(at); });
}

void checkpoint_contents::add_sections(std::size_t part) {
  const auto& reader = parts_[part];
  for (std::size_t i = 0; i < reader.sections().size(); ++i) {
    const section_info& info = reader.sections()[i];
    auto known = std::ranges::find(sections_, order_of(info), [](const auto& s) { return order_of(s.info); });
    if (known == sections_.end()) known = sections_.insert(known, whole_section{info});
    for (std::size_t record = 0; record < reader.records(i); ++record) {
      known->records.push_back({part, i, record});
      known->bytes += reader.size(i, record);
    }
  }
}

const whole_section* checkpoint_contents::find(const section_info& like) const {
  for (const whole_section& section : sections_)
    if (order_of(section.info) == order_of(like)) return &section;
  return nullptr;
}

std::string text_of_key(std::span<const std::byte> key) {
  if (key.empty()) return "(empty)";
  std::string text;
  if (key.size() % sizeof(std::int64_t) == 0) text = text_of_numbers<std::int64_t>(key);
  if (text.empty() && key.size() % sizeof(std::int32_t) == 0) text = text_of_numbers<std::int32_t>(key);
  if (!text.empty()) return text;
  const std::string_view words(reinterpret_cast<const char*>(key.data()), key.size());
  if (printable(words) == words) return "\"" + std::string(words) + "\"";
  text = "0x";
  for (const std::byte b : key) text += fmt::format("{:02x}", static_cast<unsigned>(b));
  return text;
}

std::string name_of_section(const section_info& info) {
  return std::string(checkpoints::name_of(info.kind)) + " " +
         (info.name.empty() ? "(no name)" : printable(info.name));
}

}  // namespace imbrex::tools
