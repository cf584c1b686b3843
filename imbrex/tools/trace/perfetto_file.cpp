// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/perfetto_file.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex::tools {

namespace {

// Field numbers, by message.
namespace trace_packet {
constexpr std::uint32_t timestamp = 8, sequence = 10, track_event = 11, interned_data = 12,
                        sequence_flags = 13, track_descriptor = 60;
}
namespace track_descriptor {
constexpr std::uint32_t uuid = 1, name = 2, process = 3, thread = 4, parent = 5, merge_behaviour = 15;
}
namespace process_descriptor {
constexpr std::uint32_t pid = 1, name = 6;
}
namespace thread_descriptor {
constexpr std::uint32_t pid = 1, tid = 2, name = 5;
}
namespace track_event {
constexpr std::uint32_t annotations = 4, type = 9, name = 10, track = 11, categories = 22, flows = 47,
                        ended_flows = 48;
}
namespace annotation {
constexpr std::uint32_t number = 3, text = 6, name = 10;
}
namespace interned {
constexpr std::uint32_t event_names = 2, number = 1, name = 2;
}

constexpr int slice_begin = 1;
constexpr int slice_end = 2;
constexpr int instant_event = 3;
constexpr std::uint64_t do_not_merge = 2;
constexpr std::uint64_t first_of_sequence = 1;
constexpr std::uint64_t needs_first = 2;
constexpr std::size_t bytes_a_write = 1U << 20U;

}  // namespace

unfinished_file::~unfinished_file() {
  if (is_whole_) return;
  std::error_code ignored;
  if (std::filesystem::symlink_status(path_, ignored).type() == std::filesystem::file_type::regular)
    std::filesystem::remove(path_, ignored);
}

perfetto_file::open_file perfetto_file::open(const std::string& path) {
  open_file result(std::fopen(path.c_str(), "wbe"));
  if (!result)
    throw error("cannot write " + path + ": " + std::strerror(errno) +
                "; name a file in a folder that exists and may be written to");
  return result;
}

perfetto_file::perfetto_file(const std::string& path) : file_(open(path)), name_(path) {}

void perfetto_file::process(std::uint64_t track, std::int32_t pid, std::string_view name) {
  protobuf_message process;
  process.number(process_descriptor::pid, static_cast<std::uint64_t>(pid));
  process.text(process_descriptor::name, name);
  protobuf_message result;
  result.number(track_descriptor::uuid, track);
  result.message(track_descriptor::process, process);
  describe(result);
}

void perfetto_file::thread(std::uint64_t track, std::int32_t pid, std::int64_t tid, std::string_view name) {
  protobuf_message thread;
  thread.number(thread_descriptor::pid, static_cast<std::uint64_t>(pid));
  thread.number(thread_descriptor::tid, static_cast<std::uint64_t>(tid));
  thread.text(thread_descriptor::name, name);
  protobuf_message result;
  result.number(track_descriptor::uuid, track);
  result.message(track_descriptor::thread, thread);
  describe(result);
}

void perfetto_file::child(std::uint64_t track, std::uint64_t parent, std::string_view name) {
  protobuf_message result;
  result.number(track_descriptor::uuid, track);
  result.number(track_descriptor::parent, parent);
  result.text(track_descriptor::name, name);
  result.number(track_descriptor::merge_behaviour, do_not_merge);
  describe(result);
}

void perfetto_file::describe(const protobuf_message& track) {
  packet_.clear();
  packet_.message(trace_packet::track_descriptor, track);
  put_packet();
}

void perfetto_file::begin(std::uint64_t track, std::uint64_t time, std::string_view name,
                          const details& more) {
  event(slice_begin, track, time, name, more);
}

void perfetto_file::end(std::uint64_t track, std::uint64_t time) { event(slice_end, track, time, {}, {}); }

void perfetto_file::instant(std::uint64_t track, std::uint64_t time, std::string_view name,
                            const details& more) {
  event(instant_event, track, time, name, more);
}

void perfetto_file::event(int type, std::uint64_t track, std::uint64_t time, std::string_view name,
                          const details& more) {
  packet_.clear();
  packet_.number(trace_packet::timestamp, time);
  event_.clear();
  event_.number(track_event::type, static_cast<std::uint64_t>(type));
  event_.number(track_event::track, track);
  if (type != slice_end) {
    const auto [known, is_new] = names_.emplace(printable(name), names_.size() + 1);
    event_.number(track_event::name, known->second);
    if (is_new) {
      protobuf_message entry;
      entry.number(interned::number, known->second);
      entry.text(interned::name, known->first);
      part_.clear();
      part_.message(interned::event_names, entry);
      packet_.message(trace_packet::interned_data, part_);
    }
  }
  if (!more.category.empty()) event_.text(track_event::categories, more.category);
  if (more.flow != 0) event_.fixed(track_event::flows, more.flow);
  if (more.ends_flow != 0) event_.fixed(track_event::ended_flows, more.ends_flow);
  if (!more.element.empty()) {
    part_.clear();
    part_.text(annotation::name, "element");
    part_.text(annotation::text, more.element);
    event_.message(track_event::annotations, part_);
  }
  if (more.has_number) {
    part_.clear();
    part_.text(annotation::name, "number");
    part_.number(annotation::number, more.number);
    event_.message(track_event::annotations, part_);
  }
  packet_.message(trace_packet::track_event, event_);
  put_packet();
}

void perfetto_file::put_packet() {
  packet_.number(trace_packet::sequence, 1);
  packet_.number(trace_packet::sequence_flags, first_ ? first_of_sequence : needs_first);
  first_ = false;
  constexpr std::uint32_t packet_of_trace = 1;
  packets_.message(packet_of_trace, packet_);
  if (packets_.bytes().size() >= bytes_a_write) flush();
}

void perfetto_file::flush() {
  const std::string& bytes = packets_.bytes();
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
    throw error("cannot write " + name_.path() + " on: " + std::strerror(errno));
  packets_.clear();
}

void perfetto_file::close() {
  flush();
  if (std::fclose(file_.release()) != 0)
    throw error("cannot write " + name_.path() + " on: " + std::strerror(errno));
  name_.keep();
}

}  // namespace imbrex::tools
