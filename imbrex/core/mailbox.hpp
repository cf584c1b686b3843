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

#include <imbrex/core/message.hpp>
#include <imbrex/coro/scope.hpp>

namespace imbrex {
namespace detail {

std::string describe_receive(const scope& entry, const void* port,
                             const std::optional<std::int64_t>& reference, std::size_t unread);

/// What a mailbox knows of a message: its own part, and the whole (`envelope`), which it destroys when the
/// value is taken.
template <class V>
struct letter {
  std::int64_t reference = 0;
  letter* earlier = nullptr;  ///< among the unread, in order of arrival
  letter* later = nullptr;
  letter* same_bucket = nullptr;
  message* envelope = nullptr;
  V value{};
};

/// The envelope of a letter that came out of a serialised mailbox.
template <class V>
struct bare_letter : message {
  letter<V> content;
  static inline message_type type_record = runtime_message_type<bare_letter>();
  void serialize(auto& ar) { ar(content.reference, content.value); }
  void deliver() { message_guard mine(*this); }
};

/// Unread letters in order of arrival; many of them also by reference number, so that finding one stays O(1).
template <class V>
class unread_letters {
 public:
  std::size_t size() const { return size_; }
  letter<V>* first() const { return first_; }

  void add(letter<V>& l) {
    l.earlier = last_;
    l.later = nullptr;
    (last_ != nullptr ? last_->later : first_) = &l;
    last_ = &l;
    ++size_;
    if (!buckets_.empty()) append(l);
    if (size_ > few && size_ > 2 * buckets_.size()) rebuild();
  }

  /// The oldest with that reference, or null.
  letter<V>* find(std::int64_t reference) const {
    if (buckets_.empty()) {
      letter<V>* l = first_;
      while (l != nullptr && l->reference != reference) l = l->later;
      return l;
    }
    letter<V>* l = buckets_[place(reference)].first;
    while (l != nullptr && l->reference != reference) l = l->same_bucket;
    return l;
  }

  void remove(letter<V>& l) {
    (l.earlier != nullptr ? l.earlier->later : first_) = l.later;
    (l.later != nullptr ? l.later->earlier : last_) = l.earlier;
    --size_;
    if (size_ == 0) {
      buckets_.clear();
    } else if (!buckets_.empty()) {
      auto& b = buckets_[place(l.reference)];
      letter<V>* before = nullptr;
      for (letter<V>* at = b.first; at != &l; at = at->same_bucket) before = at;
      (before != nullptr ? before->same_bucket : b.first) = l.same_bucket;
      if (b.last == &l) b.last = before;
    }
  }

 private:
  static constexpr std::size_t few = 16;
  struct bucket {
    letter<V>* first = nullptr;
    letter<V>* last = nullptr;
  };

  std::size_t place(std::int64_t reference) const {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(reference) * 0x9e3779b97f4a7c15U) >> 32U) %
           buckets_.size();
  }
  void append(letter<V>& l) {
    l.same_bucket = nullptr;
    auto& b = buckets_[place(l.reference)];
    (b.last != nullptr ? b.last->same_bucket : b.first) = &l;
    b.last = &l;
  }
  void rebuild() {
    buckets_.assign(4 * size_, {});
    for (letter<V>* l = first_; l != nullptr; l = l->later) append(*l);
  }

  letter<V>* first_ = nullptr;
  letter<V>* last_ = nullptr;
  std::size_t size_ = 0;
  std::vector<bucket> buckets_;
};

}  // namespace detail

/// A port of a chare: a public member to which others send values, each with a reference number, and from
/// which the chare's entries receive them in any order they like: `send<&block::halo>(to, 3, face{...})`
/// there, `co_await halo.receive(3)` here. Values that come early wait. Several entries may wait at once; a
/// value goes to the one that has waited longest for its reference.
template <class T>
class mailbox {
 public:
  using value_type = T;

  mailbox() = default;
  mailbox(mailbox&& other) noexcept : unread_(std::exchange(other.unread_, {})) {}
  mailbox(const mailbox&) = delete;
  mailbox& operator=(const mailbox&) = delete;
  ~mailbox() { discard(); }

