// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#include <tuple>
#include <typeinfo>
#include <utility>

#include <imbrex/core/array/location.hpp>
#include <imbrex/core/array/mailbox.hpp>
#include <imbrex/core/message/member_traits.hpp>
#include <imbrex/core/message/named_entry.hpp>

namespace imbrex::detail {

template <class T>
class collection;

/// "block: block::run of type ...": a spelling that is unique among the entries of the program.
template <class T, auto M>
struct entry_spelling {
  static constexpr std::string_view chare = type_name<T>();
  static constexpr std::string_view between = ": ";
  static constexpr std::string_view member = unique_member_spelling<M>();
  static constexpr std::size_t size = chare.size() + between.size() + member.size();
  static constexpr std::array<char, size + 1> characters = joined<size>({chare, between, member});
  static constexpr std::string_view entry = short_name(member_name<M>());  ///< "run"

  static constexpr std::string_view class_display_name = short_name(chare);
  static constexpr std::string_view scope = "::";
  /// "block::run"
  static constexpr auto display_name =
      joined<class_display_name.size() + scope.size() + entry.size()>({class_display_name, scope, entry});
};

/// `message_type::as_short` of an entry.
template <class T, auto M>
const work_type* short_work_type();

/// The record of an entry method or port.
template <class T, auto M>
struct entry_type : message_type {
  using spelling_type = entry_spelling<T, M>;

  explicit entry_type(const work_type& functions)
      : message_type({spelling_type::characters.data(), spelling_type::size}, spelling_type::chare,
                     spelling_type::entry, functions) {
    this->as_short = short_work_type<T, M>();
    element = [](const work& m) {
      using key = key_type<typename T::index_type>;
      return key_number(static_cast<const element_message<key>&>(static_cast<const message&>(m)).key);
    };
  }
};

/// `work_type::addressee` of messages for an element of a T.
template <class T>
chare_header* addressee_of(const work& item);

/// `work_type::run_at` of messages of type `Message`.
template <class Message>
void run_message_at(work& item, chare_header& addressee) {
  auto& m = static_cast<Message&>(item);
  m.is_for(addressee) ? m.run_on(addressee) : m.deliver();
}

/// The functions of messages of type `Message`, which are for entry M of a T.
template <class Message, class T, auto M>
inline constexpr work_type functions_of_entry = [] {
  work_type functions = functions_of<Message>(entry_spelling<T, M>::display_name.data());
  functions.addressee = &addressee_of<T>;
  functions.run_at = &run_message_at<Message>;
  return functions;
}();

/// Finds this PE's part of the array that a message is for. Null if there is none yet; then the message is
/// held.
template <class T>
collection<T>* part_for(message& m);

/// Calls `deliver` with this PE's part of the array that a message is for; `deliver` takes the message.
/// Without such a part the message is held or refused.
template <class T, class M, class Deliver>
[[gnu::always_inline]] inline void deliver_to_part_of(M& m, Deliver deliver) {
  if (auto* const part = part_for<T>(m)) deliver(*part);
}

/// Calls `deliver` with the element that a message is for; `deliver` takes the message. If the element is
/// not here, the message is forwarded, held or refused.
template <class T, class M, class Deliver>
[[gnu::always_inline]] inline void deliver_to_element(M& m, Deliver deliver) {
  deliver_to_part_of<T>(m, [&](auto& part) __attribute__((always_inline)) {
    auto* const element = part.find(m.key);
    if (element == nullptr || !m.is_for(*element)) [[unlikely]]
      return part.route(m);
    deliver(*element);
  });
}

template <class Arguments>
inline constexpr bool any_carries = false;
template <class... Argument>
inline constexpr bool any_carries<std::tuple<Argument...>> = (carries_attachments<Argument> || ...);

/// Lands the attachments of argument number I. If the chare provides the target memory, calls the chare for
/// it with the preceding arguments.
template <std::size_t I, class T, class Arguments>
void land_argument(T& chare, Arguments& arguments) {
  auto& argument = std::get<I>(arguments);
  [&]<std::size_t... Before>(std::index_sequence<Before...>) {
    if constexpr (requires { argument.land(chare, std::get<Before>(arguments)...); })
      argument.land(chare, std::get<Before>(arguments)...);
    else
      land_attachments(argument);
  }(std::make_index_sequence<I>());
}
template <class T, class... Argument>
void land_arguments(T& chare, std::tuple<Argument...>& arguments) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (land_argument<I>(chare, arguments), ...);
  }(std::index_sequence_for<Argument...>());
}

/// The error for a value that the other end of a channel did not send.
std::exception_ptr second_end();

