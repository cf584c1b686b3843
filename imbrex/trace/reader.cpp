// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/reader.hpp>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <map>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/trace/upper_half_order.hpp>

namespace imbrex::trace {

namespace {

// Numbers of buffered records, of all tracks together and of each track. The minimum of each keeps reads from
// being too small; more than the maximum does not pay. Powers of two.
constexpr std::size_t buffered_records = 1U << 19U;
constexpr std::size_t least_buffered = 64;
constexpr std::size_t most_buffered = 1U << 10U;
// Desired numbers of records in a window, in all and for each track. The records and their order then fit the
// cache, and there are several of each track.
constexpr std::size_t window_records = 1U << 13U;
constexpr std::size_t window_records_of_track = 32;
constexpr std::uint64_t longest_window = 0xffff'ffffU;  // times in a window have 32 bits
constexpr std::size_t fetched_ahead = 12;

}  // namespace

reader::reader(const std::string& file) {
  files_.push_back(std::make_unique<file_reader>(file));
  processes_ = files_.front()->header().processes;
  open_others(file);
  align_by_wall_clock();
  find_tracks();
}

void reader::open_others(const std::string& file) {
  const file_header first = files_.front()->header();
  std::string base = file;
  if (first.process != 0) {
    const std::string ending = file_of_process("", first.process);
    if (!file.ends_with(ending)) {
      warnings_.push_back(file + " is that of process " + std::to_string(first.process) + " of " +
                          std::to_string(processes_) + ", and its name does not give those of the others");
      return;
    }
    base.resize(file.size() - ending.size());
  }
  std::vector<std::unique_ptr<file_reader>> found;
  std::size_t missing = 0;
  std::string example;
  std::uint32_t next_pe = 0;
  for (std::uint32_t process = 0; process < processes_; ++process) {
    if (process == first.process) {
      found.push_back(std::move(files_.front()));
      next_pe = first.first_pe + first.pes;
      continue;
    }
    try {
      auto other = std::make_unique<file_reader>(file_of_process(base, process));
      const file_header& head = other->header();
      if (head.job != first.job || head.process != process || head.processes != processes_ ||
          head.first_pe < next_pe)
        throw usage_error(other->path() + " is of another run");
      next_pe = head.first_pe + head.pes;
      found.push_back(std::move(other));
    } catch (const error& e) {
      if (missing++ == 0) example = e.what();
    }
  }
  files_ = std::move(found);
  if (missing > 0)
    warnings_.push_back("of " + std::to_string(processes_) + " processes " + std::to_string(missing) +
                        (missing == 1 ? " is" : " are") + " missing: " + example);
}

// Processes whose clocks were never compared with process 0's are aligned by the time of day. They are
// aligned with process 0 or, if its file is missing, with a process that was compared with it.
void reader::align_by_wall_clock() {
  const auto is_aligned = [](const auto& file) {
    return file->header().process == 0 || !file->clock().empty();
  };
  const auto found = std::find_if(files_.begin(), files_.end(), is_aligned);
  const file_reader& other = found == files_.end() ? *files_.front() : **found;
  const file_header& known = other.header();
  const std::uint64_t shift = other.clock().aligned(known.started) - known.started;
  std::size_t guessed = 0;
  for (const auto& file : files_) {
    const file_header& head = file->header();
    if (head.process == known.process || !file->clock().empty() || (head.flags & simulated_clock) != 0)
      continue;
    const auto ahead =
        static_cast<std::int64_t>((static_cast<std::uint64_t>(head.wall_clock) - head.started) -
                                  (static_cast<std::uint64_t>(known.wall_clock) - known.started) + shift);
    constexpr auto most = static_cast<std::int64_t>(latest_time);
    if (ahead > most || ahead < -most) continue;
    file->clock().add(head.started, ahead);
    ++guessed;
  }
  if (guessed > 0)
    warnings_.push_back("the clocks of " + std::to_string(guessed) + " of " + std::to_string(files_.size()) +
                        " processes were never compared: they are aligned by the time of day");
}

void reader::find_tracks() {
  for (std::size_t f = 0; f < files_.size(); ++f) {
    const auto numbers = files_[f]->tracks();
    std::map<std::uint32_t, std::size_t> places;
    for (std::size_t t = 0; t < numbers.size(); ++t) places.emplace(numbers[t], t);
    for (const auto& [number, place] : places) {
      tracks_.push_back({static_cast<std::uint32_t>(f), number});
      sources_.emplace_back().cursor.track = place;
    }
  }
  const auto each =
      std::clamp(buffered_records / std::max<std::size_t>(sources_.size(), 1), least_buffered, most_buffered);
  buffer_bits_ = static_cast<unsigned>(std::bit_width(each)) - 1;
  buffers_ = std::make_unique_for_overwrite<record[]>(sources_.size() << buffer_bits_);
  to_give_.resize(sources_.size());
  for (std::uint32_t t = 0; t < sources_.size(); ++t) {
    refill(t);
    heap_.push_back({time_of_next(t), t});
  }
  for (std::size_t k = heap_.size() / 2; k-- > 0;) sift_down(k);
  if (!heap_.empty()) first_time_ = heap_.front().time;
}

void reader::refill(std::uint32_t track) {
  source& from = sources_[track];
  record* const buffer = buffer_of(track);
  std::copy(buffer + from.at, buffer + from.filled, buffer);
  from.filled -= from.at;
  from.at = 0;
  to_give_[track] = first_place(track);
  const auto room = std::span(buffer, std::size_t{1} << buffer_bits_).subspan(from.filled);
  const auto read = files_[tracks_[track].file]->read(from.cursor, room);
  from.filled += static_cast<std::uint32_t>(read);
  from.ended = read < room.size();
}

std::uint64_t reader::time_of_next(std::uint32_t track) const {
  const source& from = sources_[track];
  return from.at < from.filled ? buffer_of(track)[from.at].time : never;
}

void reader::sift_down(std::size_t from) {
  const waiting moved = heap_[from];
  for (std::size_t child = 0; (child = 2 * from + 1) < heap_.size(); from = child) {
    if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
    if (!heap_[child].before(moved)) break;
    heap_[from] = heap_[child];
  }
  heap_[from] = moved;
}

// Refills buffers; the records given before may be overwritten.
void reader::close_window() {
  for (std::size_t k = visited_.size(); k-- > 0;) {
    waiting& of = heap_[visited_[k]];
    const source& from = sources_[of.track];
    if (!from.ended && from.at >= (std::size_t{3} << buffer_bits_) / 4) refill(of.track);
    of.time = time_of_next(of.track);
    sift_down(visited_[k]);
  }
  visited_.clear();
}

// Finds the tracks with a record before the horizon, which are at the top of the heap. The horizon is at the
// end of the first buffer that ends.
reader::waiting reader::visit_tracks(std::uint64_t until) {
  waiting horizon{until, ~std::uint32_t{0}};
  visited_.push_back(0);
  for (std::size_t k = 0; k < visited_.size(); ++k) {
    const std::size_t place = visited_[k];
    const std::uint32_t track = heap_[place].track;
    const source& from = sources_[track];
    if (!from.ended) {
      const waiting last{buffer_of(track)[from.filled - 1].time, track};
      if (last.before(horizon)) horizon = last;
    }
    for (std::size_t child = 2 * place + 1; child < std::min(heap_.size(), 2 * place + 3); ++child)
      if (!horizon.before(heap_[child])) visited_.push_back(static_cast<std::uint32_t>(child));
  }
  return horizon;
}

// Puts the records before the horizon in order. The last record of each track always has a place in the
// order, so that all are given.
void reader::gather(waiting horizon) {
  gathered_.clear();
  for (const std::uint32_t place : visited_) gathered_.push_back(heap_[place].track);
  std::sort(gathered_.begin(), gathered_.end());
  for (const std::uint32_t track : gathered_) {
    source& from = sources_[track];
    const record* const buffer = buffer_of(track);
    const std::uint64_t limit = horizon.time + (track <= horizon.track ? 1 : 0);
    const std::uint32_t first = from.at;
    while (from.at < from.filled && buffer[from.at].time < limit) ++from.at;
    if (from.at == first) continue;
    // Branch-free, since no processor predicts which records are ordered: each is written, and the next one
    // may overwrite it.
    std::size_t end = order_.size();
    order_.resize(end + (from.at - first));
    bool is_ordered = true;
    for (std::uint32_t at = first; at < from.at; ++at) {
      order_[end] = (buffer[at].time - window_start_) << 32U | (first_place(track) + at);
      is_ordered = (ordered_ >> static_cast<unsigned>(buffer[at].kind) & 1U) != 0;
      end += is_ordered ? 1 : 0;
    }
    order_.resize(is_ordered ? end : end + 1);
    records_of_window_ += from.at - first;
  }
}

bool reader::open_window() {
  close_window();
  order_.clear();
  returned_count_ = 0;
  records_of_window_ = 0;
  ++windows_;
  if (heap_.empty() || heap_.front().time == never) return false;
  window_start_ = heap_.front().time;
  const waiting horizon = visit_tracks(window_start_ + window_);
  gather(horizon);
  if (gathered_.size() > 1) sort_by_upper_half(order_, room_);
  adapt_window(horizon.time - window_start_);
  return true;
}

// A window cut by the end of a buffer was also too long.
void reader::adapt_window(std::uint64_t length) {
  const std::size_t target_records = std::max(window_records, window_records_of_track * gathered_.size());
  if (records_of_window_ > target_records)
    window_ = std::max<std::uint64_t>(window_ / 2, 1);
  else if (length < window_)
    window_ = std::clamp<std::uint64_t>(2 * length, 1, longest_window);
  else if (records_of_window_ < target_records / 2)
    window_ = std::min(2 * window_, longest_window);
}

reader::piece reader::next() {
  while (returned_count_ < order_.size() || open_window()) {
    const std::uint32_t track = place_of(returned_count_) >> buffer_bits_;
    while (returned_count_ + 1 < order_.size() && place_of(returned_count_ + 1) >> buffer_bits_ == track)
      ++returned_count_;
    const std::uint32_t first = to_give_[track];
    to_give_[track] = place_of(returned_count_++) + 1;
    fetch_ahead();
    // `rest_before` may have given all records up to the end of a track's part of the window.
    if (first < to_give_[track]) return {track, {&buffers_[first], to_give_[track] - first}};
  }
  return {};
}

// Prefetches, since the records of many tracks lie in as many places, which no processor predicts.
void reader::fetch_ahead() const {
  if (returned_count_ + fetched_ahead >= order_.size()) return;
  const std::uint32_t last = place_of(returned_count_ + fetched_ahead);
  __builtin_prefetch(&buffers_[to_give_[last >> buffer_bits_]]);
  __builtin_prefetch(&buffers_[last]);
}

reader::piece reader::rest_before(std::uint32_t other, const record& now, std::uint32_t track_of_now) {
  const std::uint64_t limit = now.time + (other < track_of_now ? 1 : 0);
  const std::uint32_t first = to_give_[other];
  const std::uint32_t end = first_place(other) + sources_[other].at;
  std::uint32_t behind = first;
  while (behind < end && buffers_[behind].time < limit) ++behind;
  to_give_[other] = behind;
  return {other, {&buffers_[first], behind - first}};
}

std::vector<std::string> reader::warnings() const {
  auto all = warnings_;
  std::size_t unended = 0;
  std::string example;
  for (const auto& file : files_) {
    if (const auto& stopped = file->damage()) {
      all.push_back(file->path() + ", byte " + std::to_string(stopped->byte) + ": " + stopped->what +
                    "; what follows is not read from when that was found: " +
                    std::to_string(file->records_read()) + " records were");
    } else if (!file->ended() && unended++ == 0) {
      example = file->path();
    }
  }
  if (unended > 0)
    all.push_back(example + (unended == 1 ? "" : " and " + std::to_string(unended - 1) + " others") +
                  ": the run has not ended, or was killed; times are up to the last record");
  return all;
}

void reader::refuse_to_overwrite(const std::string& option, const std::string& output) const {
  std::error_code none;
  for (const auto& file : files_)
    if (std::filesystem::equivalent(file->path(), output, none))
      throw usage_error(option + " " + output + " is the trace itself, of process " +
                        std::to_string(file->header().process) + "; name another file");
}

std::uint64_t reader::records_read() const {
  std::uint64_t all = 0;
  for (const auto& file : files_) all += file->records_read();
  return all;
}

}  // namespace imbrex::trace
