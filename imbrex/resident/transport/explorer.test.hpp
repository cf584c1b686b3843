// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/resident/transport/memory.hpp>

/// Runs a small concurrent program in all its interleavings, with all values that relaxed loads may see.
/// Memory is a history of stores for each location. The view of a thread has the stores that it has seen. A
/// release passes the view on with the store; an acquire takes that view over. View-based models of weak
/// memory do the same (Kang et al., POPL 2017). Not modelled: a store that enters the history before an
/// earlier one (2+2W), and loads of later stores (load buffering).
///
/// A case has many interleavings, so deviations are bounded. Without a deviation one thread runs after
/// another, with the newest values. Deviations are preemptions, and loads of old values.
namespace imbrex::resident::test {

/// Memory order that a run omits. Each one must be needed by some case.
enum class weakened {
  none,
  item_release,
  item_acquire,
  count_release,
  count_acquire,
  slot_acquire,
  give_back_release,
  take_acquire,
  signal_release,
  signal_acquire,
  others_release,
  others_acquire
};

/// One run of a case's threads, along one path of choices.
class explorer {
 public:
  static constexpr std::uint32_t most_places = 48;
  static constexpr std::uint32_t most_threads = 4;
  /// Newest store seen, by location. Then the number of plain accesses seen, by thread, and by thread for
  /// which a helper acts.
  using view = std::array<std::uint8_t, most_places + 2 * most_threads>;
  /// Choices: the chosen alternative, and the number of alternatives.
  using path = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  static explorer& now() { return *current_; }

  explorer(path along, weakened without, std::uint32_t most_deviations)
      : path_(std::move(along)), without_(without), most_deviations_(most_deviations) {
    current_ = this;
  }

  // Functions for cases.

  /// Adds a thread, before the run.
  void thread(std::function<void()> body) {
    fibers_.push_back(std::make_unique<fiber>());
    fibers_.back()->body = std::move(body);
  }
  void expect(bool holds, const std::string& otherwise) {
    if (!holds && wrong_.empty()) wrong_ = otherwise;
  }
  /// Lets the thread rest until a location that it has polled has changed. One such change is then seen.
  void pause() {
    me().paused = true;
    step();
    fiber& f = me();
    f.paused = false;
    std::vector<std::uint32_t> changed;
    for (const std::uint32_t p : f.looked_at)
      if (has_news(f, p) && std::find(changed.begin(), changed.end(), p) == changed.end())
        changed.push_back(p);
    ++f.sees[changed[choose(static_cast<std::uint32_t>(changed.size()))]];
    f.looked_at.clear();
  }
  /// Lets another thread go on.
  void step() {
    if (running_) swapcontext(&me().context, &main_);
  }

  // Functions for the memory.

  bool keeps(weakened order) const { return without_ != order; }
  bool running() const { return running_; }
  std::uint32_t add_place() {
    places_.emplace_back().history.push_back({});
    return static_cast<std::uint32_t>(places_.size()) - 1;
  }
  wide_word load(std::uint32_t p, bool acquires) {
    step();
    const std::vector<store>& history = places_[p].history;
    if (!running_) return history.back().value;
    fiber& f = me();
    const auto last = static_cast<std::uint32_t>(history.size()) - 1;
    const std::uint32_t choices = deviations_ < most_deviations_ ? last - f.sees[p] + 1 : 1;
    const std::uint32_t i = last - choose(choices);
    if (i != last) ++deviations_;
    f.sees[p] = static_cast<std::uint8_t>(i);
    f.looked_at.push_back(p);
    join(acquires ? f.sees : f.may_see, history[i].seen);
    join(f.may_see, history[i].others);
    return history[i].value;
  }
  void put(std::uint32_t p, wide_word v, bool releases) {
    step();
    append(p, v, releases, {});
  }
  /// Replaces the newest value by `change` of the old one, unless the old one differs from `expected`.
  /// Returns the old value.
  std::uint32_t replace(std::uint32_t p, const std::function<std::uint32_t(std::uint32_t)>& change,
                        bool releases, bool acquires, const std::uint32_t* expected = nullptr) {
    step();
    const store last = places_[p].history.back();
    const auto old = static_cast<std::uint32_t>(last.value.body);
    if (running_) {
      me().sees[p] = static_cast<std::uint8_t>(places_[p].history.size() - 1);
      join(acquires ? me().sees : me().may_see, last.seen);
    }
    if (expected == nullptr || old == *expected) append(p, {change(old), 0}, releases, last.seen);
    return old;
  }
  /// Acquires everything that earlier loads could have acquired.
  void acquire_all() {
    if (running_) join(me().sees, me().may_see);
  }
  /// Accesses plain memory. The access must be ordered with all others that conflict with it.
  void touch(std::uint32_t p, bool writes) {
    if (!running_) return;
    fiber& f = me();
    const auto ordered = [&](const access& a) {
      return a.thread == now_ || f.sees[most_places + a.thread] >= a.count;
    };
    place& at = places_[p];
    bool fine = std::all_of(at.writes.begin(), at.writes.end(), ordered);
    if (writes) fine = fine && std::all_of(at.reads.begin(), at.reads.end(), ordered);
    expect(fine, "a data race");
    (writes ? at.writes : at.reads).push_back({now_, ++f.sees[most_places + now_]});
  }
  /// Lets a helper act for this thread: it writes plain locations, and then adds 1 to a location. A release
  /// there passes on those writes alone. With `all`, earlier actions of this thread become visible to a
  /// thread that sees the addition and then acquires all.
  void touch_and_add(std::initializer_list<std::uint32_t> written, std::uint32_t p, bool releases, bool all) {
    step();
    const view own_view = me().sees;
    const std::uint32_t helper = most_threads + now_;
    std::vector<store>& history = places_[p].history;
    store s{{history.back().value.body + 1, 0}, history.back().seen};
    for (const std::uint32_t w : written) {
      touch(w, true);
      places_[w].writes.back() = {helper, ++helped_[now_]};
    }
    me().sees = own_view;  // the thread does not know when the helper is done
    if (releases) s.seen[most_places + helper] = helped_[now_];
    if (all) s.others = own_view;
    s.seen[p] = static_cast<std::uint8_t>(history.size());
    history.push_back(s);
  }

