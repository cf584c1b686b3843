// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/recording.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/background_thread.hpp>

namespace imbrex::trace {

namespace {

/// Time between two writes of the rings: a killed run loses at most about so much. While a ring fills faster,
/// there is no pause.
constexpr std::chrono::milliseconds between_writes{5};

}  // namespace

track::track(recording& owner, std::uint32_t number, time_unit unit, std::size_t records)
    : owner_(owner), is_enabled_(owner.on_), number_(number), unit_(unit), ring_(records) {}

void track::turn(bool on, std::uint64_t now) {
  on_ = on;
  add({now, on ? record_kind::on : record_kind::off, 0, 0, 0, 0, 0});
}

void track::add_to_full(const record& r) {
  if (owner_.waits()) {
    const auto begun = std::chrono::steady_clock::now();
    while (!ring_.push(r)) {
      owner_.hurry();
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    owner_.count_wait(std::chrono::steady_clock::now() - begun);
    return;
  }
  if (lost_ != 0 && ring_.push({r.time, record_kind::dropped, 0, 0, 0, lost_, 0})) {
    lost_ = 0;
    if (ring_.push(r)) return;
  }
  if (lost_++ == 0) ring_.push_last({r.time, record_kind::off, 0, 0, 0, 0, 0});
  owner_.lose(1);
}

std::uint32_t track::mark_number(std::string_view name) {
  const auto at = std::lower_bound(known_marks_.begin(), known_marks_.end(), name,
                                   [](const auto& known, std::string_view n) { return known.first < n; });
  if (at != known_marks_.end() && at->first == name) return at->second;
  return known_marks_.emplace(at, name, owner_.mark_number(name))->second;
}

recording::recording(const recording_settings& settings, const file_header& header)
    : ring_records_(settings.ring_bytes / sizeof(record)),
      waits_(settings.waits),
      on_(settings.is_on),
      file_(file_of_process(settings.file, header.process), header),
      ticks_(tick_line::read_both()),
      writer_(background_thread("that writes the trace", [this] { write_from_now_on(); })) {}

recording::~recording() {
  {
    const std::lock_guard hold(lock_);
    ending_ = true;
  }
  end_.notify_all();
  if (!writer_.joinable()) return;
  writer_.join();
  drain();
  write_names();
}

track& recording::add_track(std::uint32_t number, time_unit unit) {
  auto t = std::make_unique<track>(*this, number, unit, ring_records_);
  const std::lock_guard hold(lock_);
  tracks_.push_back(std::move(t));
  return *tracks_.back();
}

void recording::name(name_table table, std::uint32_t id, std::uint64_t key, std::string_view text) {
  const std::lock_guard hold(lock_);
  names_.push_back({table, id, key, std::string(text)});
}

std::uint32_t recording::mark_number(std::string_view name) {
  const std::lock_guard hold(lock_);
  const auto [at, is_new] = marks_.try_emplace(std::string(name), static_cast<std::uint32_t>(marks_.size()));
  if (is_new) names_.push_back({name_table::marks, at->second, 0, at->first});
  return at->second;
}

std::uint16_t recording::entry_number(std::string_view name) {
  const std::lock_guard hold(lock_);
  const auto next = std::min<std::size_t>(entries_ + other_entries_.size(), no_entry - 1U);
  const auto [at, is_new] = other_entries_.try_emplace(std::string(name), static_cast<std::uint16_t>(next));
  if (is_new) names_.push_back({name_table::entries, at->second, 0, at->first});
  return at->second;
}

void recording::add(const clock_reading& reading) {
  const std::lock_guard hold(lock_);
  readings_.push_back(reading);
}

void recording::hurry() {
  hurries_.store(true, std::memory_order_relaxed);
  end_.notify_all();
}

void recording::finish() {
  set_on(false);
  {
    const std::lock_guard hold(lock_);
    ending_ = true;
  }
  end_.notify_all();
  writer_.join();
  drain();  // frees the rings
  for (const auto& t : tracks_) {
    t->on_ = false;
    if (t->lost_ != 0) {
      const record last{t->last_time_, record_kind::dropped, 0, 0, 0, std::exchange(t->lost_, 0), 0};
      static_cast<void>(t->ring_.push(last));
    }
  }
  drain();
  write_names();
  result_.lost = lost_.load(std::memory_order_relaxed);
  result_.waited = std::chrono::nanoseconds(waited_.load(std::memory_order_relaxed));
  try {
    if (result_.failure.empty()) file_.end();
  } catch (const error& e) {
    result_.failure = e.what();
  }
  result_.bytes = file_.bytes();
}

void recording::write_from_now_on() {
  for (;;) {
    const bool hurry = drain();
    std::unique_lock hold(lock_);
    if (ending_) return;
    if (!hurry)
      end_.wait_for(hold, between_writes,
                    [this] { return ending_ || hurries_.exchange(false, std::memory_order_relaxed); });
  }
}

bool recording::drain() {
  std::vector<track*> all;
  {
    const std::lock_guard hold(lock_);
    for (const auto& t : tracks_) all.push_back(t.get());
  }
  std::vector<std::size_t> ready;  // records added meanwhile are for the next time, so that no track starves
  for (const track* t : all) ready.push_back(t->ring_.size());
  ticks_.add(tick_line::read_both());  // all that is ready was recorded before this reading
  bool hurry = false;
  for (std::size_t n = 0; n < all.size(); ++n) {
    track& t = *all[n];
    hurry = hurry || ready[n] > t.ring_.capacity() / 4;
    for (std::size_t left = ready[n]; left > 0;) {
      const auto oldest = t.ring_.oldest();
      const auto some = oldest.first(std::min(left, oldest.size()));
      if (t.unit() == time_unit::ticks) tell_in_ns(t, some);
      write_names();  // all names that the records use are known here
      write(t.number(), some);
      t.ring_.release(some.size());
      left -= some.size();
    }
  }
  return hurry;
}

void recording::tell_in_ns(track& whose, std::span<record> records) {
  for (record& r : records) {
    whose.last_written_ = std::max(whose.last_written_, ticks_.ns(r.time));
    r.time = whose.last_written_;
  }
}

void recording::write(std::uint32_t number, std::span<const record> records) {
  if (!result_.failure.empty()) return;
  try {
    file_.write(number, records);
    result_.records += records.size();
  } catch (const error& e) {
    result_.failure = e.what();
  }
}

void recording::write_names() {
  std::vector<name_entry> names;
  std::vector<clock_reading> readings;
  {
    const std::lock_guard hold(lock_);
    names.swap(names_);
    readings.swap(readings_);
  }
  if (!result_.failure.empty()) return;
  try {
    for (const auto& n : names) file_.write_name(n.table, n.id, n.key, n.text);
    for (const auto& r : readings) file_.write(r);
  } catch (const error& e) {
    result_.failure = e.what();
  }
}

}  // namespace imbrex::trace
