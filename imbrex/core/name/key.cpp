// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/name/key.hpp>

#include <imbrex/base/type_name.hpp>

namespace imbrex::detail {

template std::vector<std::size_t> sorted_places(const std::vector<std::uint64_t>& keys);

std::string hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "0x";
  for (const char c : bytes) {
    text += digits[static_cast<unsigned char>(c) >> 4U];
    text += digits[static_cast<unsigned char>(c) & 15U];
  }
  return text;
}

std::uint64_t hash_bytes(std::string_view bytes) {
  std::uint64_t h = 14695981039346656037U;  // FNV-1a, with a final mix for the high bits
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return (h ^ (h >> 32U)) * 0x9e3779b97f4a7c15U;
}

std::string index_text(std::span<const int> values) {
  std::string text = std::to_string(values[0]);
  for (const int v : values.subspan(1)) text += ", " + std::to_string(v);
  return values.size() == 1 ? text : "(" + text + ")";
}

std::string element_text(std::string_view chare_name, const std::string& key) {
  const std::string name(short_name(chare_name));
  return key.starts_with("(") ? name + key : name + "(" + key + ")";
}

std::string single_text(std::string_view chare_name, std::uint64_t number, int creator) {
  return std::string(short_name(chare_name)) + " #" + std::to_string(number) + " of PE " +
         std::to_string(creator);
}

void write_index(std::string_view chare_name, const int* values, int dimensions, signal_text& out) noexcept {
  out.add(short_name(chare_name)).add("(");
  for (int d = 0; d < dimensions; ++d) out.add(d == 0 ? "" : ", ").add_number(values[d]);
  out.add(")");
}

void write_single(std::string_view chare_name, std::uint64_t number, int creator, signal_text& out) noexcept {
  out.add(short_name(chare_name)).add(" #").add_number(static_cast<std::int64_t>(number));
  out.add(" of PE ").add_number(creator);
}

void write_text_key(std::string_view chare_name, std::string_view key, signal_text& out) noexcept {
  out.add(short_name(chare_name)).add("(\"").add(key).add("\")");
}

void write_number_key(std::string_view chare_name, std::int64_t key, signal_text& out) noexcept {
  out.add(short_name(chare_name)).add("(").add_number(key).add(")");
}

}  // namespace imbrex::detail
