// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writing and reading of each kind of value, by one function for both directions, so that they cannot
// disagree. A count precedes the elements. Elements that are not copied at once take at least one byte each.
// So a count can be checked against the bytes left before memory is allocated.

#include <imbrex/serial/copy_bytes.hpp>
#include <imbrex/serial/kinds.hpp>
#include <imbrex/serial/reader.hpp>
#include <imbrex/serial/uncleared.hpp>
#include <imbrex/serial/writer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace imbrex::detail {

template <class Archive, class T>
void process(Archive& archive, T& value);

template <class T>
T read_number(reader& in) {
  T value;
  in.bytes(&value, sizeof value);
  return value;
}

/// Processes one byte, which must be below `limit`.
template <class Archive>
std::uint8_t process_choice(Archive& archive, std::uint8_t value, std::uint8_t limit, const char* what) {
  archive.bytes(&value, 1);
  if constexpr (Archive::reading)
    if (value >= limit) throw_out_of_range(what, value, limit);
  return value;
}

/// Reads a count of elements of at least `bytes_each` bytes.
inline std::size_t read_count(reader& in, std::size_t bytes_each) {
  const auto count = read_number<std::uint64_t>(in);
  if (count > in.remaining() / bytes_each) throw_oversized(count, bytes_each, in.remaining());
  return static_cast<std::size_t>(count);
}

/// Number of elements to reserve memory for: limited, so that a short message cannot request a lot of memory.
template <class Element>
std::size_t trusted(std::size_t count, const reader& in) {
  const std::size_t likely = 4 * (in.remaining() / sizeof(Element) + 1);
  return count < likely ? count : likely;
}

/// Processes one element of a container that is not copied at once. An element that writes nothing is padded
/// to one byte.
template <class Archive, class... T>
void process_element(Archive& archive, T&... parts) {
  if constexpr (Archive::reading) {
    const std::size_t before = archive.remaining();
    (process(archive, parts), ...);
    if (archive.remaining() == before) archive.view(1);
  } else {
    const std::size_t before = archive.size();
    (process(archive, parts), ...);
    if (archive.size() == before) archive.number(std::uint8_t{0});
  }
}

template <class Output, class T>
  requires(!Output::reading)
void process_block(Output& out, const T& value) {
  out.number(static_cast<std::uint64_t>(value.size()));
  out.block(value.data(), value.size() * sizeof(typename T::value_type));
}

template <class T>
void process_block(reader& in, T& value) {
  using element = typename T::value_type;
  const std::size_t count = read_count(in, sizeof(element));
  if (in.is_pending(count * sizeof(element))) {
    resize_to_fill(value, count);
    return in.expect(value.data());
  }
  const std::byte* source = in.view(count * sizeof(element)).data();
  if constexpr (requires(const element* first) { value.assign(first, first); }) {
    // If the bytes can serve as elements, this avoids clearing the memory before it is filled.
    if (reinterpret_cast<std::uintptr_t>(source) % alignof(element) == 0) {
      const auto* first = reinterpret_cast<const element*>(source);
      value.assign(first, first + count);
      return;
    }
  }
  resize_to_fill(value, count);
  copy_bytes(value.data(), source, count * sizeof(element));
}

template <class T>
void process_view(writer& out, const T& value) {
  using element = typename T::value_type;
  out.number(static_cast<std::uint64_t>(value.size()));
  out.align(alignof(element));
  out.bytes(value.data(), value.size_bytes());
}

template <class T>
void process_view(reader& in, T& value) {
  using element = typename T::value_type;
  const std::size_t count = read_count(in, sizeof(element));
  in.align(alignof(element));
  const std::byte* source = in.view(count * sizeof(element)).data();
  if (reinterpret_cast<std::uintptr_t>(source) % alignof(element) != 0) throw_misaligned(alignof(element));
  value = T(reinterpret_cast<const element*>(source), count);
}

template <class T>
void process_sequence(writer& out, const T& value) {
  const writer::level level(out);
  out.number(static_cast<std::uint64_t>(value.size()));
  for (const auto& element : value) process_element(out, element);
}

