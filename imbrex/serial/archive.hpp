// SPDX-License-Identifier: Apache-2.0
#pragma once
// Serialisation. `writer` and `reader` are called with values: `ar(a, b, c)`. Numbers, enumerations, standard
// containers and value types, and aggregates of at most 24 such fields, to any depth, need no code. Other
// classes add one function for both directions:
//   void serialize(auto& ar) { ar(a_, b_); }
// A class whose `serialize` has changed has `static constexpr int version = 1`, then 2, ...: see
// `reader::version`.
// A type that is not the program's gets a free function in its namespace, or a specialisation of
// `serializer`:
//   void serialize(auto& ar, T& value) { ar(value.a, value.b); }
// Pointers and references are refused at compile time.

#include <imbrex/base/type_name.hpp>
#include <imbrex/serial/check.hpp>
#include <imbrex/serial/containers.hpp>
#include <imbrex/serial/error.hpp>
#include <imbrex/serial/reader.hpp>
#include <imbrex/serial/writer.hpp>

#include <type_traits>
#include <utility>

namespace imbrex {
namespace detail {

template <class Archive, class T>
void process_foreign(Archive& archive, T& value) {
  if constexpr (has_serializer<T>)
    serializer<T>::serialize(archive, value);
  else
    serialize(archive, value);
}

template <class T>
concept has_version = requires { std::integral_constant<int, T::version>{}; };

/// While this object lives, the archive is at the version of class T.
template <class T, class Archive>
class version_of_archive {
 public:
  explicit version_of_archive(Archive& archive) : archive_(archive), outer_(archive.at_version(&here_)) {
    if (outer_ == nullptr || outer_->written == nullptr) return;
    here_ = {outer_->written, outer_->written->version_of(type_name<T>())};
  }
  version_of_archive(const version_of_archive&) = delete;
  version_of_archive& operator=(const version_of_archive&) = delete;
  ~version_of_archive() { archive_.at_version(outer_); }

 private:
  Archive& archive_;
  version_place here_{nullptr, T::version};
  const version_place* outer_;
};

/// Calls the member `serialize` of a value.
template <class Archive, class T>
void process_member(Archive& archive, T& value) {
  if constexpr (has_version<T>) {
    const version_of_archive<T, Archive> version(archive);
    value.serialize(archive);
  } else {
    value.serialize(archive);
  }
}

/// Writers pass const values; readers pass mutable ones.
template <class Archive, class T>
void process(Archive& archive, T& value) {
  using plain = std::remove_const_t<T>;
  constexpr kind k = kind_of<plain>();
  if constexpr (k == kind::bits) {
    archive.bytes(std::addressof(value), sizeof value);
  } else if constexpr (k == kind::member) {
    const typename Archive::level level(archive);
    if constexpr (Archive::reading) {
      const reader::whole what_may_be_temporary(archive);
      process_member(archive, value);
    } else {
      const writer::copying what_may_be_temporary(archive);
      process_member(archive, const_cast<plain&>(value));  // one function serves both directions
    }
  } else if constexpr (k == kind::foreign) {
    const typename Archive::level level(archive);
    auto& changeable = const_cast<plain&>(value);  // one function serves both directions
    if constexpr (Archive::reading) {
      const reader::whole what_may_be_temporary(archive);
      process_foreign(archive, changeable);
    } else {
      const writer::copying what_may_be_temporary(archive);
      process_foreign(archive, changeable);
    }
  } else if constexpr (k == kind::boolean) {
    const bool result = process_choice(archive, static_cast<std::uint8_t>(value), 2, "a bool") != 0;
    if constexpr (Archive::reading) value = result;
  } else if constexpr (k == kind::enumeration) {
    auto number = static_cast<std::underlying_type_t<plain>>(value);
    process(archive, number);
    if constexpr (Archive::reading) value = static_cast<plain>(number);
  } else if constexpr (k == kind::array) {
    for (auto& element : value) process(archive, element);
  } else if constexpr (k == kind::tuple) {
    process_tuple(archive, value, std::make_index_sequence<std::tuple_size_v<plain>>{});
  } else if constexpr (k == kind::optional || k == kind::owner) {
    process_optional(archive, value);
  } else if constexpr (k == kind::variant) {
    process_variant(
        archive, value,
        []<template <class...> class Variant, class... Alternative>(const Variant<Alternative...>&) {
          return std::index_sequence_for<Alternative...>{};
        }(value));
  } else if constexpr (k == kind::view) {
    process_view(archive, value);
  } else if constexpr (k == kind::bit_vector) {
    process_bit_vector(archive, value);
  } else if constexpr (k == kind::bit_set) {
    if constexpr (Archive::reading)
      read_bits(archive, value);
    else
      write_bits(archive, value);
  } else if constexpr (k == kind::block) {
    process_block(archive, value);
  } else if constexpr (k == kind::map) {
    if constexpr (Archive::reading) {
      const reader::whole keys(archive);
      process_map(archive, value);
    } else {
      const writer::copying keys(archive);  // keys are compared while they are read
      process_map(archive, value);
    }
  } else if constexpr (k == kind::sequence) {
    process_sequence(archive, value);
  } else if constexpr (k == kind::set) {
    if constexpr (Archive::reading) {
      const reader::whole keys(archive);
      process_set(archive, value);
    } else {
      const writer::copying keys(archive);
      process_sequence(archive, value);
    }
  } else if constexpr (k == kind::aggregate) {
    constexpr std::size_t fields = count_initialisers<plain>() - count_bases<plain, true>();
    visit_fields<fields>(value, [&archive](auto&... field) { (process(archive, field), ...); });
  }
}

}  // namespace detail

template <class... T>
writer& writer::operator()(const T&... values) {
  (detail::check_archivable<T>(), ...);
  if constexpr ((detail::archivable<T> && ...)) (detail::process(*this, values), ...);
  return *this;
}

template <class... T>
reader& reader::operator()(T&... values) {
  (detail::check_archivable<T>(), ...);
  if constexpr ((detail::archivable<T> && ...)) (detail::process(*this, values), ...);
  return *this;
}

}  // namespace imbrex