  class receiver;

  /// Waits for the oldest value with that reference number.
  receiver receive(std::int64_t reference = 0) { return receiver(*this, reference); }
  /// Waits for the oldest value, whatever its reference number.
  receiver receive_any() { return receiver(*this, std::nullopt); }

  /// Values that have come and not been received.
  std::size_t size() const { return unread_.size(); }
  /// True if `receive(reference)` would not suspend.
  bool has(std::int64_t reference) const { return unread_.find(reference) != nullptr; }

  /// For the runtime: a value has come.
  void put(detail::letter<T>& l);
  /// Unread values migrate with the chare.
  void serialize(auto& ar);

 private:
  void discard() noexcept {
    while (detail::letter<T>* l = unread_.first()) {
      unread_.remove(*l);
      l->envelope->type->destroy(*l->envelope);
    }
  }

  detail::unread_letters<T> unread_;
  receiver* first_waiting_ = nullptr;
};

/// What `receive` gives: co_await it at once.
template <class T>
class [[nodiscard("co_await the value")]] mailbox<T>::receiver final : public suspension {
 public:
  receiver(mailbox& from, std::optional<std::int64_t> reference) : from_(from), reference_(reference) {}
  /// Only before it is awaited; so that when_all and when_any can take it.
  receiver(receiver&& other) noexcept : from_(other.from_), reference_(other.reference_) {}
  ~receiver() {
    leave();
    release();
  }

  bool await_ready() {
    auto* l = reference_ ? from_.unread_.find(*reference_) : from_.unread_.first();
    if (l == nullptr) return false;
    from_.unread_.remove(*l);
    got_ = l;
    return true;
  }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiter) {
    waiter_ = waiter;
    begin(waiter.promise().entry());
    receiver** at = &from_.first_waiting_;
    while (*at != nullptr) at = &(*at)->next_waiting_;
    *at = this;
    waiting_ = true;
  }
  T await_resume() {
    end();
    if (auto* told = suspension_observer::current()) [[unlikely]]
      told->received(*got_->envelope, got_->reference);
    T value = std::move(got_->value);
    release();
    return value;
  }
  std::string description() const override {
    return detail::describe_receive(entry(), &from_, reference_, from_.unread_.size());
  }
  awaited cause() const override { return {trace::wait_cause::mailbox, reference_.value_or(-1)}; }

 private:
  friend class mailbox;

  void leave() {
    if (!waiting_) return;
    receiver** at = &from_.first_waiting_;
    while (*at != this) at = &(*at)->next_waiting_;
    *at = next_waiting_;
    waiting_ = false;
  }
  void release() {
    if (got_ == nullptr) return;
    message* m = got_->envelope;
    got_ = nullptr;
    m->type->destroy(*m);
  }

  mailbox& from_;
  std::optional<std::int64_t> reference_;
  detail::letter<T>* got_ = nullptr;
  receiver* next_waiting_ = nullptr;
  bool waiting_ = false;
  std::coroutine_handle<> waiter_;
};

template <class T>
void mailbox<T>::put(detail::letter<T>& l) {
  for (receiver* r = first_waiting_; r != nullptr; r = r->next_waiting_)
    if (!r->reference_ || *r->reference_ == l.reference) {
      r->leave();
      r->got_ = &l;
      return r->waiter_.resume();
    }
  unread_.add(l);
}

template <class T>
void mailbox<T>::serialize(auto& ar) {
  using archive = std::remove_cvref_t<decltype(ar)>;
  std::uint64_t n = unread_.size();
  ar(n);
  if constexpr (archive::reading) {
    discard();
    for (; n > 0; --n) {
      auto& m = detail::make_message<detail::bare_letter<T>>();
      m.content.envelope = &m;
      detail::message_guard mine(m);
      ar(m.content.reference, m.content.value);
      unread_.add(static_cast<detail::bare_letter<T>&>(mine.release()).content);
    }
  } else {
    for (auto* l = unread_.first(); l != nullptr; l = l->later) ar(l->reference, l->value);
  }
}

}  // namespace imbrex