/// A message for the mailbox or channel M of a T.
template <class T, auto M>
struct port_message : element_message<key_type<typename T::index_type>> {
  using key_of_element = key_type<typename T::index_type>;
  using value_type = typename traits_of<M>::value_type;

  mailbox_node<value_type> content;

  port_message() {
    content.owner = this;
    if constexpr (carries_attachments<value_type>) this->has_attachments = true;
  }
  template <class V>
  port_message(std::int64_t reference, V&& value)
      : content{{.reference = reference, .owner = this}, static_cast<value_type>(std::forward<V>(value))} {
    if constexpr (carries_attachments<value_type>) this->has_attachments = true;
  }

  struct record : entry_type<T, M> {
    record() : entry_type<T, M>(functions_of_entry<port_message, T, M>) {
      this->port_address = [](const void* chare) -> const void* {
        return &(static_cast<const T*>(chare)->*M);
      };
      this->reference = [](const work& m) { return static_cast<const port_message&>(m).content.reference; };
      if constexpr (is_index<typename T::index_type>) {
        message_type::post = &port_message::post;
        message_type::posts = type_name<value_type>();
      }
      if constexpr (carries_attachments<value_type>) {
        static attachment_type own{
            .collect = &collect_from<port_message>,
            .collect_unread =
                [](void* chare, std::vector<attachment*>& found) {
                  (static_cast<T*>(chare)->*M).collect_unread(found);
                },
            .bound = bound_function(),
            .chare_class = &typeid(T),
            .use = lands_by_itself<value_type> ? attachment_use::message : attachment_use::channel};
        this->attachments = &own;
      }
    }
  };
  static inline record type_record{};
  static constexpr auto bound_function() -> bound_port& (*)(void* chare) {
    if constexpr (requires(T& chare) { (chare.*M).bound(); })
      return [](void* chare) -> bound_port& { return (static_cast<T*>(chare)->*M).bound(); };
    else
      return nullptr;
  }
  void collect(std::vector<attachment*>& found) { collect_attachments(content.value, found); }
  void serialize(auto& ar) {
    process_key(this->key, ar);
    ar(content.reference);
    process_in_message(ar, content.value);
  }
  void deliver() {
    deliver_to_element<T>(*this, [this](chare_header& e) { run_on(e); });
  }
  [[gnu::always_inline]] void run_on(chare_header& e) {
    if constexpr (carries_attachments<value_type>) {
      std::exception_ptr thrown;
      try {
        land_attachments(content.value);
      } catch (...) {
        thrown = std::current_exception();
      }
      if (thrown) {
        const message_guard guard(*this);
        return fail_entry(*this, e, std::move(thrown));
      }
    }
    auto& port = element_memory<T>::object(e).*M;
    if constexpr (requires { port.is_of_second_end(content); })
      if (port.is_of_second_end(content)) [[unlikely]] {
        const message_guard guard(*this);
        return fail_entry(*this, e, second_end());
      }
    port.put(content);
  }
  static void post(std::uint64_t collection, std::uint64_t linear, std::int64_t reference, void* value);

  static constexpr bool is_shareable = false;
  port_message& copy() const { return make_message<port_message>(content.reference, content.value); }
};

/// A message for the entry method M of a T.
template <class T, auto M>
struct call_message : element_message<key_type<typename T::index_type>> {
  using traits = traits_of<M>;
  using arguments_type = typename traits::arguments;
  using result = typename traits::result;
  using body = entry_body<typename traits::declared_result>;

  /// True if one set of arguments can serve several elements: the entry does not suspend and moves nothing
  /// out of the arguments.
  static constexpr bool is_shareable = !traits::suspends && traits::only_reads_arguments;

  static constexpr bool carries = any_carries<arguments_type>;

  arguments_type arguments;

  call_message() {
    if constexpr (carries) this->has_attachments = true;
  }
  explicit call_message(const arguments_type& a) : arguments(a) {
    if constexpr (carries) this->has_attachments = true;
  }
  template <class... A>
    requires(sizeof...(A) == traits::arity)
  explicit call_message(std::in_place_t, A&&... a) : arguments(std::forward<A>(a)...) {
    if constexpr (carries) this->has_attachments = true;
  }

