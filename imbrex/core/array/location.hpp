// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/owner.hpp>
#include <imbrex/base/standard/sort.hpp>
#include <imbrex/core/array/chare.hpp>
#include <imbrex/core/array/collection_base.hpp>
#include <imbrex/core/message/record_of_parts.hpp>
#include <imbrex/core/name/key_map.hpp>
#include <imbrex/core/pe/failures.hpp>
#include <imbrex/core/pe/part_request.hpp>
#include <imbrex/net/packing.hpp>

namespace imbrex::detail {

/// A message to one element.
template <class Key>
struct element_message : message {
  Key key{};

  /// False if the message is for an earlier element with the key.
  bool is_for(const chare_header& e) const { return !of_one_life || born() == e.born; }
};

/// The last known location of an element.
struct location {
  std::int32_t pe;      ///< `nowhere` after its destruction
  std::uint64_t epoch;  ///< the element's epoch on arrival there; higher is newer
  std::uint64_t born;   ///< the epoch at which its life began
};
inline constexpr std::int32_t nowhere = -1;

/// The source of a PE's knowledge of an element's location.
enum class place_kind : std::uint8_t {
  leaves,     ///< has left here, and is not known to have arrived
  is_away,    ///< at the home: is at the recorded location
  has_left,   ///< has left here, and has arrived at the recorded location or a later one; may be forgotten
  is_cached,  ///< was at the recorded location; may be forgotten
  has_ended   ///< at the home: was destroyed; may be forgotten
};

struct known_place {
  location last;
  place_kind what;
  std::uint8_t age = 0;  ///< number of forgetting passes since the last news or use
  std::int32_t notified_pe =
      -1;  ///< the PE with the highest lot among those notified of this location; -1: none
};

template <class Key>
struct element_tables;

template <class Key>
struct key_hasher {
  std::size_t operator()(const Key& key) const { return static_cast<std::size_t>(key_hash(key)); }
};

/// The state that broadcasts need about a migration (`broadcast_station::confirmed`).
struct caught_up {
  std::uint64_t left_with = 0;
  std::uint64_t until = 0;

  void serialize(auto& ar) { ar(left_with, until); }
};

/// The arrival of an element on the PE that reports it.
template <class Key>
struct arrival_report {
  Key key{};
  location where{};
  caught_up broadcast_state;

  void serialize(auto& ar) { ar(key, where, broadcast_state); }
};

template <class Index>
struct follower;

/// One PE's part of an array: the elements here, and the destinations of messages to others.
///
/// Each element has a home, the PE of its placement. The home is notified of each arrival and of the end, and
/// then notifies the PE that the element has left. Other PEs are notified of a location only after the
/// element has arrived there. So a message that finds no element is always too late, never too early. The
/// message goes
/// - to the PE to which the element went from here, if that is still known, and the sender is notified;
/// - else to the home, where the message waits if the element has not been inserted, and is an error if it
///   was destroyed. The home knows a newer location than this PE: it was notified before this PE could
///   forget.
///
/// The exception is a message for an element that is not known to have arrived. Such a message follows the
/// element at once; otherwise it might never reach an element that soon moves on. The message is sent in a
/// `follower`, which carries the epoch with which the element will arrive. A follower that has overtaken the
/// element goes home, and waits there for news with that epoch or a newer one. Each hop goes to a newer
/// location, so a message arrives exactly once and cannot run in circles. News of an element carries the
/// epoch of the reported event; each move, end and insertion raises it. News that is older than the known
/// state is ignored. Copies of broadcasts and restarts of entries are for one life of an element. They are
/// refused if they find a later element with the key.
///
/// Other knowledge may be forgotten: locations reported by others, destinations of elements that have left,
/// and keys whose elements have ended. Dense arrays need no record of the last: all of their elements have
/// existed. A location that messages of this PE use is remembered. Others are forgotten
/// - after some thousands of news, for destinations of elements that left here, and for ended elements;
/// - after some periods, for locations reported by other PEs. A period ends at the next message to another PE
///   once more than `period_` locations have been used in it, or reported. `period_` is at least the number
///   used in the preceding period. It doubles while other PEs report locations that this PE had forgotten.
template <class Index>
class element_map : public collection_base {
 public:
  using key = key_type<Index>;
  using header = element_header<Index>;

