// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/convert_to_perfetto.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <imbrex/tools/trace/element_text.hpp>
#include <imbrex/tools/trace/message_account.hpp>
#include <imbrex/tools/trace/perfetto_file.hpp>
#include <imbrex/tools/trace/readable.hpp>

namespace imbrex::tools {
namespace {

using trace::name_table;
using trace::record;
using trace::record_kind;
using trace::track_class;

// Numbers of threads: those of processes are small, and must be different.
constexpr std::int64_t first_pe_thread = 1'000'000;
constexpr std::int64_t first_comm_thread = 100'000'000;
constexpr std::size_t deepest = 64;
constexpr std::size_t most_rows = 1000;  // of phases of one name on one PE

class conversion {
 public:
  conversion(trace::reader& in, const std::string& path) : in_(in), out_(path), messages_(no_chains_) {}

  void run() {
    describe();
    for (auto piece = in_.next(); !piece.records.empty(); piece = in_.next()) {
      for (const record& r : piece.records) {
        take(r, piece.track);
        tracks_[piece.track].last_record = r.time;
      }
      end_ = piece.records.back().time;
    }
    for (auto& track : tracks_) {
      pop_until(track, 0, end_);
      for (const auto& [name, rows] : track.phases)
        for (const phase_row& row : rows)
          if (row.open) out_.end(row.track, end_);
    }
    out_.close();
  }

 private:
  enum class frame_kind : std::uint8_t { parked, item, turn, coroutine };
  struct frame {
    frame_kind kind;
    std::uint16_t entry;
    std::uint32_t group;
    std::uint64_t element;
  };
  // Where phases of one name are shown, which may overlap: each open one has a row of its own.
  struct phase_row {
    std::uint64_t track = 0;
    std::optional<std::uint64_t> open{};  // which
  };
  struct one_track {
    std::uint32_t file = 0;
    track_class kind = track_class::pe;
    std::uint32_t place = 0;
    std::uint64_t number = 0;  // 0 for what has none on the screen
    std::uint64_t last_record = 0;
    std::vector<frame> stack;
    std::map<std::uint32_t, std::vector<phase_row>> phases;
    std::map<std::uint32_t, std::uint64_t> streams;
  };

  void describe();
  void take(const record& r, std::uint32_t track);
  void item(const record& r, one_track& here, std::uint32_t track);
  void message(const record& r, one_track& here, std::uint32_t track);
  void user(const record& r, one_track& here);
  void phase(const record& r, one_track& here, const std::string& name, const perfetto_file::details& number);
  void operation(const record& r, one_track& here);
  void push(const record& r, one_track& here, frame_kind kind, std::uint64_t ends_flow);
  void pop_until(one_track& here, std::size_t depth, std::uint64_t time);
  std::uint64_t flow_of(const record& r, const one_track& here, std::uint32_t track);
  std::string name_of(const one_track& here, name_table table, std::uint32_t id, const char* otherwise) const;
  std::uint64_t process_track(const one_track& here) const { return here.file + 1; }