  struct record : entry_type<T, M> {
    record() : entry_type<T, M>(functions_of_entry<call_message, T, M>) {
      if constexpr (takes_name<M>)
        this->named = [](const work& m) {
          return kind_of_name(std::get<0>(static_cast<const call_message&>(m).arguments));
        };
      if constexpr (carries) {
        static attachment_type own{.collect = &collect_from<call_message>};
        this->attachments = &own;
      }
    }
  };
  static inline record type_record{};
  void collect(std::vector<attachment*>& found) {
    std::apply([&found](auto&... each) { (collect_attachments(each, found), ...); }, arguments);
  }
  void serialize(auto& ar) {
    process_key(this->key, ar);
    std::apply([&ar](auto&... each) { (process_in_message(ar, each), ...); }, arguments);
  }
  void deliver() {
    deliver_to_element<T>(*this, [this](chare_header& e) { run_on(e); });
  }

  /// Calls the entry; consumes the message.
  [[gnu::always_inline]] void run_on(chare_header& e) {
    if constexpr (traits::suspends) {
      start(e);
    } else {
      const message_guard guard(*this);
      call(e);
    }
  }

  /// Calls an entry that does not suspend, and replies.
  [[gnu::always_inline]] void call(chare_header& e) {
    late_exception thrown;
    try {
      T& chare = element_memory<T>::object(e);
      if constexpr (carries) land_arguments(chare, arguments);
      if constexpr (std::is_void_v<result>) {
        traits::template invoke<T, M>(chare, arguments);
        if (this->reply) send_end(this->origin, this->reply);
      } else {
        auto value = traits::template invoke<T, M>(chare, arguments);
        if (this->reply) send_reply(this->origin, this->reply, std::move(value));
      }
      return;
    } catch (...) {
      thrown.keep();
    }
    fail_entry(*this, e, thrown.take());
  }

  /// Makes another message with the same arguments.
  call_message& copy() const { return make_message<call_message>(arguments); }

 private:
  /// Starts an entry that may suspend. The message lives as long as the entry: its arguments may be views
  /// into it.
  void start(chare_header& e) {
    scope* s = nullptr;
    std::exception_ptr thrown;
    try {
      T& chare = element_memory<T>::object(e);
      if constexpr (carries) land_arguments(chare, arguments);
      auto begun = traits::template invoke<T, M>(chare, arguments);
      s = ::new (pool::allocate(sizeof(scope))) scope();
      s->chare = &e;
      s->request = this;
      s->kind = &body::kind;
      s->body = body::release(std::move(begun));
    } catch (...) {
      thrown = std::current_exception();
    }
    if (thrown) {
      const message_guard guard(*this);
      return fail_entry(*this, e, std::move(thrown));
    }
    s->next = e.entries;
    if (s->next != nullptr) s->next->previous = s;
    e.entries = s;
    if (body::start(s->body, *s, waiter(&finish, s))) finish(s);
  }

  static void finish(void* ended) {
    auto& s = *static_cast<scope*>(ended);
    auto& request = static_cast<call_message&>(*s.request);
    auto thrown = body::take_error(s.body);
    try {
      if (!thrown && request.reply) send_reply(request.origin, request.reply, body::take_result(s.body));
    } catch (...) {  // the result cannot be packed
      thrown = std::current_exception();
    }
    if (thrown) fail_entry(request, *static_cast<chare_header*>(s.chare), std::move(thrown), &s);
    end_scope(s);
  }
};

template <class T, auto M>
struct entry_message_of {
  using type = call_message<T, M>;
};
template <class T, auto M>
  requires is_port<M>
struct entry_message_of<T, M> {
  using type = port_message<T, M>;
};
template <class T, auto M>
using entry_message = typename entry_message_of<T, M>::type;

/// Throws imbrex::error if an integer among the arguments of a message for entry M is too large or too small.
template <class T, auto M, class... A>
void check_integers([[maybe_unused]] const A&... arguments) {
  using spelling = entry_spelling<T, M>;
  if constexpr (!is_port<M>) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (check_integer<std::tuple_element_t<I, typename traits_of<M>::arguments>>(
           spelling::chare, spelling::entry, I + 1, arguments),
       ...);
    }(std::index_sequence_for<A...>());
  } else {
    const auto& value = std::get<sizeof...(A) - 1>(std::tie(arguments...));
    check_integer<typename traits_of<M>::value_type>(spelling::chare, spelling::entry, sizeof...(A), value);
  }
}

/// The kind that reports show for a call of M of a T with these arguments.
template <class T, auto M, class... A>
const message_type& shown_kind_of([[maybe_unused]] const A&... arguments) {
  if constexpr (takes_name<M>) {
    const auto name = [](const auto& first, const auto&...) -> entry_name { return first; };
    if (const auto* const named = kind_of_name(name(arguments...))) return *named;
  }
  return entry_message<T, M>::type_record;
}

}  // namespace imbrex::detail