  element_map(processor& pe, std::uint64_t id, const class_names& of, const array_beginning& begins);
  ~element_map() override;

  header* find(const key& k) const { return elements_.find(k); }

  /// The PE to which a message for an element should be sent. Throws the placement's exceptions.
  int place_of(const key& k) {
    if (elements_.find(k) != nullptr) return pe().pe();
    return knows_places_ ? last_place_of(k) : home_of(k);
  }

  virtual int home_of(const key& k) const = 0;
  /// At the home, for an element that is on no PE: true if it was destroyed, even if no record of it remains.
  virtual bool was_destroyed(const key& k) const = 0;
  virtual std::string key_name(const key& k) const = 0;
  /// At the home: true if a constructor's exception left the array without this element.
  bool was_never_created(const key& k) const {
    return !creation_failure.empty() && is_nowhere(k) && was_destroyed(k);
  }
  /// At the home: true if the element is on no PE.
  bool is_nowhere(const key& k) const { return find(k) == nullptr && known_elsewhere(k) == nullptr; }
  /// At the home, for an element that is on no PE: the reason, such as "was never created".
  const char* why_nowhere(const key& k) const;

  /// Routes a received message whose element is not here.
  void route(element_message<key>& m);

  /// At the home: records the reported location of an element, or its end.
  void record(const key& k, const location& where);
  /// The home has recorded the arrival, or the end, of an element that was here.
  void confirmed(const key& k, const location& where, const caught_up& broadcast_state);
  /// News of an element's location. `is_repeated`: this PE knew the location before, and has used it again.
  void update_location(const key& k, const location& where, bool is_repeated);
  /// A message that was sent after an element has been received.
  void followed(follower<Index>& f);

  void describe_held(std::vector<std::string>& lines, std::size_t most, bool also_migrating) const override;
  std::size_t count_held() const override;
  bool holds_messages() const override;

  /// The least number of newest locations that are remembered, for each kind that may be forgotten.
  static constexpr std::size_t places_remembered = 8192;
  std::size_t places_known() const;

 protected:
  /// Adds an element that was created here or has arrived. If an exception leaves it without a slot, it is
  /// not added.
  void put(header& e);
  /// At the home: an element that was saved lives on another PE from now on.
  void know_saved(const key& k, const location& where) {
    know(k, where, kind::is_away);
    release_held(k);
  }
  /// Removes an element that migrates.
  void take_out(header& e, const location& goes);
  /// Removes an element that has ended.
  void take_out_for_good(header& e);
  /// Reports to the home that an element has arrived from PE `from`.
  void report_arrival(const header& e, int from, const caught_up& broadcast_state);
  void report_arrivals(int from) override;
  /// Removes an element whose location will not be needed any more.
  void remove(header& e);
  void reserve(std::size_t n);
  /// At the home: the location of an element that is on another PE; null if it is on no PE.
  const location* known_elsewhere(const key& k) const;
  /// The location of an element that is inserted after the array's creation.
  location place_of_insertion() const { return {pe().pe(), last_end_ + 1, last_end_ + 1}; }
  /// Refuses messages that wait for elements that will never exist.
  void refuse_held();
  void discard_held() noexcept;

 private:
  using kind = place_kind;
  static constexpr std::size_t kinds = 5;
  using place = known_place;
  static constexpr std::uint8_t oldest = 2;
  static bool may_be_forgotten(kind k) { return k >= kind::has_left; }

