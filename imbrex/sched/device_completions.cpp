// SPDX-License-Identifier: Apache-2.0
#include <imbrex/sched/device_completions.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/device/error.hpp>
#include <imbrex/device/event.hpp>
#include <imbrex/device/flag.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/sched/scheduler.hpp>

namespace imbrex::detail {

namespace {

/// Limit of the turns between two polls, for a PE that adapts: while it finds nothing, the number doubles
/// each time.
constexpr int most_turns_between_looks = 16;

/// Polls of an idle PE between two readings of the clock, which take longer than a poll.
constexpr unsigned looks_between_clocks = 32;

/// Priority of a stream's completions: those of high-priority streams run before messages of default
/// priority.
constexpr std::int8_t priority_of(stream_priority of) { return of == stream_priority::high ? -1 : 0; }

}  // namespace

/// An item that waits for the device, is then queued on its PE, and notifies its receiver there.
class device_completions::completion : public work {
 public:
  completion(device_completions& owner, const receiver& who, stream_priority of)
      : owner_(owner), who_(who), place_(owner.all_.size()) {
    type = &kind;
    priority = priority_of(of);
    owner_.all_.push_back(this);
    ++owner_.pending_;
  }
  completion(const completion&) = delete;
  completion& operator=(const completion&) = delete;
  ~completion() {
    if (!is_notified_) --owner_.pending_;
    owner_.all_[place_] = owner_.all_.back();
    owner_.all_[place_]->place_ = place_;
    owner_.all_.pop_back();
  }

  static void* operator new(std::size_t bytes) { return pool::allocate(bytes); }
  static void operator delete(void* p, std::size_t bytes) noexcept { pool::release(p, bytes); }

  void cancel() noexcept { who_ = {}; }
  /// True if the work is done, or the device has failed.
  bool is_due() {
    try {
      if (!until->done()) return false;
    } catch (const device_error&) {
      failure_ = std::current_exception();
    }
    until.reset();
    return true;
  }
  /// True if it is not due yet, and its receiver has not been notified of a failure.
  bool waits() const { return until && !is_notified_; }
  /// Notifies its receiver of a failure; the device may still refer to the completion.
  void tell(const std::exception_ptr& failure) {
    is_notified_ = true;
    --owner_.pending_;
    const auto who = std::exchange(who_, {});
    if (who.complete != nullptr) who.complete(who.to, failure);
  }
  /// Called by the stream as its host function.
  void operator()() noexcept { owner_.pe_.pe_inbox().post(*this); }

  std::optional<event> until;   ///< done when the completion is due; throws if the device has failed
  completion* after = nullptr;  ///< next completion of the same stream

  static const work_type kind;
  /// Items that check the event when they run, and queue themselves again if it is not done. A callback is no
  /// proof: the device may have failed.
  static const work_type polling_kind;

 private:
  static void run(work& item) {
    const std::unique_ptr<completion> completion_owner(static_cast<completion*>(&item));
    const auto who = std::exchange(completion_owner->who_, {});
    if (who.complete != nullptr) who.complete(who.to, completion_owner->failure_);
  }
  static void ask(work& item) {
    auto& n = static_cast<completion&>(item);
    if (n.owner_.how_ == completion_method::callback) n.owner_.pe_.charge(n.owner_.costs_.callback);
    n.is_due() ? run(item) : n.owner_.pe_.push(item);
  }
  static void drop(work& item) noexcept {
    const std::unique_ptr<completion> completion_owner(static_cast<completion*>(&item));
    if (completion_owner->who_.cancel != nullptr) completion_owner->who_.cancel(completion_owner->who_.to);
  }

  device_completions& owner_;
  receiver who_;
  std::size_t place_;  ///< index in `all_` of its owner
  std::exception_ptr failure_;
  bool is_notified_ = false;
};

const work_type device_completions::completion::kind{"a device's completion", &completion::run,
                                                     &completion::drop, nullptr, nullptr};
const work_type device_completions::completion::polling_kind{
    "a look for a device's completion", &completion::ask, &completion::drop, nullptr, nullptr};

/// Completions by stream, each with an event.
class device_completions::events {
 public:
  explicit events(device& of) : pool_(of) {}

