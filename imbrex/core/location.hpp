// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/chare.hpp>
#include <imbrex/core/key_map.hpp>

namespace imbrex::detail {

/// A message to one element.
template <class Key>
struct element_message : message {
  Key key{};

  /// Not if it is of an earlier life of the key.
  bool is_for(const chare_header& e) const { return life == 0 || life == e.life; }
};

/// Where an element was last known to be.
struct location {
  std::int32_t pe;      ///< `nowhere` after its destruction
  std::uint32_t epoch;  ///< of the element when it arrived there: the higher, the newer
  std::uint8_t life;    ///< of the element

  /// Of an element that is inserted after this one was destroyed.
  location next() const { return {pe, epoch + 1, static_cast<std::uint8_t>(life % last_life + 1)}; }
};
inline constexpr std::int32_t nowhere = -1;

/// Where a message for an element should be sent.
struct destination {
  int pe = 0;
  std::uint16_t hint = 0;  ///< `work::location_hint`
};

template <class Key>
struct key_hasher {
  std::size_t operator()(const Key& key) const { return static_cast<std::size_t>(key_hash(key)); }
};

/// One PE's part of an array: which elements are here and where messages to the others go.
///
/// Each element has a home, the PE of its placement, which always knows, or will soon be told, where it is.
/// Others know where it went from here (they forwarded it) or have been told after a message of theirs had to
/// be forwarded. A message for an element that is not here goes
///   - to where the element is known to be, with its epoch there as a hint, and the sender is told; if that is here, the
///     element is on its way here, and the message waits for it;
///   - nowhere yet, if the hint that it came with is newer than what is known here: the element is on its way
///     here;
///   - else home, where it waits if the element has not been inserted, and is an error if it was destroyed.
/// Each hop goes to a newer place, so a message arrives, once, and cannot run in circles. A message of a certain life, a
/// copy of a broadcast or the restart of an entry, is refused where it meets a later element of its key.
template <class Index>
class element_map : public collection_base {
 public:
  using key = key_type<Index>;
  using header = element_header<Index>;

  element_map(processor& pe, std::uint32_t id, std::string_view chare_name, std::uint64_t initial_elements);
  ~element_map() override;

  header* find(const key& k) const { return elements_.find(k); }

  /// Where a message for an element should be sent. Throws what the placement throws.
  destination place_of(const key& k) const {
    if (elements_.find(k) != nullptr) return {pe().pe()};
    return known_.empty() ? destination{home_of(k)} : last_place_of(k);
  }

  virtual int home_of(const key& k) const = 0;
  /// At the home, for an element that is nowhere: true if it has been destroyed though nothing is known of
  /// it.
  virtual bool was_destroyed(const key& k) const = 0;
  virtual std::string key_name(const key& k) const = 0;

  /// A message came for an element that is not here.
  void route(element_message<key>& m);

  /// News of where an element is, or that it is no more.
  void learn(const key& k, const location& where);

  void describe_held(std::vector<std::string>& lines, std::size_t most) const override;
  std::size_t count_held() const override;

 protected:
  /// An element that is here from now on: created, or arrived.
  void put(header& e);
  void take_out(header& e, const location& goes);
  /// The same where nobody will ask any more where it is.
  void remove(header& e);
  void reserve(std::size_t n);
  const location* known(const key& k) const;
  void forget(const key& k);
  void tell(int who, const key& k, const location& where);
  void discard_held() noexcept;

 private:
  bool before(const chare_header& a, const chare_header& b) const override;
  destination last_place_of(const key& k) const;
  void hold(element_message<key>& m);
  void release_held(const key& k);
  void refuse(element_message<key>& m);
  /// The element that a message is held for, which so has been created.
  bool is_on_its_way(const element_message<key>& m) const {
    return m.location_hint != 0 || known_.contains(m.key);
  }