  bool before(const chare_header& a, const chare_header& b) const override;
  int last_place_of(const key& k);
  void know(const key& k, const location& where, kind what);
  void forget(const key& k);
  struct counted {
    std::size_t all = 0;
    std::size_t used = 0;
  };
  counted forget_old(kind what);
  void end_period();
  /// A pseudo-random number that ranks PEs differently for each key.
  static std::uint64_t lot(const key& k, std::int32_t pe);
  /// At the home: records the end of an element.
  void end(const key& k, const location& end_location);
  bool is_elsewhere(const key& k) const { return known_elsewhere(k) != nullptr; }
  /// True if the known state of an element is its arrival with this epoch, or newer.
  bool knows_as_new(const key& k, std::uint64_t epoch) const;
  void hold(element_message<key>& m);
  void release_held(const key& k);
  void follow(element_message<key>& m, const location& where);
  void forward(element_message<key>& m, place& known);
  void refuse(element_message<key>& m);

  key_map<key, header> elements_;
  owner<element_tables<key>> tables_;
  bool knows_places_ = false;               ///< false while the table of places is empty
  std::array<std::size_t, kinds> news_{};   ///< news by kind since the last forgetting pass of that kind
  std::size_t period_ = places_remembered;  ///< in locations that were used or reported
  std::size_t places_used_ = 0;             ///< used in this period, or reported
  std::size_t repeated_reports_ = 0;        ///< reports in this period of forgotten locations
  std::uint64_t last_end_ = 0;              ///< the newest epoch of all ended elements of this home
};

/// A PE's knowledge of elements elsewhere, and the messages that wait for elements.
template <class Key>
struct element_tables {
  std::unordered_map<Key, known_place, key_hasher<Key>> known;
  std::unordered_map<Key, std::vector<element_message<Key>*>, key_hasher<Key>> held;
  std::vector<arrival_report<Key>> arrivals;  ///< elements of the bundle that is being delivered
};

/// Notifies a PE of an element's location.
template <class Index>
using location_notification =
    request_to_part<&element_map<Index>::update_location, "notice where an element is">;
/// Notifies the PE that an element has left.
template <class Index>
using location_receipt = request_to_part<&element_map<Index>::confirmed, "receipt of an element">;

/// Functions of requests about arrivals. Static members, since names of function templates lack their index
/// type, and names of messages must differ.
template <class Index>
struct arrival_requests {
  using key = key_type<Index>;
  using map = element_map<Index>;
  using reports = std::vector<arrival_report<key>>;

