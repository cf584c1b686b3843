// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/base/owner.hpp>
#include <imbrex/core/array/collection.hpp>
#include <imbrex/core/array/short_message.hpp>
#include <imbrex/core/message/record_of_parts.hpp>
#include <imbrex/core/message/shown_type.hpp>
#include <imbrex/core/pe/count_sent.hpp>
#include <imbrex/core/pe/local_array.hpp>
#include <imbrex/sched/observer.hpp>

namespace imbrex {
namespace detail {

/// Reports one element's call in a broadcast to the observers of the PE, from here to the end of the block.
class element_turn {
 public:
  element_turn(const scheduler& pe, const message_type& entry, const local_array& part,
               const chare_header& element, const message& broadcast)
      : observers_(pe.element_observers()) {
    if (observers_ != nullptr) [[unlikely]]
      observers_->turn_begins(part, element, entry, broadcast);
  }
  ~element_turn() {
    if (observers_ != nullptr) [[unlikely]]
      observers_->turn_ends();
  }
  element_turn(const element_turn&) = delete;
  element_turn& operator=(const element_turn&) = delete;

 private:
  const observer_list* const observers_;
};

/// Makes a message for entry M. A port takes a value, or a reference number and a value. Throws imbrex::error
/// if an integer is out of range.
template <class T, auto M, class... A>
entry_message<T, M>& make_entry_message(scheduler& pe, A&&... arguments) {
  check_integers<T, M>(arguments...);
  if constexpr (!is_port<M>) {
    return make_message_on<call_message<T, M>>(pe, std::in_place, std::forward<A>(arguments)...);
  } else if constexpr (sizeof...(A) == 1) {
    return make_message_on<port_message<T, M>>(pe, 0, std::forward<A>(arguments)...);
  } else {
    check_reference(arguments...);
    return make_message_on<port_message<T, M>>(pe, std::forward<A>(arguments)...);
  }
}

/// Makes a message for entry M, with the sender as its first argument if the entry has such a parameter.
template <class T, auto M, class... A>
entry_message<T, M>& make_sent_message(scheduler& pe, A&&... arguments) {
  if constexpr (lacks_sender<M, A...>)
    return make_entry_message<T, M>(pe, sender{pe.pe()}, std::forward<A>(arguments)...);
  else
    return make_entry_message<T, M>(pe, std::forward<A>(arguments)...);
}

/// Makes a message for an element of the collection with this number.
template <class T, auto M, class... A>
entry_message<T, M>& make_message_to(scheduler& pe, const element<T>& to, std::uint64_t collection,
                                     const reply_address& reply, A&&... arguments) {
  auto& m = make_entry_message<T, M>(pe, std::forward<A>(arguments)...);
  m.collection = collection;
  m.key = to.key_value();
  m.priority = to.priority();
  m.coalesced = to.is_coalesced();
  if (reply) m.reply = reply;
  return m;
}

template <class Arguments>
inline constexpr bool have_fixed_size = false;
template <class... P>
inline constexpr bool have_fixed_size<std::tuple<P...>> =
    ((kind_of<P>() == kind::bits || std::is_same_v<P, bool>) && ...);
template <class Arguments>
inline constexpr std::size_t fixed_size = 0;
template <class... P>
inline constexpr std::size_t fixed_size<std::tuple<P...>> = (std::size_t{0} + ... + sizeof(P));

/// True if all messages to M are packed into equally many bytes, but for long numbers in their headers.
template <auto M>
inline constexpr bool has_fixed_size = have_fixed_size<typename written_arguments<M>::type>;
/// The packed bytes of a message to M; the header and the key take the fewest.
template <auto M>
inline constexpr std::size_t packed_size_of =
    sizeof(short_header) + 1 + fixed_size<typename written_arguments<M>::type>;

/// The slow path of `post`, for messages that cannot go straight into the queue. Those of fixed size have
/// been counted.
template <class T, auto M, class... A>
[[gnu::noinline]] void post_otherwise(processor& pe, const element<T>& to, std::uint64_t number,
                                      reply_address reply, A&&... arguments) {
  if (pe.sent().must_restart()) [[unlikely]]
    restart_sent(pe);
  auto* const part = part_at<T>(pe, number);
  const int place = part != nullptr ? part->place_of(to.key_value()) : 0;
  if (part != nullptr && !reply && to.priority() == 0) {
    endpoint* const remote_endpoint = pe.endpoint_for_written(place);
    if (remote_endpoint != nullptr) check_integers<T, M>(arguments...);
    const std::size_t written =
        remote_endpoint != nullptr
            ? send_as_bytes<T, M, A...>(*remote_endpoint, place, to, number, arguments...)
            : 0;
    if (written != 0) {
      if constexpr (!has_fixed_size<M>) pe.sent().add(written);
      return;
    }
  }
  auto& m = make_message_to<T, M>(pe, to, number, reply, std::forward<A>(arguments)...);
  if constexpr (!has_fixed_size<M>)
    if (pe.sent().are_read()) count_sent(pe, m);
  if (part == nullptr) return dispatch_to_element<T>(pe, m);
  pe.dispatch(m, place);
}

template <class T, auto M, class... A>
void post(processor& pe, const element<T>& to, reply_address reply, A&&... arguments) {
  if constexpr (lacks_sender<M, A...>) {
    post<T, M>(pe, to, reply, sender{pe.pe()}, std::forward<A>(arguments)...);
  } else {
    const std::uint64_t number = pe.number_of(to.collection());
    bool is_plain = false;
    if constexpr (has_fixed_size<M>)
      is_plain = pe.sent().add(packed_size_of<M>);
    else
      is_plain = pe.sent().are_plain_and_unread();
    if (is_plain) [[likely]] {
      const auto* const part = recent_part<T>(pe, number);
      if (part != nullptr && part->find(to.key_value()) != nullptr) [[likely]]
        return pe.push_plain(make_message_to<T, M>(pe, to, number, reply, std::forward<A>(arguments)...));
    }
    post_otherwise<T, M>(pe, to, number, reply, std::forward<A>(arguments)...);
  }
}

template <class T, auto M>
void port_message<T, M>::post(std::uint64_t collection, std::uint64_t linear, std::int64_t reference,
                              void* value) {
  if constexpr (is_index<typename T::index_type>)
    detail::post<T, M>(processor::here(), element<T>(collection, linear), {}, reference,
                       std::move(*static_cast<value_type*>(value)));
}

/// True if messages for entry or port M of a T have attachments.
template <class T, auto M>
consteval bool entry_carries() {
  if constexpr (is_port<M>)
    return carries_attachments<typename traits_of<M>::value_type>;
  else
    return call_message<T, M>::carries;
}

/// The operation of a broadcast without results.
struct no_operation {};

/// A request to call entry M of every element of an array.
template <class T, auto M, class Op>
struct entry_broadcast final : broadcast_message {
  static constexpr bool reduces = !std::is_same_v<Op, no_operation>;
  using content_type = entry_message<T, M>;
  using index_type = typename T::index_type;
  using value = storable<typename traits_of<M>::result>;
  using key = key_type<index_type>;