  key_map<key, header> elements_;
  std::unordered_map<key, location, key_hasher<key>> known_;
  std::unordered_map<key, std::vector<element_message<key>*>, key_hasher<key>> held_;
};

template <class Index>
destination element_map<Index>::last_place_of(const key& k) const {
  const location* const last = known(k);
  if (last == nullptr || last->pe == nowhere) return {home_of(k)};
  return {last->pe, static_cast<std::uint16_t>(last->epoch)};
}

template <class Index>
void element_map<Index>::route(element_message<key>& m) {
  if (find(m.key) != nullptr) return refuse(m);  // it is for one that was here before
  const auto at = known_.find(m.key);
  message_guard mine(m);
  const int home = home_of(m.key);
  mine.release();
  const bool is_home = home == pe().pe();
  if (at == known_.end()) {
    if (is_home && was_destroyed(m.key)) return refuse(m);
    if (m.location_hint != 0 || is_home) return hold(m);
    return pe().dispatch(m, home);
  }
  const location where = at->second;
  if (where.pe == nowhere) {
    if (is_home) return refuse(m);
    m.location_hint = 0;
    return pe().dispatch(m, home);
  }
  if (where.pe == pe().pe()) return hold(m);  // the news of it came first
  const auto newer = static_cast<std::int16_t>(m.location_hint - static_cast<std::uint16_t>(where.epoch));
  if (m.location_hint != 0 && newer > 0) return hold(m);
  if (m.origin != static_cast<std::uint32_t>(pe().pe())) tell(static_cast<int>(m.origin), m.key, where);
  m.location_hint = static_cast<std::uint16_t>(where.epoch);
  pe().dispatch(m, where.pe);
}

template <class Index>
void element_map<Index>::learn(const key& k, const location& where) {
  if (find(k) != nullptr) return;
  const auto at = known_.find(k);
  if (at == known_.end()) {
    if (was_destroyed(k)) return;  // old news
    known_.emplace(k, where);
  } else if (static_cast<std::int32_t>(where.epoch - at->second.epoch) > 0) {
    at->second = where;
    if (where.pe == nowhere && was_destroyed(k)) known_.erase(at);
  }
  release_held(k);
}

template <class Index>
void element_map<Index>::describe_held(std::vector<std::string>& lines, std::size_t most) const {
  for (const auto& [k, messages] : held_)
    for (const auto* m : messages) {
      if (is_on_its_way(*m)) continue;
      if (lines.size() >= most) return;
      lines.push_back("a message for " + key_name(k) + ", entry " + std::string(m->kind().entry_name) +
                      ", sent by PE " + std::to_string(m->origin) + ": that element was never created");
    }
}

template <class Index>
std::size_t element_map<Index>::count_held() const {
  std::size_t n = 0;
  for (const auto& [k, messages] : held_)
    for (const auto* m : messages) n += is_on_its_way(*m) ? 0 : 1;
  return n;
}

template <class Index>
void element_map<Index>::put(header& e) {
  elements_.insert(e.key, e);
  add_local(e);
  if (!known_.empty()) known_.erase(e.key);
  if (!held_.empty()) release_held(e.key);
}

template <class Index>
void element_map<Index>::take_out(header& e, const location& goes) {
  remove(e);
  known_[e.key] = goes;
}

template <class Index>
void element_map<Index>::remove(header& e) {
  elements_.erase(e.key);
  remove_local(e);
}

template <class Index>
auto element_map<Index>::known(const key& k) const -> const location* {
  const auto at = known_.find(k);
  return at == known_.end() ? nullptr : &at->second;
}

template <class Index>
void element_map<Index>::discard_held() noexcept {
  for (auto& [k, messages] : held_)
    for (auto* m : messages) m->type->destroy(*m);
  held_.clear();
}

template <class Index>
bool element_map<Index>::before(const chare_header& a, const chare_header& b) const {
  return key_less(static_cast<const header&>(a).key, static_cast<const header&>(b).key);
}

template <class Index>
void element_map<Index>::release_held(const key& k) {
  const auto at = held_.find(k);
  if (at == held_.end()) return;
  const auto messages = std::move(at->second);
  held_.erase(at);
  for (auto* m : messages) {
    pe().announce(*m, pe().pe());
    pe().push(*m);
  }
}

template <class Index>
void element_map<Index>::refuse(element_message<key>& m) {
  const message_guard mine(m);
  if (m.may_find_none) return answer_none_found(m);
  fail_request(m,
               "a message for " + key_name(m.key) + ", entry " + std::string(m.kind().entry_name) +
                   ", sent by PE " + std::to_string(m.origin),
               carried_exception(std::make_exception_ptr(error(key_name(m.key) + " has been destroyed"))));
}

template <class Index>
void element_map<Index>::hold(element_message<key>& m) {
  held_[m.key].push_back(&m);
}

template <class Index>
void element_map<Index>::forget(const key& k) {
  known_.erase(k);
}

template <class Index>
void element_map<Index>::reserve(std::size_t n) {
  elements_.reserve(n);
}

template <class Index>
element_map<Index>::element_map(processor& pe, std::uint32_t id, std::string_view chare_name,
                                std::uint64_t initial_elements)
    : collection_base(pe, id, chare_name, initial_elements) {}

template <class Index>
element_map<Index>::~element_map() = default;

/// Tells a PE where an element is.
template <class Index>
struct location_notice : message {
  key_type<Index> key{};
  location where{};

  static inline message_type type_record = runtime_message_type<location_notice>();
  void serialize(auto& ar) { ar(key, where); }
  void deliver() {
    auto* part = processor::here().collection(collection);
    if (part == nullptr) return processor::here().hold(*this);
    const message_guard mine(*this);
    static_cast<element_map<Index>*>(part)->learn(key, where);
  }
};

template <class Index>
void element_map<Index>::tell(int who, const key& k, const location& where) {
  if (who == pe().pe()) return;
  auto& m = make_message<location_notice<Index>>();
  m.collection = id();
  m.key = k;
  m.where = where;
  pe().dispatch(m, who);
}

// Compiled once, in the library, for what most programs use.
extern template class element_map<index<1>>;
extern template class element_map<index<2>>;
extern template class element_map<index<3>>;

}  // namespace imbrex::detail