  /// The home has recorded the arrivals of elements that were here.
  static void confirm(map& part, const reports& arrivals) {
    for (const auto& each : arrivals) part.confirmed(each.key, each.where, each.broadcast_state);
  }
  /// At the home: a PE reports the location of an element that has left PE `from`, or its end.
  static void record(map& home, const key& k, const location& where, int from,
                     const caught_up& broadcast_state);
  /// At the home: a PE reports the arrivals of elements that have left PE `from`.
  static void record_together(map& home, const reports& arrivals, int from);
};
template <class Index>
using location_receipts = request_to_part<&arrival_requests<Index>::confirm, "receipt of elements">;
template <class Index>
using location_report = request_to_part<&arrival_requests<Index>::record, "report where an element is">;
template <class Index>
using location_reports =
    request_to_part<&arrival_requests<Index>::record_together, "report where elements are">;

template <class Index>
void arrival_requests<Index>::record(map& home, const key& k, const location& where, int from,
                                     const caught_up& broadcast_state) {
  home.record(k, where);
  if (from == home.pe().pe())
    home.broadcasts().confirmed(broadcast_state.left_with, broadcast_state.until);
  else
    send_request<location_receipt<Index>>(home, from, k, where, broadcast_state);
}

template <class Index>
void arrival_requests<Index>::record_together(map& home, const reports& arrivals, int from) {
  for (const auto& each : arrivals) home.record(each.key, each.where);
  if (from != home.pe().pe()) return send_request<location_receipts<Index>>(home, from, arrivals);
  for (const auto& each : arrivals)
    home.broadcasts().confirmed(each.broadcast_state.left_with, each.broadcast_state.until);
}

template <class Index>
int element_map<Index>::last_place_of(const key& k) {
  if (places_used_ > period_) [[unlikely]]
    end_period();
  const auto at = tables_->known.find(k);
  if (at == tables_->known.end() || at->second.what == kind::has_ended) return home_of(k);
  if (at->second.age != 0) [[unlikely]] {
    at->second.age = 0;
    ++places_used_;
  }
  return at->second.what == kind::leaves ? pe().pe() : at->second.last.pe;
}

template <class Index>
void element_map<Index>::route(element_message<key>& m) {
  // The message is for an earlier element with the key, or the array is closed.
  if (find(m.key) != nullptr || is_closed()) return refuse(m);
  message_guard guard(m);
  const int home = home_of(m.key);
  guard.release();
  const bool is_home = home == pe().pe();
  const auto at = tables_->known.find(m.key);
  if (at == tables_->known.end()) {
    if (!is_home) return pe().dispatch(m, home);
    // A message for one life was sent after that life had begun, so the element has ended.
    return m.of_one_life || was_destroyed(m.key) ? refuse(m) : hold(m);
  }
  switch (at->second.what) {
    case kind::leaves: {
      const location goes = at->second.last;
      return goes.pe == nowhere ? hold(m) : follow(m, goes);
    }
    case kind::is_away:
    case kind::has_left: return forward(m, at->second);
    case kind::is_cached: return pe().dispatch(m, home);
    case kind::has_ended: return refuse(m);
  }
}

template <class Index>
void element_map<Index>::follow(element_message<key>& m, const location& where) {
  message_guard guard(m);
  auto& f = make_message<follower<Index>>();
  f.collection = id();
  f.priority = m.priority;
  f.key = m.key;
  f.epoch = where.epoch;
  f.hold(guard.release());
  pe().dispatch(f, where.pe);
}

template <class Index>
void element_map<Index>::followed(follower<Index>& f) {
  message_guard guard(f);
  const int home = home_of(f.key);
  if (find(f.key) != nullptr || is_closed() || knows_as_new(f.key, f.epoch))
    return pe().dispatch(*std::exchange(f.content, nullptr), pe().pe());
  guard.release();
  if (home == pe().pe()) return hold(f);
  pe().dispatch(f, home);
}

template <class Index>
bool element_map<Index>::knows_as_new(const key& k, std::uint64_t epoch) const {
  const auto at = tables_->known.find(k);
  if (at == tables_->known.end())
    return home_of(k) == pe().pe();  // then it is the element's end, which may be
                                     // forgotten
  const auto& last = at->second.last;
  switch (at->second.what) {
    case kind::is_away: return last.epoch >= epoch;
    case kind::is_cached: return false;
    default: return last.epoch > epoch;
  }
}

template <class Index>
void element_map<Index>::forward(element_message<key>& m, place& known) {
  const auto asks = static_cast<std::int32_t>(m.origin);
  if (asks != pe().pe()) {
    const bool is_repeated = known.notified_pe == asks;
    if (known.notified_pe < 0 || lot(m.key, asks) > lot(m.key, known.notified_pe)) known.notified_pe = asks;
    send_request<location_notification<Index>>(*this, asks, m.key, known.last, is_repeated);
  }
  pe().dispatch(m, known.last.pe);
}

template <class Index>
std::uint64_t element_map<Index>::lot(const key& k, std::int32_t pe) {
  return (key_hash(k) ^ (static_cast<std::uint64_t>(pe) * 0xbf58476d1ce4e5b9U)) * 0x94d049bb133111ebU;
}

template <class Index>
void element_map<Index>::record(const key& k, const location& where) {
  const auto at = tables_->known.find(k);
  // A location elsewhere would be recorded: without a record, the element has returned since, or has ended.
  if (find(k) == nullptr && at != tables_->known.end()) {
    const auto& last = at->second.last;
    const bool arrives = at->second.what == kind::leaves && where.epoch == last.epoch;
    if (where.epoch > last.epoch || arrives) {
      if (where.pe == nowhere)
        end(k, where);
      else
        know(k, where, kind::is_away);
      release_held(k);
    }
  }
}

template <class Index>
void element_map<Index>::confirmed(const key& k, const location& where, const caught_up& broadcast_state) {
  if (const auto at = tables_->known.find(k);
      at != tables_->known.end() && at->second.what == kind::leaves && at->second.last.epoch == where.epoch) {
    if (where.pe == nowhere)
      forget(k);
    else
      know(k, where, kind::has_left);
    release_held(k);
  }
  if (where.pe != nowhere) this->broadcasts().confirmed(broadcast_state.left_with, broadcast_state.until);
}

template <class Index>
void element_map<Index>::update_location(const key& k, const location& where, bool is_repeated) {
  if (find(k) != nullptr) return;
  const auto at = tables_->known.find(k);
  if (at == tables_->known.end()) {
    if (home_of(k) == pe().pe()) return;
    know(k, where, kind::is_cached);
    ++places_used_;
    if (is_repeated) ++repeated_reports_;
  } else if ((at->second.what == kind::has_left || at->second.what == kind::is_cached) &&
             where.epoch > at->second.last.epoch) {
    know(k, where, at->second.what);
  }
}

template <class Index>
void element_map<Index>::describe_held(std::vector<std::string>& lines, std::size_t most,
                                       bool also_migrating) const {
  for (const auto& [k, messages] : tables_->held) {
    const bool migrates = is_elsewhere(k);
    if (migrates && !also_migrating) continue;
    const std::string why = migrates ? "migrates, and is not known to have arrived" : why_nowhere(k);
    for (const auto* m : messages) {
      if (lines.size() >= most) return;
      lines.push_back("a message for " + key_name(k) + ", entry " + std::string(m->shown_kind().entry_name) +
                      ", sent by PE " + std::to_string(m->origin) + ": that element " + why);
    }
  }
}

template <class Index>
const char* element_map<Index>::why_nowhere(const key& k) const {
  if (was_destroyed(k) || tables_->known.contains(k)) return "has been destroyed";
  return last_end_ == 0 ? "was never created" : "was never created, or destroyed long ago";
}

template <class Index>
bool element_map<Index>::holds_messages() const {
  return !tables_->held.empty();
}

template <class Index>
std::size_t element_map<Index>::places_known() const {
  return tables_->known.size();
}

template <class Index>
std::size_t element_map<Index>::count_held() const {
  std::size_t n = 0;
  for (const auto& [k, messages] : tables_->held) n += is_elsewhere(k) ? 0 : messages.size();
  return n;
}

template <class Index>
void element_map<Index>::put(header& e) {
  const auto news = knows_places_ ? tables_->known.find(e.key) : tables_->known.end();
  add_local(e);
  try {
    elements_.insert(e.key, e);
  } catch (...) {
    remove_local(e);
    throw;
  }
  if (news != tables_->known.end()) {
    tables_->known.erase(news);
    knows_places_ = !tables_->known.empty();
  }
  if (!tables_->held.empty()) release_held(e.key);
}

template <class Index>
void element_map<Index>::take_out(header& e, const location& goes) {
  remove(e);
  know(e.key, goes, kind::leaves);
}

template <class Index>
void element_map<Index>::take_out_for_good(header& e) {
  const location end_location{nowhere, e.epoch + 1, e.born};
  const int home = home_of(e.key);
  if (home == pe().pe()) {
    remove(e);
    return end(e.key, end_location);
  }
  take_out(e, end_location);
  send_request<location_report<Index>>(*this, home, e.key, end_location, pe().pe(), caught_up{});
}

template <class Index>
void element_map<Index>::report_arrival(const header& e, int from, const caught_up& broadcast_state) {
  const location here{pe().pe(), e.epoch, e.born};
  if (auto* const bundle = bundled_arrivals::open()) {
    if (tables_->arrivals.empty()) bundle->arrays.push_back(this->id());
    tables_->arrivals.push_back({e.key, here, broadcast_state});
    return;
  }
  const int home = home_of(e.key);
  if (home == pe().pe())
    send_request<location_receipt<Index>>(*this, from, e.key, here, broadcast_state);
  else
    send_request<location_report<Index>>(*this, home, e.key, here, from, broadcast_state);
}

template <class Index>
void element_map<Index>::report_arrivals(int from) {
  auto arrivals = std::exchange(tables_->arrivals, {});
  std::vector<std::pair<int, std::size_t>> by_home;
  for (std::size_t i = 0; i < arrivals.size(); ++i) by_home.emplace_back(home_of(arrivals[i].key), i);
  std::sort(by_home.begin(), by_home.end());
  std::vector<arrival_report<key>> together;
  for (std::size_t i = 0; i < by_home.size(); ++i) {
    const int home = by_home[i].first;
    together.push_back(std::move(arrivals[by_home[i].second]));
    if (i + 1 < by_home.size() && by_home[i + 1].first == home) continue;
    if (home == pe().pe())
      send_request<location_receipts<Index>>(*this, from, std::exchange(together, {}));
    else
      send_request<location_reports<Index>>(*this, home, std::exchange(together, {}), from);
  }
}

template <class Index>
void element_map<Index>::end(const key& k, const location& end_location) {
  last_end_ = std::max(last_end_, end_location.epoch);
  if (was_destroyed(k))
    forget(k);
  else
    know(k, end_location, kind::has_ended);
}

template <class Index>
void element_map<Index>::remove(header& e) {
  elements_.erase(e.key);
  remove_local(e);
}

template <class Index>
auto element_map<Index>::known_elsewhere(const key& k) const -> const location* {
  const auto at = tables_->known.find(k);
  return at == tables_->known.end() || at->second.what == kind::has_ended ? nullptr : &at->second.last;
}

template <class Index>
void element_map<Index>::know(const key& k, const location& where, kind what) {
  tables_->known.insert_or_assign(k, place{where, what});
  knows_places_ = true;
  if (!may_be_forgotten(what) || what == kind::is_cached) return;
  // The threshold is a quarter of all locations, so that a pass costs only a few steps for each news.
  auto& news = news_[static_cast<std::size_t>(what)];
  if (++news <= std::max(places_remembered, tables_->known.size() / 4)) return;
  news = 0;
  forget_old(what);
}

template <class Index>
void element_map<Index>::forget(const key& k) {
  tables_->known.erase(k);
  knows_places_ = !tables_->known.empty();
}

/// Forgets the oldest locations of one kind, and counts those used since the last pass.
template <class Index>
auto element_map<Index>::forget_old(kind what) -> counted {
  counted left;
  for (auto at = tables_->known.begin(); at != tables_->known.end();) {
    if (at->second.what != what) {
      ++at;
    } else if (at->second.age == oldest) {
      at = tables_->known.erase(at);
    } else {
      ++left.all;
      if (at->second.age++ == 0) ++left.used;
      ++at;
    }
  }
  knows_places_ = !tables_->known.empty();
  return left;
}

/// A PE that repeatedly cycles through many partners remembers all of them, since each is used within two
/// periods. A PE with ever new partners remembers those of some periods, whose length stays constant. A pass
/// costs a few steps for each location that was used or reported.
template <class Index>
void element_map<Index>::end_period() {
  constexpr std::size_t uses_per_repeat = 1024;  // a lower rate of forgotten partners is accepted
  const counted left = forget_old(kind::is_cached);
  if (repeated_reports_ * uses_per_repeat > places_used_)
    period_ *= 2;
  else if (left.all < period_ / 16)
    period_ /= 2;
  period_ = std::max({period_, places_remembered, left.used, tables_->known.size() / 4});
  places_used_ = 0;
  repeated_reports_ = 0;
}

template <class Index>
void element_map<Index>::discard_held() noexcept {
  for (auto& [k, messages] : tables_->held)
    for (auto* m : messages) m->type->destroy(*m);
  tables_->held.clear();
}

template <class Index>
void element_map<Index>::refuse_held() {
  for (auto& [k, messages] : std::exchange(tables_->held, {}))
    for (auto* m : messages) {
      pe().announce(*m, pe().pe());
      pe().push(*m);
    }
}

template <class Index>
bool element_map<Index>::before(const chare_header& a, const chare_header& b) const {
  return key_less(static_cast<const header&>(a).key, static_cast<const header&>(b).key);
}

/// Routes the held messages again.
template <class Index>
void element_map<Index>::release_held(const key& k) {
  const auto at = tables_->held.find(k);
  if (at == tables_->held.end()) return;
  const auto messages = std::move(at->second);
  tables_->held.erase(at);
  for (auto* m : messages) {
    pe().announce(*m, pe().pe());
    pe().push(*m);
  }
}

template <class Index>
void element_map<Index>::refuse(element_message<key>& m) {
  const message_guard guard(m);
  if (m.may_find_none) return answer_none_found(m);
  fail_request(m,
               "a message for " + key_name(m.key) + ", entry " + std::string(m.shown_kind().entry_name) +
                   ", sent by PE " + std::to_string(m.origin),
               this->why_missing(key_name(m.key)));
}

template <class Index>
void element_map<Index>::hold(element_message<key>& m) {
  tables_->held[m.key].push_back(&m);
}

template <class Index>
void element_map<Index>::reserve(std::size_t n) {
  elements_.reserve(n);
}

template <class Index>
element_map<Index>::element_map(processor& pe, std::uint64_t id, const class_names& of,
                                const array_beginning& begins)
    : collection_base(pe, id, of, begins), tables_(make_owner<element_tables<key>>()) {}

template <class Index>
element_map<Index>::~element_map() = default;

/// Carries a message after an element.
template <class Index>
struct follower : element_message<key_type<Index>> {
  std::uint64_t epoch = 0;     ///< the epoch with which the element arrives at the destination
  message* content = nullptr;  ///< the message for the element