  // Functions for the exploration.

  /// Runs the threads to their end, or to an error; then calls `check`.
  void run(const std::function<void()>& check) {
    for (auto& f : fibers_) prepare(*f);
    running_ = true;
    std::uint32_t before = most_threads;
    while (wrong_.empty()) {
      std::vector<std::uint32_t> ready;
      for (std::uint32_t i = 0; i < fibers_.size(); ++i)
        if (can_run(*fibers_[i])) ready.push_back(i);
      if (ready.empty()) break;
      const bool goes_on = std::find(ready.begin(), ready.end(), before) != ready.end();
      now_ = goes_on && deviations_ == most_deviations_
                 ? before
                 : ready[choose(static_cast<std::uint32_t>(ready.size()))];
      if (goes_on && now_ != before) ++deviations_;
      before = now_;
      swapcontext(&main_, &me().context);
    }
    running_ = false;
    for (const auto& f : fibers_) expect(f->over, "a thread waits for ever");
    if (wrong_.empty()) check();
  }
  const std::string& wrong() const { return wrong_; }
  /// The choices of the next run; empty if all have been made.
  path next() {
    while (!path_.empty() && path_.back().first + 1 == path_.back().second) path_.pop_back();
    if (!path_.empty()) ++path_.back().first;
    return std::move(path_);
  }

 private:
  struct store {
    wide_word value;
    view seen{};
    view others{};  ///< view for an acquire that comes after the load
  };
  struct access {
    std::uint32_t thread, count;
  };
  struct place {
    std::vector<store> history;
    std::vector<access> reads, writes;
  };
  struct fiber {
    ucontext_t context{};
    std::vector<char> stack = std::vector<char>(std::size_t{256} << 10U);
    std::function<void()> body;
    view sees{}, may_see{};
    std::vector<std::uint32_t> looked_at;  // locations loaded since the last pause
    bool paused = false, over = false;
  };

  static void join(view& a, const view& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::max(a[i], b[i]);
  }
  static void begin(unsigned low, unsigned high) {
    auto* self = reinterpret_cast<explorer*>(std::uintptr_t{high} << 32U | low);
    self->me().body();
    self->me().over = true;
    swapcontext(&self->me().context, &self->main_);
  }
  void prepare(fiber& f) {
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = f.stack.data();
    f.context.uc_stack.ss_size = f.stack.size();
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&f.context, reinterpret_cast<void (*)()>(begin), 2, static_cast<unsigned>(self),
                static_cast<unsigned>(self >> 32U));
    for (std::uint32_t p = 0; p < places_.size(); ++p)
      f.sees[p] = static_cast<std::uint8_t>(places_[p].history.size() - 1);
  }
  std::uint32_t choose(std::uint32_t of) {
    if (of <= 1) return 0;
    if (at_ == path_.size()) path_.emplace_back(0, of);
    return path_[at_++].first;
  }
  void append(std::uint32_t p, wide_word v, bool releases, const view& before) {
    std::vector<store>& history = places_[p].history;
    store s{v, before, {}};
    if (running_) {
      me().sees[p] = static_cast<std::uint8_t>(history.size());
      if (releases) join(s.seen, me().sees);
      s.seen[p] = static_cast<std::uint8_t>(history.size());
    }
    history.push_back(s);
  }
  fiber& me() { return *fibers_[now_]; }
  bool has_news(const fiber& f, std::uint32_t p) const { return places_[p].history.size() > f.sees[p] + 1U; }
  bool can_run(const fiber& f) const {
    return !f.over && (!f.paused || std::any_of(f.looked_at.begin(), f.looked_at.end(),
                                                [&](std::uint32_t p) { return has_news(f, p); }));
  }

