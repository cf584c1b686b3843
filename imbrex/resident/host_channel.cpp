// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/host_channel.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/base/host/background_thread.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/resident/host_line.hpp>

namespace imbrex::resident::detail {
namespace {

constexpr std::chrono::microseconds first_pause{20}, longest_pause{500};
constexpr std::size_t line_bytes = 128;  ///< keeps words of the two sides in different cache lines

/// Size of one word per ring. The last ring is the host's.
std::size_t words_bytes(std::uint32_t pes) {
  return (std::size_t{pes + 1} * sizeof(std::uint32_t) + line_bytes - 1) / line_bytes * line_bytes;
}
std::uint32_t slot_bytes(const settings& s) { return s.host_bytes + std::uint32_t{sizeof(host_slot)}; }
constexpr std::uint32_t records_each = 1024;
std::size_t memory_bytes(const settings& s, std::uint32_t pes, bool is_traced) {
  const std::size_t rings =
      3 * words_bytes(pes) + line_bytes + std::size_t{pes + 1} * s.host_slots * slot_bytes(s);
  const std::size_t records = std::size_t{pes} * records_each * sizeof(entry_record);
  return rings + (is_traced ? 3 * words_bytes(pes) + line_bytes + records : 0);
}

}  // namespace

host_channel::host_channel(device& of, const settings& s, std::uint32_t first_pe, std::uint32_t pes,
                           const reporter& names, std::unique_ptr<extension::block_recorder> trace,
                           extension::run_watch run)
    : first_pe_(first_pe),
      pes_(pes),
      names_(names),
      trace_(std::move(trace)),
      run_(std::move(run)),
      has_hosts_clock_(of.info().backend == "emulated"),
      is_linked_(s.gpus > 1),
      memory_(of, memory_bytes(s, pes, trace_ != nullptr)) {
  std::byte* at = memory_.span().data();
  const auto words = [&at](std::size_t bytes) {
    return reinterpret_cast<std::uint32_t*>(std::exchange(at, at + bytes));
  };
  link_.filled = words(words_bytes(pes_));
  link_.emptied = words(words_bytes(pes_));
  link_.lost = words(words_bytes(pes_));
  link_.state = words(line_bytes);
  if (trace_) {
    link_.recorded = words(words_bytes(pes_));
    link_.taken = words(words_bytes(pes_));
    link_.unrecorded = words(words_bytes(pes_));
    link_.clock_is_set = words(line_bytes);
    link_.clock = reinterpret_cast<std::uint64_t*>(link_.clock_is_set + 2);
  }
  words_bytes_ = static_cast<std::size_t>(at - memory_.span().data());
  if (trace_) {
    link_.records =
        reinterpret_cast<entry_record*>(words(std::size_t{pes_} * records_each * sizeof(entry_record)));
    link_.records_size = records_each;
  }
  link_.slots = at;
  link_.first_pe = first_pe_;
  link_.pes = pes_;
  link_.slot_bytes = slot_bytes(s);
  link_.size = s.host_slots;
}

host_channel::~host_channel() { stop(); }

void host_channel::listen(std::uint32_t number, listener what) {
  if (listeners_.size() <= number) listeners_.resize(number + 1);
  listeners_[number] = std::move(what);
}

host_link host_channel::begin(bool with_thread, bool tells) {
  stop();  // the last run may have failed to begin
  const std::lock_guard lock(mutex_);
  std::fill_n(memory_.span().data(), words_bytes_, std::byte{0});
  link_.open = std::exchange(opens_, false);
  link_.listens = link_.open || tells || is_linked_;  // a message without a listener ends the run
  read_.assign(pes_, 0);
  records_read_.assign(pes_, 0);
  failure_ = nullptr;
  over_ = closes_ = false;
  is_open_ = link_.open;
  queued_.clear();
  written_ = known_ = 0;
  if (with_thread) thread_ = background_thread("that serves a program inside a GPU", [this] { work(); });
  return link_;
}

void host_channel::send(host_message&& m) {
  const std::lock_guard lock(mutex_);
  if (!is_open_ || closes_)
    throw error(
        "a run inside a GPU is sent a message of the host and is not open: call open() before start(), and "
        "close() after the last message");
  queued_.push_back(std::move(m));
  put_queued();
}

void host_channel::close() {
  const std::lock_guard lock(mutex_);
  if (closes_) return;
  if (!is_open_) throw error("a run inside a GPU is closed and is not open: call open() before start()");
  closes_ = true;
  put_queued();
}

/// Requires the mutex. True if a message was queued and there was room for it.
bool host_channel::put_queued() {
  bool put = false;
  const ring<system_memory> way = link_.ring_of(link_.from_host());
  for (; !queued_.empty() && way.has_room(written_, known_); put = true) {
    const host_message& m = queued_.front();
    host_slot& slot = *link_.slot(link_.from_host(), way.place(written_));
    slot.body = m.what.body;
    slot.meta = m.what.meta;
    slot.what = m.to;
    slot.bytes = static_cast<std::uint32_t>(m.parcel.size());
    std::ranges::copy(m.parcel, reinterpret_cast<std::byte*>(&slot + 1));
    way.fill(written_);
    queued_.pop_front();
  }
  if (closes_ && is_open_ && queued_.empty()) {
    is_open_ = false;
    system_memory::store_release(*link_.state, *link_.state | host_link::is_closed);
  }
  return put;
}

void host_channel::abandon(std::uint32_t why) noexcept {
  const std::lock_guard lock(mutex_);
  system_memory::store_release(*link_.state, *link_.state | host_link::is_abandoned | why);
}

/// Reads the PEs' clock at the begin of the run, as soon as it is known. Not needed if PEs have the host's
/// clock.
void host_channel::find_clock() {
  if (!trace_ || has_hosts_clock_) return;
  const auto is_set = [this] { return system_memory::load_acquire(*link_.clock_is_set) != 0; };
  while (!is_set()) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, first_pause, [this] { return over_; }) && !is_set()) return;
  }
  clock_ahead_ = imbrex::detail::real_clock().now().count() - static_cast<std::int64_t>(*link_.clock);
}