template <class T>
void process_sequence(reader& in, T& value) {
  using element = typename T::value_type;
  const std::size_t count = read_count(in, bitwise<element> ? sizeof(element) : 1);
  const reader::level level(in);
  value.clear();
  if constexpr (requires { value.reserve(count); }) value.reserve(trusted<element>(count, in));
  for (std::size_t i = 0; i < count; ++i) {
    value.emplace_back();
    process_element(in, value.back());
  }
}

template <class T>
void process_map(writer& out, const T& value) {
  const writer::level level(out);
  out.number(static_cast<std::uint64_t>(value.size()));
  for (const auto& [key, mapped] : value) process_element(out, key, mapped);
}

template <class T>
void process_map(reader& in, T& value) {
  const std::size_t count = read_count(in, 1);
  const reader::level level(in);
  value.clear();
  if constexpr (requires { value.reserve(count); }) value.reserve(trusted<typename T::value_type>(count, in));
  for (std::size_t i = 0; i < count; ++i) {
    typename T::key_type key{};
    typename T::mapped_type mapped{};
    process_element(in, key, mapped);
    value.emplace_hint(value.end(), std::move(key), std::move(mapped));
  }
}

template <class T>
void process_set(reader& in, T& value) {
  const std::size_t count = read_count(in, 1);
  const reader::level level(in);
  value.clear();
  if constexpr (requires { value.reserve(count); }) value.reserve(trusted<typename T::value_type>(count, in));
  for (std::size_t i = 0; i < count; ++i) {
    typename T::key_type key{};
    process_element(in, key);
    value.emplace_hint(value.end(), std::move(key));
  }
}

/// Packs eight bits into a byte.
template <class T>
void write_bits(writer& out, const T& value) {
  for (std::size_t i = 0; i < value.size(); i += 8) {
    unsigned packed = 0;
    for (std::size_t bit = 0; bit < 8 && i + bit < value.size(); ++bit)
      packed |= static_cast<unsigned>(value[i + bit]) << bit;
    out.number(static_cast<std::uint8_t>(packed));
  }
}

template <class T>
void read_bits(reader& in, T& value) {
  for (std::size_t i = 0; i < value.size(); i += 8) {
    const unsigned packed = read_number<std::uint8_t>(in);
    for (std::size_t bit = 0; bit < 8 && i + bit < value.size(); ++bit)
      value[i + bit] = (packed >> bit & 1) != 0;
  }
}

template <class T>
void process_bit_vector(writer& out, const T& value) {
  out.number(static_cast<std::uint64_t>(value.size()));
  write_bits(out, value);
}

template <class T>
void process_bit_vector(reader& in, T& value) {
  const auto count = read_number<std::uint64_t>(in);
  if (count / 8 + (count % 8 != 0) > in.remaining()) throw_oversized(count / 8, 1, in.remaining());
  value.assign(static_cast<std::size_t>(count), false);
  read_bits(in, value);
}

/// Processes optional and unique_ptr.
template <class Archive, class T>
void process_optional(Archive& archive, T& value) {
  const bool full =
      process_choice(archive, static_cast<bool>(value), 2, "the flag of an optional value") != 0;
  if constexpr (Archive::reading) {
    value.reset();
    if (!full) return;
    const reader::level level(archive);
    if constexpr (is_unique_ptr<T>)
      value = std::make_unique<typename T::element_type>();
    else
      value.emplace();
    process(archive, *value);
  } else if (full) {
    const writer::level level(archive);
    process(archive, *value);
  }
}

template <class Archive, class T, std::size_t... I>
void process_variant(Archive& archive, T& value, std::index_sequence<I...>) {
  static_assert(sizeof...(I) <= 255, "imbrex: a variant of more than 255 alternatives cannot be sent");
  if constexpr (!Archive::reading)
    if (value.valueless_by_exception()) throw_valueless();
  const auto index = process_choice(archive, static_cast<std::uint8_t>(value.index()), sizeof...(I),
                                    "the index of a variant");
  if constexpr (Archive::reading)
    static_cast<void>(((index == I && (value.template emplace<I>(), true)) || ...));
  static_cast<void>(((index == I && (process(archive, get<I>(value)), true)) || ...));
}

template <class Archive, class T, std::size_t... I>
void process_tuple(Archive& archive, T& value, std::index_sequence<I...>) {
  (process(archive, get<I>(value)), ...);
}

}  // namespace imbrex::detail