  trace::reader& in_;
  perfetto_file out_;
  chain_store no_chains_;
  message_account messages_;
  std::vector<one_track> tracks_;
  std::unordered_map<std::uint32_t, std::uint32_t> senders_;
  std::uint64_t tracks_made_ = 0;
  std::uint64_t end_ = 0;
};

void conversion::describe() {
  const auto files = in_.files();
  for (std::size_t f = 0; f < files.size(); ++f) {
    const auto process = files[f]->header().process;
    out_.process(f + 1, static_cast<std::int32_t>(process) + 1, "process " + std::to_string(process));
  }
  tracks_made_ = files.size();
  for (std::uint32_t t = 0; t < in_.tracks().size(); ++t) {
    one_track& made = tracks_.emplace_back();
    made.file = in_.tracks()[t].file;
    made.kind = trace::class_of_track(in_.tracks()[t].number);
    made.place = trace::place_of_track(in_.tracks()[t].number);
    if (made.kind == track_class::device) continue;
    senders_.emplace(in_.tracks()[t].number, t);
    if (made.kind == track_class::network) continue;
    made.number = ++tracks_made_;
    const auto pid = static_cast<std::int32_t>(files[made.file]->header().process) + 1;
    if (made.kind == track_class::pe)
      out_.thread(made.number, pid, first_pe_thread + made.place, "PE " + std::to_string(made.place));
    else
      out_.thread(made.number, pid, first_comm_thread + made.place, "communication thread");
  }
}

std::string conversion::name_of(const one_track& here, name_table table, std::uint32_t id,
                                const char* otherwise) const {
  const auto named = in_.files()[here.file]->name(table, id);
  return named.empty() ? otherwise + std::to_string(id) : std::string(named);
}

void conversion::take(const record& r, std::uint32_t track) {
  one_track& here = tracks_[track];
  switch (r.kind) {
    case record_kind::arrived: return message(r, here, track);
    case record_kind::sent:
    case record_kind::packed: return here.number == 0 ? void() : message(r, here, track);
    case record_kind::operation: return here.kind == track_class::device ? operation(r, here) : void();
    case record_kind::phase_begin:
    case record_kind::phase_end:
    case record_kind::mark:
    case record_kind::produced:
    case record_kind::consumed: return here.number == 0 ? void() : user(r, here);
    default: return here.kind == track_class::pe ? item(r, here, track) : void();
  }
}

void conversion::push(const record& r, one_track& here, frame_kind kind, std::uint64_t ends_flow) {
  here.stack.push_back({kind, r.entry, r.group, r.b});
  if (kind == frame_kind::parked) return out_.begin(here.number, r.time, "parked", {.category = "parked"});
  static constexpr const char* categories[]{"parked", "item", "turn", "coroutine"};
  perfetto_file::details more;
  more.category = categories[static_cast<std::size_t>(kind)];
  more.ends_flow = ends_flow;
  std::string element;
  if (kind == frame_kind::coroutine || r.detail == static_cast<std::uint8_t>(trace::item_class::entry))
    element = element_text(*in_.files()[here.file], r.group, r.b);
  more.element = element;
  out_.begin(here.number, r.time, name_of(here, name_table::entries, r.entry, "entry "), more);
}

void conversion::pop_until(one_track& here, std::size_t depth, std::uint64_t time) {
  for (; here.stack.size() > depth; here.stack.pop_back()) out_.end(here.number, time);
}

std::uint64_t conversion::flow_of(const record& r, const one_track& here, std::uint32_t track) {
  if (r.a == 0) return 0;
  const auto known = messages_.begin(r, track, here.file);
  return known ? known->message.number : 0;
}

void conversion::item(const record& r, one_track& here, std::uint32_t track) {
  auto& stack = here.stack;
  const bool busy = !stack.empty() && stack.front().kind == frame_kind::item;
  switch (r.kind) {
    case record_kind::item_begin:
      pop_until(here, 0, r.time);
      return push(r, here, frame_kind::item, flow_of(r, here, track));
    case record_kind::entry_begin: {
      const auto flow = flow_of(r, here, track);
      if (busy && stack.size() < deepest) push(r, here, frame_kind::turn, flow);
      return;
    }
    case record_kind::resumed:
      if (busy && stack.size() < deepest) push(r, here, frame_kind::coroutine, 0);
      return;
    case record_kind::entry_end:
    case record_kind::suspended:
      // The innermost that this ends, and what it had begun; as the report has it.
      for (std::size_t depth = stack.size(); depth-- > 0;) {
        const frame& one = stack[depth];
        const bool ends = r.kind == record_kind::entry_end
                              ? one.kind == frame_kind::turn
                              : one.kind == frame_kind::coroutine && one.entry == r.entry &&
                                    one.group == r.group && one.element == r.b;
        if (ends) return pop_until(here, depth, r.time);
      }
      return;
    case record_kind::parked:
      if (!busy && stack.empty()) push(r, here, frame_kind::parked, 0);
      return;
    case record_kind::woken:
      if (!busy) pop_until(here, 0, r.time);
      return;
    case record_kind::item_end:
    case record_kind::off: return pop_until(here, 0, r.time);
    case record_kind::dropped:
      pop_until(here, 0, here.last_record);
      return out_.instant(here.number, r.time, "records dropped", {.has_number = true, .number = r.a});
    default: return;
  }
}

void conversion::message(const record& r, one_track& here, std::uint32_t track) {
  // Its item may have begun before, by clocks that do not agree or stand still.
  const auto begun = [&](const std::optional<message_account::begun>& known) {
    if (known)
      out_.instant(tracks_[known->receiver].number, known->times.begun, "message begins",
                   {.category = "message", .ends_flow = known->message.number});
  };
  if (r.kind == record_kind::sent) {
    const auto name = "send " + name_of(here, name_table::entries, r.entry, "entry ");
    out_.instant(here.number, r.time, name,
                 {.category = "message", .flow = messages_.next_number(), .has_number = true, .number = r.b});
    return begun(messages_.sent(r, track, here.file, 0));
  }
  if (r.kind == record_kind::packed) return begun(messages_.packed(r, track, here.file));
  std::optional<std::uint32_t> packer;
  if (r.b != 0)
    if (const auto found = senders_.find(static_cast<std::uint32_t>(r.b - 1));
        found != senders_.end() && r.b - 1 == found->first)
      packer = found->second;
  messages_.arrived(r, here.file, packer);
}

void conversion::user(const record& r, one_track& here) {
  const auto name = name_of(here, name_table::marks, r.group, "mark ");
  const perfetto_file::details number{.category = "user", .has_number = true, .number = r.a};
  if (r.kind == record_kind::mark) return out_.instant(here.number, r.time, name, number);
  if (r.kind == record_kind::produced || r.kind == record_kind::consumed)
    return out_.instant(
        here.number, r.time, (r.kind == record_kind::produced ? "produced " : "consumed ") + name,
        {.category = "data", .element = std::to_string(r.b), .has_number = true, .number = r.a});
  phase(r, here, name, number);
}

void conversion::phase(const record& r, one_track& here, const std::string& name,
                       const perfetto_file::details& number) {
  auto& rows = here.phases[r.group];
  const auto free = r.kind == record_kind::phase_begin ? std::optional<std::uint64_t>() : std::optional(r.b);
  auto row = std::find_if(rows.begin(), rows.end(), [&](const phase_row& one) { return one.open == free; });
  if (r.kind == record_kind::phase_end) {
    if (row == rows.end()) return;  // it began before the recording did
    out_.end(row->track, r.time);
    row->open.reset();
    return;
  }
  if (row == rows.end()) {
    if (rows.size() == most_rows) return;
    row = rows.insert(rows.end(), {++tracks_made_});
    out_.child(row->track, process_track(here),
               "PE " + std::to_string(here.place) + ", phase " + printable(name));
  }
  out_.begin(row->track, r.time, name, number);
  row->open = r.b;
}

void conversion::operation(const record& r, one_track& here) {
  std::uint64_t& stream = here.streams[r.group];
  if (stream == 0) {
    stream = ++tracks_made_;
    const auto whose = in_.files()[here.file]->name(name_table::streams, r.group,
                                                    track_number(track_class::device, here.place));
    out_.child(stream, process_track(here),
               "device " + std::to_string(here.place) + ", stream " + std::to_string(r.group) +
                   (whose.empty() ? "" : " of " + printable(whose)));
  }
  static constexpr const char* classes[]{"kernel",           "host to device", "device to host",
                                         "device to device", "host function",  "operation"};
  out_.begin(stream, r.time - std::min(r.a, r.time), name_of(here, name_table::marks, r.entry, "operation "),
             {.category = classes[r.detail], .has_number = true, .number = r.b});
  out_.end(stream, r.time);
}

}  // namespace

void convert_to_perfetto(trace::reader& in, const std::string& path) { conversion(in, path).run(); }

}  // namespace imbrex::tools
