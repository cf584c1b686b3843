// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <imbrex/base/host/signal_text.hpp>
#include <imbrex/base/standard/sort.hpp>
#include <imbrex/core/name/index.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::detail {

std::string hex(std::string_view bytes);
/// "block(1, 2)"
std::string element_text(std::string_view chare_name, const std::string& key);
/// "worker #7 of PE 0": the seventh single chare that PE 0 has created.
std::string single_text(std::string_view chare_name, std::uint64_t number, int creator);
std::uint64_t hash_bytes(std::string_view bytes);

// Counterparts of `element_text` and `single_text` for signal handlers.
void write_index(std::string_view chare_name, const int* values, int dimensions, signal_text& out) noexcept;
void write_single(std::string_view chare_name, std::uint64_t number, int creator, signal_text& out) noexcept;
void write_text_key(std::string_view chare_name, std::string_view key, signal_text& out) noexcept;
void write_number_key(std::string_view chare_name, std::int64_t key, signal_text& out) noexcept;

/// The key type of elements: the linear number in a dense array, otherwise the user's own key.
template <class Index>
struct key_of {
  using type = Index;
};
template <class Index>
  requires is_index<Index>
struct key_of<Index> {
  using type = std::uint64_t;
};
template <class Index>
using key_type = typename key_of<Index>::type;

template <class Key>
std::string serialised(const Key& key) {
  writer out;
  out(key);
  const auto bytes = out.take();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A hash of a key that is equal in all processes, unlike std::hash; computed from an integer, a text, or the
/// serialised bytes.
template <class Key>
std::uint64_t key_hash(const Key& key) {
  if constexpr (std::is_integral_v<Key> || std::is_enum_v<Key>) {
    return static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15U;
  } else if constexpr (std::is_convertible_v<const Key&, std::string_view>) {
    return hash_bytes(key);
  } else {
    return hash_bytes(serialised(key));
  }
}

/// The number of an element in traces: its linear number, or the hash of its key.
template <class Key>
std::uint64_t key_number(const Key& key) {
  if constexpr (std::is_same_v<Key, std::uint64_t>) {
    return key;
  } else {
    return key_hash(key);
  }
}

/// A total order on keys: that of the type, or of the serialised bytes.
template <class Key>
bool key_less(const Key& a, const Key& b) {
  if constexpr (requires { a < b; }) {
    return a < b;
  } else {
    return serialised(a) < serialised(b);
  }
}

/// The indices of keys in ascending order of the keys; empty if the keys are in order.
template <class Key>
std::vector<std::size_t> sorted_places(const std::vector<Key>& keys) {
  const auto in_order = [&](std::size_t a, std::size_t b) { return key_less(keys[a], keys[b]); };
  std::vector<std::size_t> places(keys.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  if (std::is_sorted(places.begin(), places.end(), in_order)) return {};
  std::sort(places.begin(), places.end(), in_order);
  return places;
}
extern template std::vector<std::size_t> sorted_places(const std::vector<std::uint64_t>& keys);

template <class Key>
std::string key_text(const Key& key) {
  if constexpr (std::is_convertible_v<const Key&, std::string_view>) {
    return "\"" + std::string(std::string_view(key)) + "\"";
  } else if constexpr (requires { to_string(key); }) {
    return std::string(to_string(key));
  } else if constexpr (requires { std::to_string(key); }) {
    return std::to_string(key);
  } else {
    return "key " + hex(serialised(key));
  }
}

}  // namespace imbrex::detail
