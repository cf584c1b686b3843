// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/file_reader.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <imbrex/base/error.hpp>

namespace imbrex::trace {

namespace {

constexpr std::uint32_t most_processes = 1U << 16U;
constexpr std::uint32_t most_pes = 1U << 24U;
constexpr std::uint32_t most_devices = 4096;
constexpr std::uint32_t longest_header = 4096;
constexpr std::size_t most_names = 65'536;  // in each table; further names are ignored

void put_number(std::vector<std::uint8_t>& to, std::uint64_t number) {
  for (; number >= 128; number >>= 7U) to.push_back(static_cast<std::uint8_t>(number | 128U));
  to.push_back(static_cast<std::uint8_t>(number));
}

std::uint64_t take_number(const std::vector<std::uint8_t>& from, std::size_t& at) {
  std::uint64_t number = 0;
  unsigned shift = 0;
  while (from[at] >= 128) {
    number |= std::uint64_t{from[at++] & 127U} << shift;
    shift += 7;
  }
  return number | std::uint64_t{from[at++]} << shift;
}

/// Number of values that `record::detail` can have, by kind of record; 0 for kinds that do not exist.
constexpr std::array<std::uint16_t, 256> details_of_kinds = [] {
  std::array<std::uint16_t, 256> details{};
  for (int kind = 1; kind < record_kinds; ++kind) details[static_cast<std::size_t>(kind)] = 256;
  const auto limit = [&](record_kind kind, std::uint16_t most) {
    details[static_cast<std::size_t>(kind)] = most;
  };
  limit(record_kind::item_begin, 3);
  limit(record_kind::entry_begin, 3);
  limit(record_kind::resumed, 5);
  limit(record_kind::suspended, 5);
  limit(record_kind::abandoned, 5);
  limit(record_kind::operation, 6);
  limit(record_kind::produced, 3);
  limit(record_kind::consumed, 3);
  limit(record_kind::gathered, 2);
  limit(record_kind::quiet, 1);
  return details;
}();

bool is_sound(const record& r, std::uint64_t last_time, std::uint64_t latest) {
  return r.detail < details_of_kinds[static_cast<std::size_t>(r.kind)] && r.time >= last_time &&
         r.time <= latest;
}

/// The error of a record that is not sound.
const char* problem_of(const record& r, std::uint64_t last_time) {
  if (details_of_kinds[static_cast<std::size_t>(r.kind)] == 0) return "a record of no known kind";
  if (r.time < last_time) return "a record earlier than the one before it";
  if (r.time > latest_time) return "a record with an impossible time";
  if (r.detail >= details_of_kinds[static_cast<std::size_t>(r.kind)])
    return "a record with an impossible detail";
  return "a record of a time that was yet to come when the file was written";
}

/// Time of a process's clock when its file was last written; `latest_time` if unknown. A clock may have been
/// corrected meanwhile, which is no damage: hence the margin.
std::uint64_t time_of_last_write(const file_header& head, const struct ::stat& file) {
  constexpr std::int64_t second = 1'000'000'000;
  constexpr std::uint64_t put_right = 3600 * second;
  const auto written = static_cast<std::int64_t>(file.st_mtim.tv_sec) * second + file.st_mtim.tv_nsec;
  if ((head.flags & simulated_clock) != 0 || head.wall_clock < 0 || written < head.wall_clock)
    return latest_time;
  return std::min(latest_time,
                  head.started + static_cast<std::uint64_t>(written - head.wall_clock) + put_right);
}

/// The key of a name; 0 in the tables without keys.
std::uint64_t key_in(name_table table, std::uint64_t key) {
  return table == name_table::elements || table == name_table::streams ? key : 0;
}

}  // namespace

file_reader::file_reader(std::string path)
    : path_(std::move(path)),
      file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {  // else a named pipe would block
  if (!file_)
    throw usage_error("cannot read the trace " + path_ + ": " + std::strerror(errno) +
                      "; name the file that a run with --trace FILE has written");
  struct ::stat found{};
  if (::fstat(file_.get(), &found) != 0 || !S_ISREG(found.st_mode))
    throw usage_error(path_ + " is not a file; name the file that a run with --trace FILE has written");
  size_ = static_cast<std::uint64_t>(found.st_size);
  read_header();
  latest_ = time_of_last_write(header_, found);
  read_chunks();
  clock_ = std::exchange(clock_readings_, {}).line();
}

void file_reader::read_header() {
  const std::string remedy = "; name the file that a run with --trace FILE has written";
  const auto got = read_at(0, std::as_writable_bytes(std::span(&header_, 1)));
  if (got < sizeof header_)
    throw usage_error(path_ + " is no trace: it has " + std::to_string(got) + " bytes, and a header has " +
                      std::to_string(sizeof header_) + remedy);
  if (header_.magic != file_magic) throw usage_error(path_ + " is no trace: it begins otherwise" + remedy);
  if (header_.version != format_version)
    throw usage_error(path_ + " is a trace of format version " + std::to_string(header_.version) +
                      ", and this program reads version " + std::to_string(format_version) +
                      "; use the Imbrex that wrote it");
  const bool sound = header_.bytes >= sizeof header_ && header_.bytes <= longest_header &&
                     header_.bytes % 8 == 0 && header_.processes >= 1 &&
                     header_.processes <= most_processes && header_.process < header_.processes &&
                     header_.first_pe < most_pes && header_.pes >= 1 &&
                     header_.pes <= most_pes - header_.first_pe && header_.started <= latest_time;
  if (!sound) throw usage_error(path_ + " is a damaged trace: its header has impossible numbers" + remedy);
}

void file_reader::read_chunks() {
  // One read gets the headers of several small chunks.
  std::vector<std::byte> window(4096);
  std::uint64_t window_at = 0;
  std::size_t window_bytes = 0;
  std::uint64_t at = header_.bytes;
  while (!ended_ && !damage_ && at < size_) {
    if (at + sizeof(chunk_header) > window_at + window_bytes) {
      window_at = at;
      window_bytes = read_at(at, window);
      if (window_bytes < sizeof(chunk_header)) return stop(at, "the file ends within a chunk's head");
    }
    chunk_header head;
    std::memcpy(&head, window.data() + (at - window_at), sizeof head);
    if (head.magic != chunk_magic) return stop(at, "no chunk begins where one should");
    if (head.bytes > largest_chunk) return stop(at, "a chunk of impossible size");
    const auto begin = at + sizeof head;
    const auto present = std::min<std::uint64_t>(head.bytes, size_ - std::min(begin, size_));
    if (!take_chunk(begin, head, present)) return;
    if (present < head.bytes) return stop(begin + present, "the file ends within a chunk");
    at = begin + head.bytes;
  }
  if (ended_ && at < size_) stop(at, "more bytes after the end of the run");
}

bool file_reader::take_chunk(std::uint64_t at, const chunk_header& head, std::uint64_t present) {
  const auto head_at = at - sizeof head;
  switch (head.kind) {
    case chunk_kind::records: return take_track(at, head, present);
    case chunk_kind::names: {
      std::vector<std::byte> content(present);
      content.resize(read_at(at, content));
      return take_names(at, content);
    }
    case chunk_kind::clock: {
      clock_reading reading;
      if (head.bytes != sizeof reading) break;
      if (present < head.bytes) return true;
      if (read_at(at, std::as_writable_bytes(std::span(&reading, 1))) != sizeof reading) break;
      if (clock_readings_.add(reading)) return true;
      stop(at, "a reading of a clock with impossible numbers");
      return false;
    }
    case chunk_kind::end:
      if (head.bytes != 0) break;
      ended_ = true;
      return true;
    default: stop(head_at, "a chunk of no known kind"); return false;
  }
  stop(head_at, "a chunk whose size does not fit its kind");
  return false;
}

bool file_reader::take_track(std::uint64_t at, const chunk_header& head, std::uint64_t present) {
  const auto place = place_of_track(head.track);
  bool known = false;
  switch (class_of_track(head.track)) {
    case track_class::pe: known = place >= header_.first_pe && place - header_.first_pe < header_.pes; break;
    case track_class::comm_thread: known = place == header_.process; break;
    case track_class::device: known = place < most_devices; break;
    case track_class::network: known = place == 0; break;
    case track_class::block: known = true; break;  // any device, kernel and block that fits
  }
  if (!known || head.bytes % sizeof(record) != 0) {
    stop(at - sizeof head, known ? "a chunk whose size does not fit its kind"
                                 : "a chunk of a track that this process cannot have");
    return false;
  }
  const auto records = present / sizeof(record);
  if (records == 0) return true;
  const auto [found, is_new] = track_places_.emplace(head.track, chunks_.size());
  if (is_new) {
    track_numbers_.push_back(head.track);
    chunks_.emplace_back();
  }
  chunk_list& list = chunks_[found->second];
  put_number(list.steps, (at - list.last) / 8);
  put_number(list.steps, records);
  list.last = at;
  return true;
}

bool file_reader::take_names(std::uint64_t at, std::span<const std::byte> content) {
  while (!content.empty()) {
    name_header head;
    if (content.size() < sizeof head) break;
    std::memcpy(&head, content.data(), sizeof head);
    const auto table = static_cast<std::size_t>(head.table);
    const auto bytes = sizeof head + (std::uint64_t{head.length} + 7) / 8 * 8;
    if (table >= name_tables || (head.table == name_table::entries && head.id > 0xffffU)) {
      stop(at, "a name of no known kind");
      return false;
    }
    if (bytes > content.size()) break;
    std::string text(reinterpret_cast<const char*>(content.data() + sizeof head), head.length);
    const std::pair key{head.id, key_in(head.table, head.key)};
    auto& names = names_[table];
    if (names.size() < most_names || names.contains(key)) names.insert_or_assign(key, std::move(text));
    content = content.subspan(bytes);
    at += bytes;
  }
  // In a chunk cut by the end of the file, complete names are valid.
  if (content.empty() || at + content.size() == size_) return true;
  stop(at, "a name that is longer than its chunk");
  return false;
}

std::string_view file_reader::name(name_table table, std::uint32_t id, std::uint64_t key) const {
  const auto& names = names_[static_cast<std::size_t>(table)];
  const auto found = names.find({id, key_in(table, key)});
  return found == names.end() ? std::string_view{} : found->second;
}

std::size_t file_reader::read_at(std::uint64_t at, std::span<std::byte> into) {
  std::size_t got = 0;
  while (got < into.size()) {
    const auto n = ::pread(file_.get(), into.data() + got, into.size() - got, static_cast<::off_t>(at + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw error("cannot read the trace " + path_ + " on: " + std::strerror(errno));
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  return got;
}

void file_reader::stop(std::uint64_t byte, std::string what) {
  if (!damage_ || byte < damage_->byte) damage_ = {byte, std::move(what)};
}

bool file_reader::next_chunk(cursor& from) const {
  const chunk_list& list = chunks_[from.track];
  if (from.step == list.steps.size()) return false;
  from.chunk += take_number(list.steps, from.step) * 8;
  from.at = from.chunk;
  from.until = from.at + take_number(list.steps, from.step) * sizeof(record);
  return true;
}

std::size_t file_reader::read(cursor& from, std::span<record> into) {
  std::size_t filled = 0;
  while (filled < into.size()) {
    if (from.at == from.until && !next_chunk(from)) break;
    // Damage found in another track also ends this track.
    const auto until = damage_ ? std::min(from.until, damage_->byte) : from.until;
    if (from.at + sizeof(record) > until) break;
    const auto room = into.subspan(filled);
    const auto part = room.first(std::min<std::uint64_t>(room.size(), (until - from.at) / sizeof(record)));
    const auto got = read_at(from.at, std::as_writable_bytes(part)) / sizeof(record);
    std::size_t sound = 0;
    auto last_time = from.last_time;
    for (; sound < got && is_sound(part[sound], last_time, latest_); ++sound) last_time = part[sound].time;
    if (sound < got) stop(from.at + sound * sizeof(record), problem_of(part[sound], last_time));
    from.last_time = last_time;
    from.at += sound * sizeof(record);
    filled += sound;
    if (sound == got && got < part.size()) stop(from.at, "the file has become shorter");
    if (damage_ && from.at >= damage_->byte) break;
  }
  const auto records = into.first(filled);
  clock_.align(records, from.last_aligned);
  if (filled > 0) from.last_aligned = records.back().time;
  records_read_ += filled;
  return filled;
}

}  // namespace imbrex::trace
