// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/convert_to_otf2.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <imbrex/tools/trace/block_text.hpp>
#include <imbrex/tools/trace/element_text.hpp>
#include <imbrex/tools/trace/otf2_archive.hpp>
#include <imbrex/tools/trace/walk.hpp>

namespace imbrex::tools {
namespace {

using trace::name_table;
using trace::record;
using trace::record_kind;
using trace::track_class;

constexpr OTF2_SystemTreeNodeRef job = 0;
constexpr OTF2_AttributeRef element_attribute = 0;
constexpr OTF2_AttributeRef entry_attribute = 1;
constexpr OTF2_AttributeRef bytes_attribute = 2;
constexpr OTF2_AttributeRef stretch_attribute = 3;
constexpr std::size_t most_texts = 1U << 17U;           // element names; damaged files may contain any number
constexpr std::size_t most_phases = 1U << 12U;          // open phases of a PE
constexpr std::size_t most_device_streams = 1U << 10U;  // streams of a device
constexpr std::uint32_t further_streams = ~std::uint32_t{0};

/// Attributes of the next event; writing the event removes them.
class attributes {
 public:
  attributes() : list_(OTF2_AttributeList_New()) {}
  OTF2_AttributeList* text(OTF2_AttributeRef which, OTF2_StringRef value) {
    OTF2_AttributeList_AddStringRef(list_.get(), which, value);
    return list_.get();
  }
  OTF2_AttributeList* number(OTF2_AttributeRef which, std::uint64_t value) {
    OTF2_AttributeList_AddUint64(list_.get(), which, value);
    return list_.get();
  }

 private:
  struct deletes {
    void operator()(OTF2_AttributeList* list) const { OTF2_AttributeList_Delete(list); }
  };
  std::unique_ptr<OTF2_AttributeList, deletes> list_;
};

class otf2_conversion final : public walk_observer {
 public:
  otf2_conversion(const trace::reader& in, const std::string& folder) : in_(in), out_(folder) {}

  void start(std::uint64_t time) override;
  void begin(std::uint32_t track, std::uint64_t time, const walked_frame& frame,
             const message_account::begun* by) override;
  void end(std::uint32_t track, std::uint64_t time, const walked_frame& frame) override;
  void sent(std::uint32_t track, const record& r, std::uint32_t number) override;
  void begun_early(std::uint64_t time, const message_account::begun& known) override;
  void other(std::uint32_t track, const record& r) override;
  void finish(std::uint64_t time) override;

 private:
  /// A PE, or a stream of a device.
  struct location {
    OTF2_LocationRef self = 0;
    OTF2_EvtWriter* events = nullptr;
    std::uint64_t last = 0;  // time of its last event
    bool is_on = true;
  };
  struct open_phase {
    std::uint64_t begun = 0;
    std::uint64_t number = 0;
  };
  using element_key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // file, collection, element
  struct one_track {
    std::uint32_t file = 0;
    std::uint32_t place = 0;
    bool is_block = false;
    location pe{};  // without a writer if the track is no PE
    std::map<std::pair<std::uint32_t, std::uint64_t>, open_phase> phases;
    OTF2_LocationGroupRef device = OTF2_UNDEFINED_LOCATION_GROUP;
    std::map<std::uint32_t, location> streams;
  };

  void define_pes();
  OTF2_RegionRef region_of(const one_track& here, const walked_frame& frame);
  OTF2_StringRef element_of(const one_track& here, const walked_frame& frame);
  void received(const message_account::begun& known, std::uint64_t time);
  void moment(const record& r, one_track& here);
  void phase(const record& r, one_track& here);
  void mark_phase(const one_track& here, std::uint32_t name, const open_phase& phase, std::uint64_t end);
  void switched(location& where, std::uint64_t time, bool is_on);
  void operation(const record& r, std::uint32_t track);
  location& stream(std::uint32_t track, std::uint32_t number);
  std::string name_of(const one_track& here, name_table table, std::uint32_t id, const char* otherwise) const;

  // Makes the times of a location non-decreasing, even if its clock went backwards.
  static std::uint64_t in_order(location& where, std::uint64_t time) {
    return where.last = std::max(where.last, time);
  }