  owner<content_type, message_deleter> content;  ///< copied for each element, or shared

  entry_broadcast() { has_attachments = entry_carries<T, M>(); }
  explicit entry_broadcast(content_type& c) : content(&c) { has_attachments = entry_carries<T, M>(); }

  static inline record_of_parts<entry_broadcast> type_record{
      {"broadcast", shown_type<T>::name, member_name<M>()}};
  /// Null while the message is being unpacked.
  const message_type* named_kind() const
    requires takes_name<M>
  {
    return content ? content->kind().named(*content) : nullptr;
  }
  void serialize(auto& ar) {
    if constexpr (std::remove_cvref_t<decltype(ar)>::reading) content.reset(&make_message<content_type>());
    ar(number, pruned);
    content->serialize(ar);
  }
  void collect(std::vector<attachment*>& parts)
    requires(entry_carries<T, M>())
  {
    content->kind().collect_attachments(*content, parts);
  }
  void deliver() {
    if (auto* part = part_at<T>(processor::here(), collection)) return part->broadcasts().receive(*this);
    deliver_otherwise();
  }

  broadcast_message& copy() const override {
    auto& m = make_message<entry_broadcast>(content->copy());
    m.number = number;
    m.pruned = pruned;
    m.priority = priority;
    m.collection = collection;
    m.origin = origin;
    m.reply = reply;
    return m;
  }