void host_channel::work() {
  find_clock();
  auto pause = first_pause;
  for (bool is_last = false; !is_last;) {
    bool is_busy = false;
    {
      std::unique_lock lock(mutex_);
      is_busy = put_queued();
      is_last = over_;
    }
    is_busy |= read();
    is_busy |= trace_ && read_records();
    if (is_busy || is_last) {
      pause = first_pause;
      std::this_thread::yield();
      continue;
    }
    if (run_.has_ended()) abandon(host_link::is_over);
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, pause, [this] { return over_; });
    pause = queued_.empty() ? std::min(2 * pause, longest_pause) : first_pause;
  }
}

/// Reads all rings to the host. True if an item was received.
bool host_channel::read() {
  bool found = false;
  for (std::uint32_t n = 0; n < pes_; ++n) {
    const std::uint32_t pe = first_pe_ + n;
    for (const ring<system_memory> way = link_.ring_of(pe); way.has_some(read_[n]); way.empty(read_[n])) {
      handle_slot(*link_.slot(pe, way.place(read_[n])), pe);
      found = true;
    }
  }
  return found;
}

std::uint32_t host_channel::received_count() const {
  std::uint32_t sum = 0;
  for (std::uint32_t pe = 0; pe < pes_; ++pe) sum += system_memory::load_acquire(link_.emptied[pe]);
  return sum;
}

bool host_channel::read_records() {
  bool found = false;
  std::vector<extension::finished_entry> entries;
  for (std::uint32_t n = 0; n < pes_; ++n) {
    const std::uint32_t pe = first_pe_ + n;
    const ring<system_memory> way = link_.records_of(pe);
    std::uint32_t& next_record = records_read_[n];
    const std::uint32_t until = system_memory::load_acquire(*way.filled);
    if (until == next_record) continue;
    found = true;
    entries.clear();
    const auto here = [this](std::uint64_t time) {
      return nanoseconds(static_cast<std::int64_t>(time) + clock_ahead_);
    };
    for (; next_record != until; ++next_record) {
      const entry_record& one = link_.records[std::size_t{n} * records_each + way.place(next_record)];
      if (one.lost != 0) {
        trace_->add(entries);
        entries.clear();
        trace_->add_lost(n, one.lost, here(one.begin));
      }
      const std::uint32_t element = element_in(one.meta);
      entries.push_back({n, names_.member(entry_in(one.meta)), element, here(one.begin), here(one.end)});
    }
    system_memory::store_release(*way.emptied, next_record);
    trace_->add(entries);
  }
  return found;
}

void host_channel::handle_slot(const host_slot& slot, std::uint32_t pe) {
  if ((slot.what & host_item::line) != 0) {
    const std::string line = names_.chare(slot.meta, pe) + ": " + text_of_line(slot) + "\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
    return;
  }
  if (failure_) return;
  const std::uint32_t number = slot.what & ~host_item::in_parcel;
  try {
    if (number >= listeners_.size() || !listeners_[number])
      throw error(names_.without_listener(slot.meta, pe, number));
    listeners_[number](slot);
  } catch (...) {
    failure_ = std::current_exception();
    abandon();
  }
}

void host_channel::stop() noexcept {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void host_channel::say_lost() const {
  for (std::uint32_t pe = 0; pe < pes_; ++pe)
    if (link_.lost[pe] != 0)
      log(log_level::warning, std::to_string(link_.lost[pe]) + " lines that PE " +
                                  std::to_string(first_pe_ + pe) +
                                  " of a program inside a GPU has printed are left out: raise "
                                  "settings::host_slots, now " +
                                  std::to_string(link_.size));
}

void host_channel::end() {
  stop();
  {
    const std::lock_guard lock(mutex_);
    is_open_ = closes_ = false;
  }
  say_lost();
  for (std::uint32_t pe = 0; trace_ && pe < pes_; ++pe)
    if (link_.unrecorded[pe] != 0)
      trace_->add_lost(pe, link_.unrecorded[pe], imbrex::detail::real_clock().now());
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace imbrex::resident::detail