  void cancel() noexcept {
    streams_.clear();
    places_.clear();
  }

  event record(stream& in) {
    event e = pool_.take();
    in.record(e);
    return e;
  }

  void add(std::uint64_t stream, completion& n) {
    if (streams_.size() == streams_.capacity()) streams_.reserve(2 * streams_.size() + 8);
    const auto [found, is_new] = places_.try_emplace(stream, streams_.size());
    if (is_new) {
      streams_.push_back({stream, &n, &n});
    } else {
      auto& s = streams_[found->second];
      s.newest = s.newest->after = &n;
    }
  }

  /// Checks the oldest completion of the next stream, and queues all completions of that stream that are
  /// done.
  bool look(scheduler& pe) {
    if (streams_.empty()) return false;
    if (++next_ >= streams_.size()) next_ = 0;
    return look_at(next_, pe);
  }
  bool look_at_all(scheduler& pe) {
    bool found = false;
    for (std::size_t place = streams_.size(); place-- > 0;) found |= look_at(place, pe);
    return found;
  }
  bool any() const { return !streams_.empty(); }
  /// True if the last `looks` polls included each stream.
  bool are_all(std::size_t looks) const { return looks >= streams_.size(); }

 private:
  struct row {
    std::uint64_t stream;
    completion* oldest;
    completion* newest;
  };
  bool look_at(std::size_t place, scheduler& pe) {
    auto& s = streams_[place];
    bool found = false;
    while (s.oldest != nullptr && s.oldest->is_due()) {
      pe.push(*std::exchange(s.oldest, s.oldest->after));
      found = true;
    }
    if (s.oldest == nullptr) remove(place);
    return found;
  }
  void remove(std::size_t place) {
    places_.erase(streams_[place].stream);
    if (place + 1 != streams_.size()) {
      streams_[place] = streams_.back();
      places_[streams_[place].stream] = place;
    }
    streams_.pop_back();
  }

  event_pool pool_;
  std::vector<row> streams_;  ///< streams with completions
  std::unordered_map<std::uint64_t, std::size_t> places_;
  std::size_t next_ = 0;
};

/// Completions by words that streams write.
class device_completions::flags {
 public:
  explicit flags(device& of) : of_(of) {}

  void cancel() noexcept {
    for (auto& b : blocks_)
      for (std::size_t word = 0; word < words_a_block; ++word)
        if (std::exchange(b->waiting[word], nullptr) != nullptr) ++b->awaited[word];
    std::ranges::fill(lines_, line_use{});  // the words are not used again
    in_use_.clear();
  }

  void add(stream& in, completion& n) {
    if (free_.empty()) grow();
    const std::size_t place = free_.back();
    block& b = *blocks_[place / words_a_block];
    const std::size_t word = place % words_a_block;
    in.write(b.words[word], b.awaited[word]);  // first, since it may throw
    free_.pop_back();
    b.waiting[word] = &n;
    line_use& line = lines_[place / words_a_line];
    if (line.words++ > 0) return;
    line.place = in_use_.size();
    in_use_.push_back(place / words_a_line);
  }

  bool look_at_all(scheduler& pe) {
    bool found = false;
    for (std::size_t place = in_use_.size(); place-- > 0;) found |= look_at(in_use_[place], pe);
    return found;
  }
  /// Compares the words of the next line in use, and queues the completions of written words.
  bool look(scheduler& pe) {
    if (in_use_.empty()) return false;
    if (++next_ >= in_use_.size()) next_ = 0;
    return look_at(in_use_[next_], pe);
  }
  /// True if the last `looks` polls included each line in use.
  bool are_all(std::size_t looks) const { return looks >= in_use_.size(); }

