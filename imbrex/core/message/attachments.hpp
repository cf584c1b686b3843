// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attachments are memory that is sent with a message beside its bytes. These functions find them in arguments
// and values. Programs without attachments need no header of their types.

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

#include <imbrex/core/message/durable_names.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::detail {

class attachment;
class bound_port;
struct work;

/// The way attachments travel with a message kind. For a `message` the receiver provides target memory;
/// `channel` is a channel of attachments; the messages of a `collective` only name the memory; a `piece` is
/// part of a message.
enum class attachment_use : std::uint8_t { message, channel, collective, piece };

/// The attachments of a message kind.
struct attachment_type {
  /// Finds the attachments of a message; null if this kind has none.
  void (*collect)(work& message, std::vector<attachment*>& found) = nullptr;
  /// True if the PE has sent the same attachments before, by another message; null if that is never so.
  bool (*is_repeated)(const work& message) = nullptr;
  /// Finds the attachments of unread values of a chare's port; null unless this is a port.
  void (*collect_unread)(void* chare, std::vector<attachment*>& found) = nullptr;
  /// The port of a chare, if it refers to memory of the chare; null for ports that never do.
  bound_port& (*bound)(void* chare) = nullptr;
  /// The chare class that has the port, or whose chares this kind moves; null for other kinds.
  const std::type_info* chare_class = nullptr;
  /// For a kind that moves chares: the first port of their class with attachments. For such a port: the next
  /// one. `message_table::number` builds the list.
  const attachment_type* next_port = nullptr;
  attachment_use use = attachment_use::message;

  bool moves_chares() const { return chare_class != nullptr && collect_unread == nullptr; }
};

/// `attachment_type::collect` for messages M that list their attachments by `collect`.
template <class M>
void collect_from(work& message, std::vector<attachment*>& found) {
  static_cast<M&>(message).collect(found);
}

template <class T, class Visit>
void visit_attachments(T& value, Visit& visit);

template <class T, class Visit, template <class...> class Template, class... Alternative>
void visit_alternatives(T& value, Visit& visit, const Template<Alternative...>*) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    static_cast<void>(((value.index() == I && (visit_attachments(get<I>(value), visit), true)) || ...));
  }(std::index_sequence_for<Alternative...>());
}

/// Calls visit(object) for each object in the value that has an attachment, in order.
template <class T, class Visit>
void visit_attachments(T& value, Visit& visit) {
  if constexpr (is_attachment<T>) {
    visit(value);
  } else if constexpr (carries_attachments<T>) {
    constexpr kind k = kind_of<T>();
    if constexpr (k == kind::aggregate) {
      constexpr std::size_t fields = count_initialisers<T>() - count_bases<T, true>();
      visit_fields<fields>(value, [&visit](auto&... field) { (visit_attachments(field, visit), ...); });
    } else if constexpr (k == kind::tuple) {
      std::apply([&visit](auto&... element) { (visit_attachments(element, visit), ...); }, value);
    } else if constexpr (k == kind::variant) {
      visit_alternatives(value, visit, static_cast<const T*>(nullptr));
    } else if constexpr (k == kind::optional || k == kind::owner) {
      if (value) visit_attachments(*value, visit);
    } else if constexpr (k == kind::map) {
      for (auto& [key, mapped] : value) visit_attachments(mapped, visit);
    } else {
      static_assert(k == kind::array || k == kind::sequence);
      for (auto& element : value) visit_attachments(element, visit);
    }
  }
}

/// True of types that have another form in what outlives a run: `archive_durably(names, value, archive)`.
template <class T>
concept has_durable_form =
    requires(T& value, name_writer& names, writer& out) { archive_durably(names, value, out); };

/// Writes or reads an argument of an entry or a value of a mailbox. Senders have checked that its type can be
/// serialised.
template <class Archive, class T>
void process_in_message(Archive& archive, T& value) {
  if constexpr (has_durable_form<T>)
    if (auto* const names = names_of(archive)) [[unlikely]]
      return archive_durably(*names, value, archive);
  if constexpr (carries_attachments<T>)
    process(archive, value);
  else
    archive(value);
}

/// Adds the attachments that a value holds.
template <class T>
void collect_attachments(T& value, std::vector<attachment*>& parts) {
  auto add = [&parts](auto& object) { parts.push_back(object.part()); };
  visit_attachments(value, add);
}

template <class T>
bool holds_attachments(T& value) {
  bool holds = false;
  auto see = [&holds](auto&) { holds = true; };
  visit_attachments(value, see);
  return holds;
}

/// False for objects whose target memory the receiver provides later: those that have a constant
/// `is_placed_by_receiver`.
template <class T>
inline constexpr bool lands_by_itself = !requires { requires T::is_placed_by_receiver; };

/// Calls `land_attachment` for each attachment in the value. The header of the attachments' type declares
/// that function.
template <class T>
void land_attachments(T& value) {
  if constexpr (carries_attachments<T>) {
    auto land = []<class Object>(Object& object) {
      if constexpr (lands_by_itself<Object>) land_attachment(*object.part());
    };
    visit_attachments(value, land);
  }
}

}  // namespace imbrex::detail
