// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/reader.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include <imbrex/base/error.hpp>

namespace imbrex::trace {

namespace {

// Of all tracks together; each has at least some, so that reads are not too small, and not more than pay.
constexpr std::size_t buffered_records = 1U << 17U;
constexpr std::size_t least_buffered = 64;
constexpr std::size_t most_buffered = 1U << 11U;

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
                          std::to_string(processes_) + ", and its name does not tell those of the others");
      return;
    }
    base.resize(file.size() - ending.size());
  }
  std::vector<std::unique_ptr<file_reader>> found;
  std::size_t missing = 0;
  std::string example;
  for (std::uint32_t process = 0; process < processes_; ++process) {
    if (process == first.process) {
      found.push_back(std::move(files_.front()));
      continue;
    }
    try {
      auto other = std::make_unique<file_reader>(file_of_process(base, process));
      const file_header& head = other->header();
      if (head.job != first.job || head.process != process || head.processes != processes_)
        throw usage_error(other->path() + " is of another run");
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

// Processes that nobody has compared with process 0 are aligned by the time of day.
void reader::align_by_wall_clock() {
  const file_header& first = files_.front()->header();
  std::size_t guessed = 0;
  for (const auto& file : files_) {
    const file_header& head = file->header();
    if (head.process == first.process || !file->clock().empty() || (head.flags & virtual_clock) != 0)
      continue;
    const auto ahead =
        static_cast<std::int64_t>((static_cast<std::uint64_t>(head.wall_clock) - head.started) -
                                  (static_cast<std::uint64_t>(first.wall_clock) - first.started));
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
  buffer_records_ =
      std::clamp(buffered_records / std::max<std::size_t>(sources_.size(), 1), least_buffered, most_buffered);
  for (std::uint32_t t = 0; t < sources_.size(); ++t)
    if (refill(t)) heap_.push_back({sources_[t].buffer.front().time, t});
  for (std::size_t k = heap_.size() / 2; k-- > 0;) sift_down(k);
}

bool reader::refill(std::uint32_t track) {
  source& from = sources_[track];
  from.buffer.resize(buffer_records_);
  from.at = 0;
  from.filled = files_[tracks_[track].file]->read(from.cursor, from.buffer);
  if (from.filled == 0) std::vector<record>().swap(from.buffer);
  return from.filled > 0;
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

reader::piece reader::next() {
  if (given_records_ > 0) {
    source& last = sources_[given_];
    last.at += given_records_;
    given_records_ = 0;
    if (last.at < last.filled || refill(given_)) {
      heap_.front().time = last.buffer[last.at].time;
    } else {
      heap_.front() = heap_.back();
      heap_.pop_back();
    }
    if (!heap_.empty()) sift_down(0);
  }
  if (heap_.empty()) return {};
  given_ = heap_.front().track;
  const source& from = sources_[given_];
  // Up to where the next track has a record, the heap need not be touched.
  std::uint64_t limit = ~std::uint64_t{0};
  for (std::size_t child = 1; child < std::min<std::size_t>(heap_.size(), 3); ++child)
    limit = std::min(limit, heap_[child].time + (given_ < heap_[child].track ? 1 : 0));
  std::size_t until = from.at + 1;
  while (until < from.filled && from.buffer[until].time < limit) ++until;
  given_records_ = until - from.at;
  return {given_, std::span(from.buffer).subspan(from.at, given_records_)};
}

std::vector<std::string> reader::warnings() const {
  auto all = warnings_;
  std::size_t unended = 0;
  std::string example;
  for (const auto& file : files_) {
    if (const auto& stopped = file->damage()) {
      all.push_back(file->path() + ", byte " + std::to_string(stopped->byte) + ": " + stopped->what +
                    "; what follows is not read, before it were " + std::to_string(file->records_read()) +
                    " records");
    } else if (!file->ended() && unended++ == 0) {
      example = file->path();
    }
  }
  if (unended > 0)
    all.push_back(example + (unended == 1 ? "" : " and " + std::to_string(unended - 1) + " others") +
                  ": the run has not ended, or was killed; times are up to the last record");
  return all;
}

std::uint64_t reader::records_read() const {
  std::uint64_t all = 0;
  for (const auto& file : files_) all += file->records_read();
  return all;
}

}  // namespace imbrex::trace