  static inline explorer* current_ = nullptr;
  std::vector<place> places_;
  std::vector<std::unique_ptr<fiber>> fibers_;
  ucontext_t main_{};
  std::uint32_t now_ = 0;
  path path_;
  std::size_t at_ = 0;
  weakened without_;
  std::uint32_t deviations_ = 0, most_deviations_;
  bool running_ = false;
  std::array<std::uint8_t, most_threads> helped_{};
  std::string wrong_;
};

/// Memory of an explorer, in place of `native_memory`.
struct model_memory {
  struct word {
    std::uint32_t place = explorer::now().add_place();
  };
  struct wide {
    std::uint32_t place = explorer::now().add_place();
  };
  struct plain {
    std::uint32_t place = explorer::now().add_place();
    std::uint32_t value = 0;
    operator std::uint32_t() const {  // NOLINT: it stands for a number
      explorer::now().touch(place, false);
      return value;
    }
    plain& operator=(std::uint32_t v) {
      explorer::now().touch(place, true);
      value = v;
      return *this;
    }
  };

  static bool keeps(weakened order) { return explorer::now().keeps(order); }
  static std::uint32_t load(const word& w) { return body(explorer::now().load(w.place, false)); }
  static std::uint32_t poll(const word& w) { return load(w); }
  static void acquired() {
    if (keeps(weakened::count_acquire)) explorer::now().acquire_all();
  }
  static void store(word& w, std::uint32_t v) { explorer::now().put(w.place, {v, 0}, false); }
  static void store_release(word& w, std::uint32_t v) {
    explorer::now().put(w.place, {v, 0}, keeps(weakened::count_release));
  }
  static std::uint32_t load_acquire(const word& w) {
    return body(explorer::now().load(w.place, keeps(weakened::slot_acquire)));
  }
  static std::uint32_t add(word& w, std::uint32_t v) { return sum(w, v, false, false); }
  static std::uint32_t add_acquire_release(word& w, std::uint32_t v) {
    return sum(w, v, keeps(weakened::signal_release), keeps(weakened::signal_acquire));
  }
  static bool compare_exchange_release(word& w, std::uint32_t& expected, std::uint32_t v) {
    const std::uint32_t comparand = expected;
    expected = explorer::now().replace(
        w.place, [v](std::uint32_t) { return v; }, keeps(weakened::give_back_release), false, &comparand);
    return expected == comparand;
  }
  static std::uint32_t exchange_acquire(word& w, std::uint32_t v) {
    return explorer::now().replace(
        w.place, [v](std::uint32_t) { return v; }, false, keeps(weakened::take_acquire));
  }
  static wide_word poll(const wide& w) { return explorer::now().load(w.place, false); }
  static void use(wide_word&) {}
  static void store(wide& w, wide_word v) { explorer::now().put(w.place, v, false); }
  static void store_release(wide& w, wide_word v) {
    explorer::now().put(w.place, v, keeps(weakened::item_release));
  }
  static void acquired(const wide&) {
    if (keeps(weakened::item_acquire)) explorer::now().acquire_all();
  }

 private:
  static std::uint32_t body(wide_word v) { return static_cast<std::uint32_t>(v.body); }
  static std::uint32_t sum(word& w, std::uint32_t v, bool releases, bool acquires) {
    return explorer::now().replace(w.place, [v](std::uint32_t old) { return old + v; }, releases, acquires);
  }
};

/// Result of the exploration of a case.
struct exploration {
  std::uint64_t runs = 0;
  bool complete = false;
  std::string wrong;  ///< error of the last run
};

/// Runs a case until an error is found or all paths have been taken, at most `most_runs` times. A Case makes
/// its threads in its constructor. Its `check` is called at the end.
template <class Case>
exploration explore(weakened without, std::uint32_t deviations, std::uint64_t most_runs) {
  exploration found;
  explorer::path along;
  while (found.runs < most_runs && found.wrong.empty() && !found.complete) {
    explorer one(std::move(along), without, deviations);
    {
      Case c;
      one.run([&] { c.check(); });
    }
    ++found.runs;
    found.wrong = one.wrong();
    along = one.next();
    found.complete = along.empty();
  }
  return found;
}

}  // namespace imbrex::resident::test
