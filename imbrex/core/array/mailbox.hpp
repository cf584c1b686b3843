// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/narrowed.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/core/message/shown_type.hpp>
#include <imbrex/coro/scope.hpp>
#include <imbrex/coro/waiter.hpp>

namespace imbrex {
namespace detail {

using reference_number = narrowed<std::int64_t, reference_words>;

/// The name of a mailbox or channel of the entry's chare.
std::string describe_port(const scope& entry, const void* port);
/// True if the port is a member of the entry's chare.
bool is_own_port(const scope& entry, const void* port);

/// A mailbox's part of a message. The whole message is `owner`, which the mailbox destroys when the value
/// is taken.
struct mailbox_node_base {
  std::int64_t reference = 0;
  mailbox_node_base* earlier = nullptr;  ///< among the unread, in order of arrival
  mailbox_node_base* later = nullptr;
  mailbox_node_base* same_bucket = nullptr;
  message* owner = nullptr;
};
template <class V>
struct mailbox_node : mailbox_node_base {
  V value{};
};

/// The owner of a node of a deserialised mailbox, in place of the message that brought the value.
template <class V>
struct detached_node : message {
  mailbox_node<V> content;
  static inline message_type type_record =
      runtime_message_type<detached_node>({"letter", shown_type<V>::name});
  void serialize(auto& ar) {
    ar(content.reference);
    process_in_message(ar, content.value);
  }
  void deliver() { message_guard guard(*this); }
};

/// Unread nodes in order of arrival. If there are many, they are also indexed by reference number, so that a
/// search stays O(1).
class unread_nodes {
 public:
  std::size_t size() const { return size_; }
  mailbox_node_base* first() const { return first_; }

  void add(mailbox_node_base& l) {
    l.earlier = last_;
    l.later = nullptr;
    (last_ != nullptr ? last_->later : first_) = &l;
    last_ = &l;
    ++size_;
    if (size_ > few || !buckets_.empty()) [[unlikely]]
      put_into_bucket(l);
  }

  /// The oldest node with this reference number, or null.
  mailbox_node_base* find(std::int64_t reference) const {
    mailbox_node_base* l = first_;
    if (buckets_.empty()) {
      while (l != nullptr && l->reference != reference) l = l->later;
    } else {
      l = buckets_[place(reference)].first;
      while (l != nullptr && l->reference != reference) l = l->same_bucket;
    }
    return l;
  }

  void remove(mailbox_node_base& l) {
    (l.earlier != nullptr ? l.earlier->later : first_) = l.later;
    (l.later != nullptr ? l.later->earlier : last_) = l.earlier;
    --size_;
    if (!buckets_.empty()) [[unlikely]]
      take_out_of_bucket(l);
  }
  /// Removes and destroys all nodes.
  void discard() noexcept;

 private:
  static constexpr std::size_t few = 16;
  struct bucket {
    mailbox_node_base* first = nullptr;
    mailbox_node_base* last = nullptr;
  };

  std::size_t place(std::int64_t reference) const {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(reference) * 0x9e3779b97f4a7c15U) >> 32U) %
           buckets_.size();
  }
  void put_into_bucket(mailbox_node_base& l);
  void take_out_of_bucket(mailbox_node_base& l);
  void append(mailbox_node_base& l);

  mailbox_node_base* first_ = nullptr;
  mailbox_node_base* last_ = nullptr;
  std::size_t size_ = 0;
  std::vector<bucket> buckets_;
};

/// Archives unread nodes with values V; read ones replace those that are there.
template <class V>
void archive_unread(auto& ar, unread_nodes& unread) {
  std::uint64_t n = unread.size();
  ar(n);
  if constexpr (std::remove_cvref_t<decltype(ar)>::reading) {
    unread.discard();
    for (; n > 0; --n) {
      auto& m = make_message<detached_node<V>>();
      m.content.owner = &m;
      message_guard guard(m);
      m.serialize(ar);
      unread.add(guard.release().content);
    }
  } else {
    for (auto* l = unread.first(); l != nullptr; l = l->later) {
      ar(l->reference);
      process_in_message(ar, static_cast<mailbox_node<V>*>(l)->value);
    }
  }
}
/// Adds the attachments of unread nodes with values V.
template <class V>
void collect_unread(const unread_nodes& unread, std::vector<attachment*>& parts) {
  for (auto* l = unread.first(); l != nullptr; l = l->later)
    collect_attachments(static_cast<mailbox_node<V>*>(l)->value, parts);
}

/// The part of a mailbox that does not depend on the type of its values.
class mailbox_base {
 public:
  mailbox_base() = default;
  mailbox_base(mailbox_base&& other) noexcept;
  mailbox_base(const mailbox_base&) = delete;
  mailbox_base& operator=(const mailbox_base&) = delete;

  /// A receiver that waits or is about to wait.
  class receiver;

  void put(mailbox_node_base& l);
  /// For values received in the order of their numbers: hands arrived values to the waiting receivers.
  void pass_on();

 protected:
  ~mailbox_base() { unread_.discard(); }

  unread_nodes unread_;
  receiver* first_waiting_ = nullptr;
  receiver** after_last_waiting_ = &first_waiting_;
};

class mailbox_base::receiver : public suspension {
 public:
  /// Waits for the value with this reference number; without a number, for any value.
  receiver(mailbox_base& from, std::optional<std::int64_t> reference)
      : from_(from),
        reference_(reference.value_or(-1)),
        expected_reference_(reference ? &reference_ : nullptr) {}
  /// Waits for the value with number `*next`, once all earlier receivers have theirs. Increments `*next` as
  /// soon as the value is received.
  receiver(mailbox_base& from, std::int64_t* next) : from_(from), expected_reference_(next), next_(next) {}
  /// Only before the receiver is awaited.
  receiver(receiver&& other) noexcept
      : from_(other.from_),
        reference_(other.reference_),
        expected_reference_(other.expected_reference_ == &other.reference_ ? &reference_
                                                                           : other.expected_reference_),
        next_(other.next_) {}