  const trace::reader& in_;
  otf2_archive out_;
  attributes attributes_;
  std::vector<one_track> tracks_;
  std::unordered_map<std::uint32_t, std::uint32_t> ranks_;  // key: PE; value: rank in the communicator
  OTF2_LocationRef location_count_ = 0;
  OTF2_LocationGroupRef group_count_ = 0;
  std::map<element_key, OTF2_StringRef> element_texts_;
  std::uint64_t start_ = 0;
};

void otf2_conversion::start(std::uint64_t time) {
  start_ = time;
  out_.attribute(element_attribute, "element", OTF2_TYPE_STRING);
  out_.attribute(entry_attribute, "entry", OTF2_TYPE_STRING);
  out_.attribute(bytes_attribute, "bytes", OTF2_TYPE_UINT64);
  out_.attribute(stretch_attribute, "stretch", OTF2_TYPE_UINT64);
  out_.system_tree_node(job, "job", "machine");
  for (const auto& file : in_.files())
    out_.location_group(group_count_++, "process " + std::to_string(file->header().process),
                        OTF2_LOCATION_GROUP_TYPE_PROCESS, OTF2_UNDEFINED_LOCATION_GROUP);
  define_pes();
}

void otf2_conversion::define_pes() {
  for (const auto& of : in_.tracks()) {
    one_track& result = tracks_.emplace_back();
    result.file = of.file;
    result.place = trace::place_of_track(of.number);
    result.is_block = trace::class_of_track(of.number) == track_class::block;
    if (trace::class_of_track(of.number) != track_class::pe) continue;
    result.pe.self = location_count_++;
    result.pe.events = out_.location(result.pe.self, "PE " + std::to_string(result.place),
                                     OTF2_LOCATION_TYPE_CPU_THREAD, result.file);
    ranks_.emplace(result.place, static_cast<std::uint32_t>(ranks_.size()));
  }
}

std::string otf2_conversion::name_of(const one_track& here, name_table table, std::uint32_t id,
                                     const char* otherwise) const {
  const auto named = in_.files()[here.file]->name(table, id);
  return named.empty() ? otherwise + std::to_string(id) : std::string(named);
}

OTF2_RegionRef otf2_conversion::region_of(const one_track& here, const walked_frame& frame) {
  using kind = walked_frame::kind;
  if (frame.what == kind::idle) return out_.region(otf2_region::idle, "idle");
  if (frame.what == kind::parked) return out_.region(otf2_region::idle, "parked");
  return out_.region(frame.program ? otf2_region::program : otf2_region::runtime,
                     name_of(here, name_table::entries, frame.entry, "entry "));
}

OTF2_StringRef otf2_conversion::element_of(const one_track& here, const walked_frame& frame) {
  const element_key key{here.file, frame.group, frame.element};
  const auto known = element_texts_.find(key);
  if (known != element_texts_.end()) return known->second;
  if (element_texts_.size() == most_texts) return out_.string("further elements");
  const auto text = element_text(*in_.files()[here.file], frame.group, frame.element);
  return element_texts_[key] = out_.string(text);
}

void otf2_conversion::begin(std::uint32_t track, std::uint64_t time, const walked_frame& frame,
                            const message_account::begun* by) {
  one_track& here = tracks_[track];
  const auto region = region_of(here, frame);
  auto* const of = frame.program ? attributes_.text(element_attribute, element_of(here, frame)) : nullptr;
  out_.check(OTF2_EvtWriter_Enter(here.pe.events, of, in_order(here.pe, time), region));
  if (by != nullptr) received(*by, time);
}

void otf2_conversion::end(std::uint32_t track, std::uint64_t time, const walked_frame& frame) {
  one_track& here = tracks_[track];
  out_.check(OTF2_EvtWriter_Leave(here.pe.events, nullptr, in_order(here.pe, time), region_of(here, frame)));
}

void otf2_conversion::sent(std::uint32_t track, const record& r, std::uint32_t number) {
  one_track& here = tracks_[track];
  const auto to = ranks_.find(r.group);
  if (here.pe.events == nullptr || to == ranks_.end()) return;
  const auto entry = out_.string(name_of(here, name_table::entries, r.entry, "entry "));
  out_.check(OTF2_EvtWriter_MpiSend(here.pe.events, attributes_.text(entry_attribute, entry),
                                    in_order(here.pe, r.time), to->second, 0, number, r.b));
}

// Readers match messages between two PEs by tag. The message number as the tag matches messages that overtake
// others, too.
void otf2_conversion::received(const message_account::begun& known, std::uint64_t time) {
  const one_track& sender = tracks_[known.message.sender];
  one_track& here = tracks_[known.receiver];
  if (sender.pe.events == nullptr || known.message.to != here.place) return;
  out_.check(OTF2_EvtWriter_MpiRecv(here.pe.events, nullptr, in_order(here.pe, time), ranks_.at(sender.place),
                                    0, known.message.number, known.message.bytes));
}

void otf2_conversion::begun_early(std::uint64_t time, const message_account::begun& known) {
  received(known, time);
}

void otf2_conversion::other(std::uint32_t track, const record& r) {
  one_track& here = tracks_[track];
  if (r.kind == record_kind::operation) return operation(r, track);
  if (here.pe.events == nullptr) return;
  switch (r.kind) {
    case record_kind::mark:
    case record_kind::produced:
    case record_kind::consumed: return moment(r, here);
    case record_kind::phase_begin:
    case record_kind::phase_end: return phase(r, here);
    case record_kind::off: return switched(here.pe, r.time, false);
    case record_kind::dropped: switched(here.pe, here.pe.last, false); return switched(here.pe, r.time, true);
    default: return switched(here.pe, r.time, true);
  }
}

void otf2_conversion::moment(const record& r, one_track& here) {
  const auto name = name_of(here, name_table::marks, r.group, "mark ");
  const bool is_data = r.kind != record_kind::mark;
  const auto parameter =
      out_.parameter(!is_data ? name : (r.kind == record_kind::produced ? "produced " : "consumed ") + name);
  auto* const of = is_data ? attributes_.number(stretch_attribute, r.b) : nullptr;
  out_.check(
      OTF2_EvtWriter_ParameterUnsignedInt(here.pe.events, of, in_order(here.pe, r.time), parameter, r.a));
}

void otf2_conversion::switched(location& where, std::uint64_t time, bool is_on) {
  if (where.is_on == is_on) return;
  where.is_on = is_on;
  out_.check(OTF2_EvtWriter_MeasurementOnOff(where.events, nullptr, in_order(where, time),
                                             is_on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF));
}

void otf2_conversion::phase(const record& r, one_track& here) {
  const std::pair which{r.group, r.b};
  if (r.kind == record_kind::phase_begin) {
    if (here.phases.size() < most_phases) here.phases[which] = {r.time, r.a};
    return;
  }
  const auto open = here.phases.find(which);
  if (open == here.phases.end()) return;  // the phase began before the recording
  mark_phase(here, r.group, open->second, r.time);
  here.phases.erase(open);
}

void otf2_conversion::mark_phase(const one_track& here, std::uint32_t name, const open_phase& phase,
                                 std::uint64_t end) {
  out_.mark(out_.marker(name_of(here, name_table::marks, name, "mark ")), here.pe.self, phase.begun,
            end - phase.begun, std::to_string(phase.number));
}

otf2_conversion::location& otf2_conversion::stream(std::uint32_t track, std::uint32_t number) {
  one_track& here = tracks_[track];
  // Each stream needs two files, and damaged traces may contain any number of streams.
  if (here.streams.size() >= most_device_streams && !here.streams.contains(number)) number = further_streams;
  const auto [known, is_new] = here.streams.try_emplace(number);
  if (!is_new) return known->second;
  const auto device = here.is_block ? block_text(here.place) : "device " + std::to_string(here.place);
  if (here.device == OTF2_UNDEFINED_LOCATION_GROUP) {
    here.device = group_count_++;
    out_.location_group(here.device,
                        "process " + std::to_string(in_.files()[here.file]->header().process) + ", " + device,
                        OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, here.file);
  }
  const auto whose = in_.files()[here.file]->name(name_table::streams, number,
                                                  track_number(track_class::device, here.place));
  known->second.self = location_count_++;
  known->second.events = out_.location(
      known->second.self,
      here.is_block
          ? device
          : device +
                (number == further_streams ? ", further streams" : ", stream " + std::to_string(number)) +
                (whose.empty() ? "" : " of " + std::string(whose)),
      OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, here.device);
  return known->second;
}

void otf2_conversion::operation(const record& r, std::uint32_t track) {
  location& where = stream(track, r.group);
  const auto what = static_cast<trace::operation_class>(r.detail);
  const bool copies = what == trace::operation_class::host_to_device ||
                      what == trace::operation_class::device_to_host ||
                      what == trace::operation_class::device_to_device;
  const auto region = out_.region(copies ? otf2_region::copy : otf2_region::kernel,
                                  name_of(tracks_[track], name_table::marks, r.entry, "operation "));
  const auto begun = in_order(where, r.time - std::min(r.a, r.time));
  start_ = std::min(start_, begun);
  out_.check(OTF2_EvtWriter_Enter(where.events, attributes_.number(bytes_attribute, r.b), begun, region));
  out_.check(OTF2_EvtWriter_Leave(where.events, nullptr, in_order(where, r.time), region));
}

void otf2_conversion::finish(std::uint64_t time) {
  for (const auto& track : tracks_)
    for (const auto& [which, phase] : track.phases) mark_phase(track, which.first, phase, time);
  const auto& head = in_.files().front()->header();
  out_.close(start_, time, static_cast<std::uint64_t>(head.wall_clock) + (start_ - head.started));
}

}  // namespace

void convert_to_otf2(trace::reader& in, const std::string& folder) {
  otf2_conversion result(in, folder);
  walk(in, result);
}

}  // namespace imbrex::tools
