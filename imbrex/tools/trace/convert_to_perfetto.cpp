// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/block_text.hpp>
#include <imbrex/tools/trace/convert_to_perfetto.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <imbrex/base/printable.hpp>
#include <imbrex/tools/trace/element_text.hpp>
#include <imbrex/tools/trace/perfetto_file.hpp>
#include <imbrex/tools/trace/walk.hpp>

namespace imbrex::tools {
namespace {

using trace::name_table;
using trace::record;
using trace::record_kind;
using trace::track_class;

// Thread numbers: process ids are small, and thread numbers must differ from these.
constexpr std::int64_t first_pe_thread = 1'000'000;
constexpr std::int64_t first_comm_thread = 100'000'000;
constexpr std::size_t most_phase_rows = 1000;  // rows for phases of one name on one PE

class perfetto_conversion final : public walk_observer {
 public:
  perfetto_conversion(const trace::reader& in, const std::string& path) : in_(in), out_(path) {}

  void start(std::uint64_t time) override;
  void begin(std::uint32_t track, std::uint64_t time, const walked_frame& frame,
             const message_account::begun* by) override;
  void end(std::uint32_t track, std::uint64_t time, const walked_frame& frame) override;
  void sent(std::uint32_t track, const record& r, std::uint32_t number) override;
  void begun_early(std::uint64_t time, const message_account::begun& known) override;
  void other(std::uint32_t track, const record& r) override;
  void finish(std::uint64_t time) override;

 private:
  // A row for phases of one name. Phases may overlap, so each open phase needs its own row.
  struct phase_row {
    std::uint64_t track = 0;
    std::optional<std::uint64_t> open{};  // id of the open phase
  };
  struct one_track {
    std::uint32_t file = 0;
    std::uint32_t place = 0;
    bool is_block = false;
    std::string name{};        // name of the thread
    std::uint64_t number = 0;  // 0 if the track is not shown
    std::map<std::uint32_t, std::vector<phase_row>> phases;
    std::map<std::uint32_t, std::uint64_t> streams;
  };

  void phase(const record& r, one_track& here);
  void operation(const record& r, one_track& here);
  std::string name_of(const one_track& here, name_table table, std::uint32_t id, const char* otherwise) const;
  std::uint64_t process_track(const one_track& here) const { return here.file + 1; }