 private:
  static constexpr std::size_t words_a_block = 128;
  static constexpr std::size_t words_a_line = 16;  // 64 bytes
  struct block {
    explicit block(device& of) : words(of, words_a_block) { awaited.fill(1); }
    flag_array words;
    const std::atomic<std::uint32_t>* const at = words.words().data();
    std::array<std::uint32_t, words_a_block> awaited;  ///< next value of each word; no unused word holds it
    std::array<completion*, words_a_block> waiting{};
  };
  struct line_use {
    std::size_t words = 0;  ///< number of words in use
    std::size_t place = 0;  ///< index in `in_use_`, if there are any
  };
  bool look_at(std::size_t line, scheduler& pe) {
    block& b = *blocks_[line * words_a_line / words_a_block];
    const std::size_t first = line * words_a_line % words_a_block;
    bool any = false;  // computed without a branch for each word, and without memory order until one has been
                       // written
    for (std::size_t word = first; word < first + words_a_line; ++word)
      any |= b.at[word].load(std::memory_order_relaxed) == b.awaited[word];
    if (!any) [[likely]]
      return false;
    for (std::size_t i = 0; i < words_a_line; ++i) {
      if (b.at[first + i].load(std::memory_order_acquire) != b.awaited[first + i]) continue;
      completion& n = *std::exchange(b.waiting[first + i], nullptr);
      n.until.reset();
      pe.push(n);
      free_.push_back(line * words_a_line + i);
      ++b.awaited[first + i];
      if (--lines_[line].words == 0) leave(line);
    }
    return true;
  }
  void leave(std::size_t line) {
    const std::size_t place = lines_[line].place;
    in_use_[place] = in_use_.back();
    lines_[in_use_[place]].place = place;
    in_use_.pop_back();
  }
  void grow() {
    lines_.resize(lines_.size() + words_a_block / words_a_line);
    in_use_.reserve(lines_.size());
    blocks_.push_back(std::make_unique<block>(of_));
    const std::size_t first = (blocks_.size() - 1) * words_a_block;
    for (std::size_t place = first + words_a_block; place > first; --place) free_.push_back(place - 1);
  }

  device& of_;
  std::vector<std::unique_ptr<block>> blocks_;
  std::vector<line_use> lines_;      ///< lines of all blocks
  std::vector<std::size_t> in_use_;  ///< lines with words in use
  std::vector<std::size_t> free_;    ///< indices of free words, in all blocks
  std::size_t next_ = 0;
};

/// An item that notifies the waiters of a failed device, one at each turn.
class device_completions::bad_news : public work {
 public:
  bad_news(device_completions& owner, std::exception_ptr why) : owner_(owner), why_(std::move(why)) {
    type = &kind;
    owner_.pe_.push(*this);
  }

 private:
  static const work_type kind;
  static void run(work& item) {
    auto& n = static_cast<bad_news&>(item);
    const auto next = std::ranges::find_if(n.owner_.all_, &completion::waits);
    if (next == n.owner_.all_.end()) return;
    n.owner_.pe_.push(item);  // first, since the next line may throw
    (*next)->tell(n.why_);
  }