  std::size_t deliver_to_locals(local_array& part) override {
    std::size_t n = 0;
    if constexpr (reduces) part.sort_locals();
    const auto& locals = part.locals();
    const std::size_t all = locals.size();
    for (std::size_t i = 0; i < all; ++i) n += locals[i]->broadcasts < number ? 1 : 0;
    // The constructor's exception stands for the replies of missing elements.
    const bool fails = reduces && !part.creation_failure.empty();
    if (fails) ++n;
    if (n == 0) {
      if constexpr (reduces) part.reductions().add_no_answers(number);
      return 0;
    }
    collector<value, Op, key>* results = nullptr;
    if constexpr (reduces) {
      results = new collector<value, Op, key>(n);
      results->give_to_part(part, number);
    }
    std::size_t ordinal = 0;
    element_work turns(part.pe());
    const message_type& kind = content->shown_kind();
    for (std::size_t i = 0; i < all; ++i) {
      auto& e = static_cast<element_header<index_type>&>(*locals[i]);
      if (e.broadcasts >= number) continue;
      e.broadcasts = number;
      turns.begin(e, &kind);
      give(part, e, kind, results, ordinal++);
    }
    if constexpr (reduces)
      if (fails) results->fail(static_cast<std::uint32_t>(ordinal), part.why_missing({}));
    return n;
  }

  void deliver_late(local_array& part, chare_header& e) override {
    auto& late = static_cast<element_header<index_type>&>(e);
    reply_address answer;
    if constexpr (reduces) {
      auto* result = new collector<value, Op, key>(1);
      result->send_to_root(part, number);
      answer = result->expect(0, late.key);
    }
    part.pe().dispatch(message_for(part, late, answer), part.pe().pe());
  }

  void all_delivered([[maybe_unused]] local_array& part, [[maybe_unused]] std::uint64_t elements) override {
    if constexpr (reduces) {
      constexpr bool wants_end_alone = std::is_same_v<Op, completion_operation>;
      part.reductions().expect_answers(number, elements, wants_end_alone, origin, reply);
    }
  }

