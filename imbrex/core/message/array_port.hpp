// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include <imbrex/core/message/durable_names.hpp>
#include <imbrex/core/message/message.hpp>

namespace imbrex::detail {

/// Throws serial_error: a port for values of `type` was expected in place of this kind.
[[noreturn]] void throw_other_port(const message_type& kind, std::string_view type);

/// A port for values V in each element of an array with dense indices, by which others send to it. It can be
/// copied and archived. A default-constructed one names no port.
template <class V>
class array_port {
 public:
  array_port() = default;
  /// `kind`: a port for values V. `collection`: the array's number in a proxy.
  array_port(const message_type& kind, std::uint64_t collection) : kind_(&kind), collection_(collection) {}

  explicit operator bool() const { return kind_ != nullptr; }
  bool operator==(const array_port&) const = default;
  /// The names of the chare class and of the port.
  const message_type& kind() const { return *kind_; }
  std::uint64_t collection() const { return collection_; }

  /// Sends a value, which is moved from, to the element with this number. Call it on a PE, and only if there
  /// is a port.
  void send(std::uint64_t to, std::int64_t reference, V&& value) const {
    kind_->post(collection_, to, reference, &value);
  }

  void serialize(auto& ar) {
    if (auto* const names = names_of(ar)) [[unlikely]]
      return archive_by_name(*names, ar);
    std::uint32_t kind = kind_ != nullptr ? kind_->id : none;
    ar(kind, collection_);
    if constexpr (std::remove_cvref_t<decltype(ar)>::reading)
      kind_ = kind != none ? &message_table::at(kind) : nullptr;
  }

 private:
  void archive_by_name(auto& names, auto& ar) {
    bool names_one = kind_ != nullptr;
    ar(names_one);
    if (!names_one) return static_cast<void>(*this = {});
    if constexpr (std::remove_cvref_t<decltype(ar)>::reading) {
      kind_ = &names.read_kind(ar);
      if (kind_->posts != type_name<V>()) throw_other_port(*kind_, type_name<V>());
    } else {
      names.write_kind(*kind_, ar);
    }
    archive_collection(names, collection_, ar);
  }

  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  const message_type* kind_ = nullptr;
  std::uint64_t collection_ = 0;
};

}  // namespace imbrex::detail