  follower() = default;
  follower(const follower&) = delete;
  follower& operator=(const follower&) = delete;
  ~follower() {
    if (content != nullptr) content->type->destroy(*content);
  }

  static inline record_of_parts<follower> type_record{{"message behind an element"}};
  void hold(message& m) noexcept {
    content = &m;
    this->has_attachments = m.has_attachments;
  }
  void collect(std::vector<attachment*>& parts) { content->kind().collect_attachments(*content, parts); }
  void serialize(writer& out) {
    out(this->key, epoch, content->kind().id);
    content->type->pack(*content, out);
  }
  void serialize(reader& in) {
    const reader::level level(in);
    std::uint32_t kind = 0;
    in(this->key, epoch, kind);
    hold(static_cast<message&>(unpacked(message_table::at(kind), in)));
  }
  void deliver() {
    auto& pe = processor::here();
    if (auto* part = pe.collection(this->collection))
      return static_cast<element_map<Index>*>(part)->followed(*this);
    const message_guard guard(*this);
    pe.dispatch(*std::exchange(content, nullptr), pe.pe());
  }
};

// Compiled once, in the library, for what most programs use.
extern template class element_map<index<1>>;
extern template class element_map<index<2>>;
extern template class element_map<index<3>>;

}  // namespace imbrex::detail