 private:
  void deliver_otherwise() {
    if (!processor::here().has_ended(collection)) {
      deliver_to_part_of<T>(*this, [this](auto& part) { part.broadcasts().receive(*this); });
    } else if (number == 0 && reply) {
      refuse_ended(*this, shown_type<T>::name);
    } else {
      const message_guard guard(*this);  // the ended array has no elements to call
    }
  }
  content_type& message_for(local_array& part, element_header<index_type>& e, const reply_address& answer) {
    auto& m = content->copy();
    m.collection = part.id();
    m.key = e.key;
    m.priority = priority;
    m.may_find_none = true;
    m.bind(e.born);
    m.reply = answer;
    return m;
  }
  /// Delivers now, unless the machine is to choose the order.
  template <class Collector>
  void give(local_array& part, element_header<index_type>& e, const message_type& kind, Collector* results,
            std::size_t ordinal) {
    reply_address answer;
    if constexpr (reduces) answer = results->expect(ordinal, e.key);
    if (part.pe().separates_broadcasts())
      return part.pe().dispatch(message_for(part, e, answer), part.pe().pe());
    const element_turn turn(part.pe(), kind, part, e, *this);
    if constexpr (content_type::is_shareable) {
      late_exception thrown;
      try {
        T& chare = element_memory<T>::object(e);
        auto& values = content->arguments;
        if constexpr (!reduces) {
          traits_of<M>::template invoke<T, M>(chare, values);
        } else if constexpr (std::is_void_v<typename traits_of<M>::result>) {
          traits_of<M>::template invoke<T, M>(chare, values);
          results->add(ordinal, nothing{});
        } else {
          results->add(ordinal, traits_of<M>::template invoke<T, M>(chare, values));
        }
        return;
      } catch (...) {
        thrown.keep();
      }
      fail_at(e, kind, results, ordinal, thrown.take());
    } else {
      message_for(part, e, answer).run_on(e);
    }
  }
  template <class Collector>
  void fail_at(element_header<index_type>& e, const message_type& kind, [[maybe_unused]] Collector* results,
               [[maybe_unused]] std::size_t ordinal, std::exception_ptr thrown) {
    if constexpr (reduces) {
      results->fail(static_cast<std::uint32_t>(ordinal), thrown_by_entry(e, kind, std::move(thrown)));
    } else {
      fail_run(processor::here(), describe_entry(e, kind) + ": " + describe(thrown));
    }
  }
};

/// Throws imbrex::error if an array that is not here belongs to another run; M is the entry to be called with
/// these arguments.
template <class T, auto M, class... A>
void check_run(const processor& pe, std::uint64_t number, const A&... arguments) {
  const message_type& entry = shown_kind_of<T, M>(arguments...);
  pe.check_run(number, entry.chare_name, entry.entry_name);
}

template <class T, auto M, class Op, class... A>
void post_broadcast(const array<T>& to, const reply_address& reply, A&&... arguments) {
  auto& pe = processor::here();
  const std::uint64_t number = pe.number_of(to.collection());
  if (pe.collection(number) == nullptr) check_run<T, M>(pe, number, arguments...);
  auto& m =
      make_message<entry_broadcast<T, M, Op>>(make_sent_message<T, M>(pe, std::forward<A>(arguments)...));
  m.collection = number;
  m.priority = to.priority();
  m.reply = reply;
  if (pe.sent().are_read()) count_sent(pe, m);
  pe.dispatch(m, root_of(number, pe.num_pes()));
}

/// True if entry M of many Ts accepts arguments of types A.
template <class T, auto M, class... A>
consteval bool broadcast_fits() {
  if constexpr (!entry_fits<T, M, A...>()) {
    return false;
  } else if constexpr (is_port<M>) {
    return true;
  } else {
    constexpr bool copyable = std::is_copy_constructible_v<typename traits_of<M>::arguments>;
    static_assert(copyable,
                  "imbrex: what is broadcast goes to many elements and so must be copyable; a move-only "
                  "argument goes to one, "
                  "by send to an element");
    return copyable;
  }
}

/// True if the results of entry M of many Ts can be reduced by Op.
template <class T, auto M, class Op, class... A>
consteval bool reduction_fits() {
  constexpr bool returns = !std::is_void_v<typename traits_of<M>::result>;
  static_assert(returns, "imbrex: this entry returns nothing that could be reduced: use call");
  constexpr bool is_kept = !is_view<typename traits_of<M>::result>;
  static_assert(is_kept,
                "imbrex: a span only shows what lies with the chare that returns it: return a value, such as "
                "std::vector");
  if constexpr (!returns || !is_kept) {
    return false;
  } else if constexpr (!operation_fits<Op, storable<typename traits_of<M>::result>>()) {
    return false;
  } else {
    return broadcast_fits<T, M, A...>();
  }
}

/// True if entry M of many Ts can be called without a reduction of results.
template <class T, auto M, class... A>
consteval bool call_of_all_fits() {
  constexpr bool returns = !std::is_void_v<typename traits_of<M>::result>;
  static_assert(!returns,
                "imbrex: this entry returns a value for each element: say by reduce how to combine them");
  if constexpr (returns) {
    return false;
  } else {
    return broadcast_fits<T, M, A...>();
  }
}

}  // namespace detail

/// Sends a message to an entry method, or a value to a mailbox or channel (its reference number first, 0 if
/// left out). Asynchronous: returns at once and drops the entry's result; an exception in the entry ends the
/// run. Arguments are moved or copied into the message.
template <auto M, class T, class... A>
void send(const element<T>& to, A&&... arguments) {
  if constexpr (detail::entry_fits<T, M, A&&...>())
    detail::post<T, M>(detail::processor::here(), to, {}, std::forward<A>(arguments)...);
}

/// Sends a message to every element of an array.
template <auto M, class T, class... A>
void send(const array<T>& to, A&&... arguments) {
  if constexpr (detail::broadcast_fits<T, M, A&&...>())
    detail::post_broadcast<T, M, detail::no_operation>(to, {}, std::forward<A>(arguments)...);
}

/// Sends a message to the group's chare on each PE.
template <auto M, class T, class... A>
void send(const group<T>& to, A&&... arguments) {
  send<M>(to.members(), std::forward<A>(arguments)...);
}

/// Reports at compile time how to send to a chare that is passed itself, or by a pointer.
template <auto M, class To, class... A>
  requires(std::is_pointer_v<std::remove_cvref_t<To>> || requires { &std::remove_cvref_t<To>::peers; })
void send(To&&, A&&...) {
  static_assert(
      std::is_void_v<To>,
      "imbrex: a message goes to a proxy, wherever its chare is: self(), peers()[i], what make_array "
      "and its like return");
}

template <class T>
template <auto M, class... A>
pending<typename detail::traits_of<M>::result> element<T>::call(A&&... arguments) const {
  using result_type = pending<typename detail::traits_of<M>::result>;
  constexpr bool has_result = !detail::is_port<M>;
  static_assert(has_result, "imbrex: a mailbox or channel has no result to await: use send");
  if constexpr (!has_result) {
    return result_type("nothing");
  } else if constexpr (!detail::entry_fits<T, M, A&&...>()) {
    return result_type("nothing");
  } else {
    auto& pe = detail::processor::here();
    result_type result(pe, "the result of", &detail::shown_kind_of<T, M>(arguments...));
    detail::post<T, M>(pe, *this, result.address(), std::forward<A>(arguments)...);
    return result;
  }
}

template <class T>
void element<T>::destroy() const {
  if (collection_ == detail::nothing_created) return;
  auto& pe = detail::processor::here();
  auto& m = detail::make_message<detail::destruction_request<T>>();
  m.collection = pe.number_of(collection_);
  m.key = key_;
  m.priority = priority_;
  detail::dispatch_to_element<T>(pe, m);
}

template <class T>
template <auto M, class Op, class... A>
auto array<T>::reduce(Op, A&&... arguments) const
    -> pending<typename detail::reduction_of<T, M, Op>::result> {
  using result_type = pending<typename detail::reduction_of<T, M, Op>::result>;
  if constexpr (!detail::reduction_fits<T, M, Op, A&&...>()) {
    return result_type("nothing");
  } else {
    result_type result("the reduction of", &detail::shown_kind_of<T, M>(arguments...));
    detail::post_broadcast<T, M, Op>(*this, result.address(), std::forward<A>(arguments)...);
    return result;
  }
}

template <class T>
template <auto M, class... A>
pending<void> array<T>::call(A&&... arguments) const {
  if constexpr (detail::call_of_all_fits<T, M, A&&...>()) {
    pending<void> result("the end of all", &detail::shown_kind_of<T, M>(arguments...));
    detail::post_broadcast<T, M, detail::completion_operation>(*this, result.address(),
                                                               std::forward<A>(arguments)...);
    return result;
  } else {
    return pending<void>("nothing");
  }
}

template <class T>
T* group<T>::local() const {
  auto& pe = detail::processor::here();
  const std::uint64_t number = pe.number_of(members_.collection());
  auto* part = pe.collection(number);
  if (part == nullptr) pe.check_run(number, detail::shown_type<T>::name);
  auto* e = part != nullptr ? detail::checked<T>(*part).find(static_cast<std::uint64_t>(pe.pe())) : nullptr;
  if (e == nullptr)
    detail::throw_not_here(part != nullptr ? part->shown_name() : detail::shown_type<T>::name, pe.pe());
  return &detail::element_memory<T>::object(*e);
}

}  // namespace imbrex
