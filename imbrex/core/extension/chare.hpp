// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chares as a front end finds them: elements of this PE, and the way of messages to others.

#include <cstdint>
#include <optional>

#include <imbrex/core/array/collection.hpp>
#include <imbrex/core/extension/message_kind.hpp>
#include <imbrex/core/extension/pe.hpp>

namespace imbrex::extension {

/// One PE's part of an array of Ts: the elements that are here, and where it sends messages for others. A
/// handle, valid on the PE's thread while the array exists.
template <class T>
class local_elements {
 public:
  using index_type = typename T::index_type;
  using key_type = detail::key_type<index_type>;  ///< index or key of the class's elements

  /// The part that the element is in.
  explicit local_elements(const T& element)
      : part_(static_cast<detail::collection<T>*>(detail::element_memory<T>::of(element).home)) {}
  /// This PE's part of the array with this number. Empty if the array is not known here, or this thread is no
  /// PE.
  static std::optional<local_elements> here(std::uint64_t collection) {
    auto* const pe = detail::scheduler::current();
    if (pe == nullptr || pe->pe() == detail::scheduler::no_pe) return std::nullopt;
    auto* const part = detail::part_at<T>(static_cast<detail::processor&>(*pe), collection);
    return part == nullptr ? std::nullopt : std::optional(local_elements(*part));
  }

  /// The number of the array, for messages.
  std::uint64_t collection() const { return part_->id(); }
  /// The element if it is on this PE, else null. It may leave at the end of its entry.
  T* find(const key_type& key) const {
    auto* const found = part_->find(key);
    return found == nullptr ? nullptr : &detail::element_memory<T>::object(*found);
  }
  /// The PE that messages for the element go to, as far as it is known here. Throws the placement's
  /// exceptions.
  int place_of(const key_type& key) const { return part_->place_of(key); }
  /// The PE that the array's placement names for the element.
  int home_of(const key_type& key) const { return part_->home_of(key); }

  /// The shape of a dense array.
  auto shape() const { return part_->shape_for_proxy(); }
  /// True in a group, whose chares never move.
  bool is_group() const { return part_->is_pinned(); }
  /// True of chares that `make_chare` has made.
  bool is_of_singles() const { return part_->is_of_singles(); }

 private:
  explicit local_elements(detail::collection<T>& part) : part_(&part) {}

  detail::collection<T>* part_;
};

/// True if T is a class of chares.
template <class T>
concept chare_class = detail::has_public_index<T>;

/// True if Ts stand for classes that are named at run time.
using detail::stands_for_classes;

/// The chare that follows a header.
template <class T>
T& object_of(chare_header& header) {
  return detail::element_memory<T>::object(static_cast<typename detail::element_memory<T>::header&>(header));
}

/// Sends a message to the element of array `m.collection` with the key `m.key`, wherever it is.
template <class T, class M>
void send_to_element(M& m) {
  detail::dispatch_to_element<T>(detail::processor::running_here(), m);
}

/// Sends a message to the element of a proxy.
template <class T, class M>
void send_to_element(const element<T>& to, M& m) {
  m.collection = detail::processor::running_here().number_of(to.collection());
  m.key = to.key_value();
  m.priority = to.priority();
  send_to_element<T>(m);
}

/// The element that a delivered message is for. If it is not here, returns null: the message was sent on,
/// held or refused, and must not be used.
template <class T, class M>
T* receiver_of(M& m) {
  T* receiver = nullptr;
  detail::deliver_to_element<T>(m,
                                [&](auto& found) { receiver = &detail::element_memory<T>::object(found); });
  return receiver;
}

/// True if the chare has been asked to leave this PE, or to end.
template <class T>
bool is_leaving(const T& chare) {
  const auto& own = detail::element_memory<T>::of(chare);
  return own.destination >= 0 || own.dying;
}

/// True if this is an entry of that chare.
template <class T>
bool is_entry_of(const scope& entry, const T& chare) {
  return entry.chare == &detail::element_memory<T>::of(chare);
}

/// `retry_departure(entry)`: for bodies that can move (`body_kind::can_move`). Call it when such a body waits
/// again: then the chare leaves, if it was asked to.
using detail::retry_departure;

/// The declaration of entry M as types: `result`, `arguments` (a tuple of the types that messages store),
/// `suspends`. For a port: `value_type`.
template <auto M>
using entry_traits = detail::traits_of<M>;
/// True if M is a port and no function.
template <auto M>
inline constexpr bool is_port = detail::is_port<M>;

/// An entry of the class T, for `send`, `call` and `reduce`, that calls `F()(chare, arguments...)`. F has no
/// data. The arguments are of the types A, and arrive as references to const. If the function returns a task,
/// its frame must not refer to them.
template <class T, class F, class... A>
inline constexpr detail::visit_entry<T, F, A...> visit{};

}  // namespace imbrex::extension
