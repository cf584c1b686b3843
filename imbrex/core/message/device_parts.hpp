// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds device memory in the arguments and values of messages. Programs without devices need no device header
// for this.

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include <imbrex/serial/archive.hpp>

namespace imbrex::detail {

class device_part;
class processor;
struct message;

template <class T, class Visit>
void visit_device_memory(T& value, Visit& visit);

template <class T, class Visit, template <class...> class Template, class... Alternative>
void visit_alternatives(T& value, Visit& visit, const Template<Alternative...>*) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    static_cast<void>(((value.index() == I && (visit_device_memory(get<I>(value), visit), true)) || ...));
  }(std::index_sequence_for<Alternative...>());
}

/// Calls visit(object) for each device-memory object that the value holds, in order.
template <class T, class Visit>
void visit_device_memory(T& value, Visit& visit) {
  if constexpr (is_device_memory<T>) {
    visit(value);
  } else if constexpr (carries_device_memory<T>) {
    constexpr kind k = kind_of<T>();
    if constexpr (k == kind::aggregate) {
      constexpr std::size_t fields = count_initialisers<T>() - count_bases<T, true>();
      visit_fields<fields>(value, [&visit](auto&... field) { (visit_device_memory(field, visit), ...); });
    } else if constexpr (k == kind::tuple) {
      std::apply([&visit](auto&... element) { (visit_device_memory(element, visit), ...); }, value);
    } else if constexpr (k == kind::variant) {
      visit_alternatives(value, visit, static_cast<const T*>(nullptr));
    } else if constexpr (k == kind::optional || k == kind::owner) {
      if (value) visit_device_memory(*value, visit);
    } else if constexpr (k == kind::map) {
      for (auto& [key, mapped] : value) visit_device_memory(mapped, visit);
    } else {
      static_assert(k == kind::array || k == kind::sequence);
      for (auto& element : value) visit_device_memory(element, visit);
    }
  }
}

/// Writes or reads an argument of an entry or a value of a mailbox. Senders have checked that its type can be
/// serialised.
template <class Archive, class T>
void process_in_message(Archive& archive, T& value) {
  if constexpr (carries_device_memory<T>)
    process(archive, value);
  else
    archive(value);
}

/// Adds the device-memory parts that a value holds.
template <class T>
void collect_device_parts(T& value, std::vector<device_part*>& parts) {
  auto add = [&parts](auto& object) { parts.push_back(object.part()); };
  visit_device_memory(value, add);
}

template <class T>
bool holds_device_memory(T& value) {
  bool holds = false;
  auto see = [&holds](auto&) { holds = true; };
  visit_device_memory(value, see);
  return holds;
}

/// False for objects whose target memory the receiver provides later: those that have a constant
/// `is_placed_by_receiver`.
template <class T>
inline constexpr bool lands_by_itself = !requires { requires T::is_placed_by_receiver; };

/// Copies a received part to this PE's device if it is not there yet. Enqueues the copies and waits for none
/// of them. Throws imbrex::error if the PE has no device, and `device_out_of_memory`.
void land_device_part(device_part& part);

/// Calls `land_device_part` for each part in the value.
template <class T>
void land_device_memory(T& value) {
  if constexpr (carries_device_memory<T>) {
    auto land = []<class Object>(Object& object) {
      if constexpr (lands_by_itself<Object>) land_device_part(*object.part());
    };
    visit_device_memory(value, land);
  }
}

/// Deserialises a part with elements of `size` bytes. Keeps the address to notify after the copy, if the
/// sender wants a notification.
void read_device_part(reader& in, device_part& part, std::size_t size);

/// False if the run of `pe` has no devices: then nothing can hold device memory.
bool has_devices(const processor& pe);

/// Number of bytes of device memory that a message carries besides its own bytes.
std::size_t device_bytes(message& m);

/// Sends a message to a PE of another process once its device memory is on the host, or followed by the
/// memory in pieces.
void send_from_devices(processor& pe, message& m, int to);

}  // namespace imbrex::detail