  const trace::reader& in_;
  perfetto_file out_;
  std::vector<one_track> tracks_;
  std::uint64_t track_count_ = 0;
};

void perfetto_conversion::start(std::uint64_t) {
  const auto files = in_.files();
  for (std::size_t f = 0; f < files.size(); ++f) {
    const auto process = files[f]->header().process;
    out_.process(f + 1, static_cast<std::int32_t>(process) + 1, "process " + std::to_string(process));
  }
  track_count_ = files.size();
  for (const auto& of : in_.tracks()) {
    one_track& result = tracks_.emplace_back();
    result.file = of.file;
    result.place = trace::place_of_track(of.number);
    const auto kind = trace::class_of_track(of.number);
    result.is_block = kind == track_class::block;
    if (kind != track_class::pe && kind != track_class::comm_thread) continue;
    result.number = ++track_count_;
    const auto pid = static_cast<std::int32_t>(files[result.file]->header().process) + 1;
    const bool is_pe = kind == track_class::pe;
    result.name = is_pe ? "PE " + std::to_string(result.place) : "communication thread";
    out_.thread(result.number, pid, (is_pe ? first_pe_thread : first_comm_thread) + result.place,
                result.name);
  }
}

std::string perfetto_conversion::name_of(const one_track& here, name_table table, std::uint32_t id,
                                         const char* otherwise) const {
  const auto named = in_.files()[here.file]->name(table, id);
  return named.empty() ? otherwise + std::to_string(id) : std::string(named);
}

void perfetto_conversion::begin(std::uint32_t track, std::uint64_t time, const walked_frame& frame,
                                const message_account::begun* by) {
  using kind = walked_frame::kind;
  if (frame.what == kind::idle) return;
  const one_track& here = tracks_[track];
  if (frame.what == kind::parked) return out_.begin(here.number, time, "parked", {.category = "parked"});
  static constexpr const char* categories[]{"idle", "parked", "item", "turn", "coroutine"};
  perfetto_file::details more;
  more.category = categories[static_cast<std::size_t>(frame.what)];
  if (by != nullptr) more.ends_flow = by->message.number;
  std::string element;
  if (frame.program) element = element_text(*in_.files()[here.file], frame.group, frame.element);
  more.element = element;
  out_.begin(here.number, time, name_of(here, name_table::entries, frame.entry, "entry "), more);
}

void perfetto_conversion::end(std::uint32_t track, std::uint64_t time, const walked_frame& frame) {
  if (frame.what != walked_frame::kind::idle) out_.end(tracks_[track].number, time);
}

void perfetto_conversion::sent(std::uint32_t track, const record& r, std::uint32_t number) {
  const one_track& here = tracks_[track];
  out_.instant(here.number, r.time, "send " + name_of(here, name_table::entries, r.entry, "entry "),
               {.category = "message", .flow = number, .has_number = true, .number = r.b});
}

void perfetto_conversion::begun_early(std::uint64_t, const message_account::begun& known) {
  out_.instant(tracks_[known.receiver].number, known.times.begun, "message begins",
               {.category = "message", .ends_flow = known.message.number});
}

void perfetto_conversion::other(std::uint32_t track, const record& r) {
  one_track& here = tracks_[track];
  const auto data = [&](const char* what) {
    out_.instant(here.number, r.time, what + name_of(here, name_table::marks, r.group, "mark "),
                 {.category = "data", .element = std::to_string(r.b), .has_number = true, .number = r.a});
  };
  switch (r.kind) {
    case record_kind::operation: return operation(r, here);
    case record_kind::phase_begin:
    case record_kind::phase_end: return phase(r, here);
    case record_kind::mark:
      return out_.instant(here.number, r.time, name_of(here, name_table::marks, r.group, "mark "),
                          {.category = "user", .has_number = true, .number = r.a});
    case record_kind::produced: return data("produced ");
    case record_kind::consumed: return data("consumed ");
    case record_kind::dropped:
      return out_.instant(here.number, r.time, "records dropped", {.has_number = true, .number = r.a});
    default: return;
  }
}

void perfetto_conversion::phase(const record& r, one_track& here) {
  auto& rows = here.phases[r.group];
  const bool ends = r.kind == record_kind::phase_end;
  auto row = std::find_if(rows.begin(), rows.end(),
                          [&](const phase_row& one) { return ends ? one.open == r.b : !one.open; });
  if (ends) {
    if (row == rows.end()) return;  // the phase began before the recording
    out_.end(row->track, r.time);
    row->open.reset();
    return;
  }
  const auto name = name_of(here, name_table::marks, r.group, "mark ");
  if (row == rows.end()) {
    if (rows.size() == most_phase_rows) return;
    row = rows.insert(rows.end(), {++track_count_});
    out_.child(row->track, process_track(here), here.name + ", phase " + printable(name));
  }
  out_.begin(row->track, r.time, name, {.category = "user", .has_number = true, .number = r.a});
  row->open = r.b;
}

void perfetto_conversion::operation(const record& r, one_track& here) {
  std::uint64_t& stream = here.streams[r.group];
  if (stream == 0) {
    stream = ++track_count_;
    const auto whose = in_.files()[here.file]->name(name_table::streams, r.group,
                                                    track_number(track_class::device, here.place));
    out_.child(stream, process_track(here),
               here.is_block
                   ? block_text(here.place)
                   : "device " + std::to_string(here.place) + ", stream " + std::to_string(r.group) +
                         (whose.empty() ? "" : " of " + printable(whose)));
  }
  static constexpr const char* classes[]{"kernel",           "host to device", "device to host",
                                         "device to device", "host function",  "operation"};
  out_.begin(stream, r.time - std::min(r.a, r.time), name_of(here, name_table::marks, r.entry, "operation "),
             {.category = classes[r.detail], .has_number = true, .number = r.b});
  out_.end(stream, r.time);
}

void perfetto_conversion::finish(std::uint64_t time) {
  for (const auto& track : tracks_)
    for (const auto& [name, rows] : track.phases)
      for (const phase_row& row : rows)
        if (row.open) out_.end(row.track, time);
  out_.close();
}

}  // namespace

void convert_to_perfetto(trace::reader& in, const std::string& path) {
  perfetto_conversion result(in, path);
  walk(in, result);
}

}  // namespace imbrex::tools
