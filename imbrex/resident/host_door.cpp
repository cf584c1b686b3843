// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/host_door.hpp>

#include <pthread.h>

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

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/background_thread.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/resident/host_line.hpp>

namespace imbrex::resident::detail {
namespace {

constexpr std::chrono::microseconds first_pause{20}, longest_pause{500};
constexpr std::size_t line_bytes = 128;  ///< words of one side and of the other lie apart

/// Words of all rings, of which the host's is the last.
std::size_t words_bytes(std::uint32_t pes) {
  return (std::size_t{pes + 1} * sizeof(std::uint32_t) + line_bytes - 1) / line_bytes * line_bytes;
}
std::uint32_t slot_bytes(const settings& s) { return s.host_bytes + std::uint32_t{sizeof(host_slot)}; }
std::size_t memory_bytes(const settings& s) {
  return 3 * words_bytes(s.pes) + line_bytes + std::size_t{s.pes + 1} * s.host_slots * slot_bytes(s);
}

}  // namespace

host_door::host_door(device& of, const settings& s, const reporter& names)
    : pes_(s.pes), names_(names), memory_(of, memory_bytes(s)) {
  std::byte* at = memory_.span().data();
  const auto words = [&at](std::size_t bytes) {
    return reinterpret_cast<std::uint32_t*>(std::exchange(at, at + bytes));
  };
  link_.filled = words(words_bytes(pes_));
  link_.emptied = words(words_bytes(pes_));
  link_.lost = words(words_bytes(pes_));
  link_.state = words(line_bytes);
  link_.slots = at;
  link_.slot_bytes = slot_bytes(s);
  link_.size = s.host_slots;
}

host_door::~host_door() {
  if (thread_.joinable()) abandon();
  stop();
}

void host_door::listen(std::uint32_t number, listener what) {
  if (listeners_.size() <= number) listeners_.resize(number + 1);
  listeners_[number] = std::move(what);
}

host_link host_door::begin() {
  stop();  // the last run may not have come to be
  std::fill(reinterpret_cast<std::byte*>(link_.filled), link_.slots, std::byte{0});
  link_.open = std::exchange(opens_, false);
  link_.opener = std::uint64_t{pthread_self()};
  link_.listens = link_.open || !listeners_.empty();
  read_.assign(pes_, 0);
  failure_ = nullptr;
  over_ = closes_ = false;
  is_open_ = link_.open;
  queued_.clear();
  written_ = known_ = 0;
  thread_ = background_thread("that hears a program inside a GPU", [this] { work(); });
  return link_;
}

void host_door::send(host_message&& m) {
  const std::lock_guard lock(mutex_);
  if (!is_open_ || closes_)
    throw error(
        "a run inside a GPU is sent a message of the host and is not open: call open() before start(), and "
        "close() after the last message");
  queued_.push_back(std::move(m));
  put_queued();
}

void host_door::close() {
  const std::lock_guard lock(mutex_);
  if (!is_open_) throw error("a run inside a GPU is closed and is not open: call open() before start()");
  closes_ = true;
  put_queued();
}

/// With the mutex. True if there was something, and room for it.
bool host_door::put_queued() {
  bool put = false;
  const ring<host_memory> way = link_.ring_of(pes_);
  for (; !queued_.empty() && way.has_room(written_, known_); put = true) {
    const host_message& m = queued_.front();
    host_slot& slot = *link_.slot(pes_, way.place(written_));
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
    host_memory::store_release(*link_.state, *link_.state | host_link::is_closed);
  }
  return put;
}

/// The run shall end, if it listens.
void host_door::abandon() noexcept {
  const std::lock_guard lock(mutex_);
  host_memory::store_release(*link_.state, *link_.state | host_link::is_abandoned);
}

void host_door::work() {
  auto pause = first_pause;
  for (bool is_last = false; !is_last;) {
    bool is_busy = false;
    {
      std::unique_lock lock(mutex_);
      is_busy = put_queued();
      is_last = over_;
    }
    is_busy |= read();
    if (is_busy || is_last) {
      pause = first_pause;
      std::this_thread::yield();
      continue;
    }
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, pause, [this] { return over_; });
    pause = queued_.empty() ? std::min(2 * pause, longest_pause) : first_pause;
  }
}

/// What has come: true if there was something.
bool host_door::read() {
  bool found = false;
  for (std::uint32_t pe = 0; pe < pes_; ++pe)
    for (const ring<host_memory> way = link_.ring_of(pe); way.has_some(read_[pe]); way.empty(read_[pe])) {
      hear(*link_.slot(pe, way.place(read_[pe])), pe);
      found = true;
    }
  return found;
}

void host_door::hear(const host_slot& said, std::uint32_t pe) {
  if ((said.what & host_item::line) != 0) {
    const std::string line = names_.chare(said.meta, pe) + ": " + text_of_line(said) + "\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
    return;
  }
  if (failure_) return;
  const std::uint32_t number = said.what & ~host_item::in_parcel;
  try {
    if (number >= listeners_.size() || !listeners_[number])
      throw error(names_.unheard(said.meta, pe, number));
    listeners_[number](said);
  } catch (...) {
    failure_ = std::current_exception();
    abandon();
  }
}

void host_door::stop() noexcept {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void host_door::say_lost() const {
  for (std::uint32_t pe = 0; pe < pes_; ++pe)
    if (link_.lost[pe] != 0)
      log(log_level::warning, std::to_string(link_.lost[pe]) + " lines that PE " + std::to_string(pe) +
                                  " of a program inside a GPU has printed are left out: raise "
                                  "settings::host_slots, now " +
                                  std::to_string(link_.size));
}

void host_door::end() {
  stop();
  say_lost();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace imbrex::resident::detail