  bool await_ready() { return from_.unread_.first() != nullptr && accept_unread(); }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return suspend(waiter(waiting), waiting.promise().entry());
  }
  bool suspend(const waiter& who, scope& entry) {
    waiter_ = who;
    if (next_ != nullptr) {
      std::int64_t turn = 0;
      for (auto* each = from_.first_waiting_; each != nullptr; each = each->later_) ++turn;
      reference_ = *next_ + turn;  // provided that no earlier receiver gives up
    }
    begin(entry);
    later_ = nullptr;
    before_ = from_.after_last_waiting_;
    *before_ = this;
    from_.after_last_waiting_ = &later_;
    return true;
  }
  std::string description() const final;
  awaited cause() const final;
  bool can_move() const final;

 protected:
  ~receiver() {
    if (before_ != nullptr || got_ != nullptr) [[unlikely]]
      give_up();
  }
  /// The received node.
  mailbox_node_base& take() {
    const bool has_waited = leave_entry();
    if (const auto* const observers = observer_list::here()) [[unlikely]]
      tell_taken(*observers, has_waited);
    return *got_;
  }
  void release() {
    message* m = std::exchange(got_, nullptr)->owner;
    m->type->destroy(*m);
  }

 private:
  friend class mailbox_base;

  /// Takes a node that has already arrived; false if none matches.
  bool accept_unread();
  void give_up() noexcept;
  void tell_taken(const observer_list& observers, bool has_waited) const;
  void accept(mailbox_node_base& l) {
    from_.unread_.remove(l);
    get(l);
  }
  void get(mailbox_node_base& l) {
    got_ = &l;
    if (next_ != nullptr) ++*next_;
  }
  void leave() {
    *before_ = later_;
    (later_ != nullptr ? later_->before_ : from_.after_last_waiting_) = before_;
    before_ = nullptr;
  }

  mailbox_base& from_;
  std::int64_t reference_ = -1;             ///< reference number; for a receiver in order the one shown in
                                            ///< traces; -1 for any
  const std::int64_t* expected_reference_;  ///< the number to wait for; null for any
  std::int64_t* const next_ = nullptr;      ///< counter of the values received in order
  mailbox_node_base* got_ = nullptr;
  receiver* later_ = nullptr;    ///< the next waiting receiver
  receiver** before_ = nullptr;  ///< the pointer to this receiver in the list; null unless waiting
  waiter waiter_;
};

inline void mailbox_base::put(mailbox_node_base& l) {
  for (receiver* r = first_waiting_; r != nullptr; r = r->later_) {
    if (r->expected_reference_ != nullptr && *r->expected_reference_ != l.reference) continue;
    r->leave();
    r->get(l);
    return r->waiter_.resume();
  }
  unread_.add(l);
}

inline void mailbox_base::pass_on() {
  while (receiver* const r = first_waiting_) {
    mailbox_node_base* const l = unread_.find(*r->next_);
    if (l == nullptr) return;
    r->leave();
    r->accept(*l);
    r->waiter_.resume();
  }
}

}  // namespace detail

/// A port of a chare: a public member to which others send values, each with a reference number. The chare's
/// entries receive them in any order: `send<&block::halo>(to, 3, face{...})` there, `co_await
/// halo.receive(3)` here. Values that arrive early are stored. Several entries may wait at once; a value goes
/// to the entry that has waited longest for its reference number.
template <class T>
class mailbox : detail::mailbox_base {
  static_assert(
      !detail::is_view<T>,
      "imbrex: a span in a mailbox or channel would outlive the message it shows: take a value, such as "
      "std::vector");

 public:
  using value_type = T;

  mailbox() = default;
  mailbox(mailbox&& other) noexcept = default;

  class receiver;

  /// Waits for the oldest value with that reference number.
  receiver receive(detail::reference_number reference = 0) {
    return receiver(*this, std::int64_t{reference});
  }
  /// Waits for the oldest value, whatever its reference number.
  receiver receive_any() { return receiver(*this, std::nullopt); }
  /// For a channel: waits for the value with reference number `*next`, and increments `*next`.
  receiver receive_in_order(std::int64_t* next) { return receiver(*this, next); }

  /// Number of values that have arrived and are unread.
  std::size_t size() const { return unread_.size(); }
  /// True if `receive(reference)` would not suspend.
  bool has(detail::reference_number reference) const { return unread_.find(reference) != nullptr; }

  /// For the runtime: stores a value that has arrived.
  using mailbox_base::pass_on;
  using mailbox_base::put;
  /// Unread values migrate with the chare.
  void serialize(auto& ar) { detail::archive_unread<T>(ar, unread_); }
  /// For the runtime: adds the attachments of unread values.
  void collect_unread(std::vector<detail::attachment*>& parts) { detail::collect_unread<T>(unread_, parts); }
};

/// The awaitable of `receive`: co_await it at once.
template <class T>
class [[nodiscard("co_await the value")]] mailbox<T>::receiver final : public detail::mailbox_base::receiver {
 public:
  using detail::mailbox_base::receiver::receiver;
  /// Only before the receiver is awaited; used by when_all and when_any.
  receiver(receiver&& other) noexcept = default;

  T await_resume() {
    T value = std::move(static_cast<detail::mailbox_node<T>&>(take()).value);
    release();
    detail::land_attachments(value);  // the chare may have migrated since the value arrived
    return value;
  }
};

}  // namespace imbrex