  device_completions& owner_;
  const std::exception_ptr why_;
};

const work_type device_completions::bad_news::kind{"a device's failure", &bad_news::run,
                                                   [](work&) noexcept {}, nullptr, nullptr};

device_completions::device_completions(scheduler& pe, device& of, completion_method method,
                                       const polling_interval& when, const completion_costs* charged)
    : pe_(pe),
      of_(of),
      how_(method == completion_method::work_request ? completion_method::polling : method),
      waits_in_notify_(method == completion_method::synchronous && charged == nullptr),
      when_(when),
      costs_(charged != nullptr ? *charged : completion_costs{}),
      events_(std::make_unique<events>(of)) {
  if (method != completion_method::flag) return;
  if (!of.info().can.stream_values)
    throw usage_error(
        "--completion flag: " + of.info().label() +
        " cannot write into host memory in a stream's order; take --completion poll or callback");
  flags_ = std::make_unique<flags>(of);
}

device_completions::~device_completions() = default;

device_completions::completion* device_completions::notify(stream& after, const receiver& who) {
  after.on().check_alive();
  if (&after.on() != &of_)
    throw error(detail::stream_of(after.owner()) + " is of " + after.on().info().label() + ", but PE " +
                std::to_string(pe_.pe()) + " hears of " + of_.info().label() +
                " alone: make streams on gpu()");
  if (after.capturing())
    throw device_error(
        of_.info().label(), after.owner(), "done()",
        "the stream is captured and runs nothing; await it after end_capture and launch(graph)");
  if (waits_in_notify_) {
    after.synchronize();
    return nullptr;
  }
  auto n = std::make_unique<completion>(*this, who, after.priority());
  switch (how_) {
    case completion_method::polling:
      n->until = events_->record(after);
      if (listener_ != nullptr) listener_->awaits(*n, after.number());
      events_->add(after.number(), *n);
      break;
    case completion_method::flag:
      n->until = events_->record(after);
      flags_->add(after, *n);
      break;
    case completion_method::callback:
      n->until = events_->record(after);
      n->type = &completion::polling_kind;
      after.host(*n);
      break;
    case completion_method::user_polling:
      n->until = events_->record(after);
      n->type = &completion::polling_kind;
      n->priority = last_priority;
      pe_.push(*n);
      break;
    case completion_method::synchronous:
      n->until = events_->record(after);
      n->priority = first_priority;  // the PE continues with this completion, not with other items
      events_->add(after.number(), *n);
      break;
    case completion_method::work_request: break;  // replaced by polling in the constructor
  }
  return n.release();
}

void device_completions::discard() noexcept {
  events_->cancel();
  if (flags_) flags_->cancel();
  while (!all_.empty()) all_.back()->type->destroy(*all_.back());
}

void device_completions::cancel(completion& n) noexcept { n.cancel(); }

bool device_completions::blocks() const { return how_ == completion_method::synchronous && events_->any(); }

bool device_completions::is_due_now() {
  return when_.time.count() == 0 || pe_.now() - last_look_ >= when_.time;
}

/// Checks whether the device has failed, which no callback or flag reports.
bool device_completions::check_device() {
  const nanoseconds now = pe_.now();
  if (now - last_check_ < between_checks) return false;
  last_check_ = now;
  return check_completion();
}

bool device_completions::check_completion() {
  if (bad_news_ || all_.empty() || !all_.front()->until) return false;
  try {
    static_cast<void>(all_.front()->until->done());
    return false;
  } catch (const device_error&) {
    if (flags_) flags_->cancel();
    bad_news_ = std::make_unique<bad_news>(*this, std::current_exception());
    return true;
  }
}

bool device_completions::find() {
  if (how_ == completion_method::polling) return events_->look(pe_);
  return how_ == completion_method::flag && flags_->look(pe_);
}

bool device_completions::are_all(std::size_t looks) const {
  return how_ == completion_method::flag ? flags_->are_all(looks) : events_->are_all(looks);
}

bool device_completions::look() {
  bool found = find();
  if (hears_of_no_failure() && ++looks_ % looks_between_clocks == 0) found |= check_device();
  return found;
}

void device_completions::look_beside_work() {
  const bool found = find();
  if (hears_of_no_failure()) static_cast<void>(check_device());
  if (when_.time.count() != 0) {
    last_look_ = pe_.now();
    turns_between_ = 1;
  } else if (when_.turns != 0) {
    turns_between_ = when_.turns;
  } else if (found) {
    turns_between_ = 1;
    looks_in_vain_ = 0;
  } else if (are_all(++looks_in_vain_)) {
    turns_between_ = std::min(turns_between_ * 2, most_turns_between_looks);
    looks_in_vain_ = 0;
  }
  turns_left_ = turns_between_;
}

bool device_completions::look_at_all() {
  bool found = false;
  if (how_ == completion_method::polling) found = events_->look_at_all(pe_);
  if (how_ == completion_method::flag) found = flags_->look_at_all(pe_);
  if (how_ == completion_method::synchronous && events_->look_at_all(pe_)) {
    pe_.charge(costs_.synchronize);
    found = true;
  }
  if (!found && hears_of_no_failure()) found = check_completion();
  return found;
}

}  // namespace imbrex::detail
