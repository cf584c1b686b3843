// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/convert_to_perfetto.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/tools/trace/element_text.hpp>
#include <imbrex/tools/trace/perfetto_file.hpp>
#include <imbrex/tools/trace/random_schedule.test.hpp>
#include <imbrex/trace/temporary_trace.test.hpp>

namespace imbrex::tools {
namespace {

using test::temporary_trace;

/// A field of a Protocol Buffers message: a number, or nested content.
struct field {
  std::uint32_t number = 0;
  std::uint64_t value = 0;
  std::string_view content{};
};

std::uint64_t take_varint(std::string_view& from) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(from.at(0));
    from.remove_prefix(1);
    value |= std::uint64_t{byte & 127U} << shift;
    if (byte < 128) return value;
  }
}

std::vector<field> fields_of(std::string_view message) {
  std::vector<field> fields;
  while (!message.empty()) {
    const auto tag = take_varint(message);
    field one{static_cast<std::uint32_t>(tag >> 3U)};
    if ((tag & 7U) == 0) {
      one.value = take_varint(message);
    } else if ((tag & 7U) == 1) {
      for (std::size_t k = 0; k < 8; ++k)
        one.value |= std::uint64_t{static_cast<unsigned char>(message.at(k))} << 8 * k;
      message.remove_prefix(8);
    } else {
      EXPECT_EQ(tag & 7U, 2U);
      const auto length = take_varint(message);
      one.content = message.substr(0, length);
      EXPECT_EQ(one.content.size(), length);
      message.remove_prefix(length);
    }
    fields.push_back(one);
  }
  return fields;
}

std::optional<field> find(const std::vector<field>& fields, std::uint32_t number) {
  for (const field& one : fields)
    if (one.number == number) return one;
  return std::nullopt;
}

std::string text(const std::vector<field>& fields, std::uint32_t number) {
  const auto found = find(fields, number);
  return found ? std::string(found->content) : std::string();
}

std::uint64_t number(const std::vector<field>& fields, std::uint32_t which) {
  const auto found = find(fields, which);
  return found ? found->value : 0;
}

constexpr std::uint64_t begins = 1;
constexpr std::uint64_t ends = 2;
constexpr std::uint64_t instant = 3;

struct event {
  std::uint64_t time = 0;
  std::uint64_t type = 0;
  std::uint64_t track = 0;
  std::uint64_t flow = 0;
  std::uint64_t ended_flow = 0;
  std::string name{};
  std::string category{};
};

/// The contents of a converted file.
struct shown {
  std::vector<event> events;
  std::map<std::uint64_t, std::string> tracks;
};

shown converted(const std::string& file, const std::string& to) {
  trace::reader in(file);
  convert_to_perfetto(in, to);
  const std::string bytes = temporary_trace::bytes_of(to);
  shown all;
  std::map<std::uint64_t, std::string> names;
  for (const field& packet : fields_of(bytes)) {
    EXPECT_EQ(packet.number, 1U);
    const auto content = fields_of(packet.content);
    if (const auto interned = find(content, 12)) {
      const auto entry = fields_of(find(fields_of(interned->content), 2)->content);
      names[number(entry, 1)] = text(entry, 2);
    }
    if (const auto described = find(content, 60)) {
      const auto track = fields_of(described->content);
      const auto thread = find(track, 4);
      all.tracks[number(track, 1)] = thread ? text(fields_of(thread->content), 5) : text(track, 2);
    }
    if (const auto happened = find(content, 11)) {
      const auto fields = fields_of(happened->content);
      all.events.push_back({number(content, 8), number(fields, 9), number(fields, 11), number(fields, 47),
                            number(fields, 48), names[number(fields, 10)], text(fields, 22)});
    }
  }
  return all;
}

using times_by_name = std::map<std::string, std::uint64_t>;

/// The time of each thread by its innermost slice.
std::map<std::string, times_by_name> times_of(const shown& all) {
  struct thread {
    std::vector<std::string> stack;
    std::uint64_t since = 0;
  };
  std::map<std::uint64_t, thread> threads;
  std::map<std::string, times_by_name> times;
  for (const event& e : all.events) {
    if (e.type == instant) continue;
    thread& of = threads[e.track];
    if (!of.stack.empty() && e.time > of.since)
      times[all.tracks.at(e.track)][of.stack.back()] += e.time - of.since;
    of.since = e.time;
    if (e.type == begins)
      of.stack.push_back(e.name);
    else
      of.stack.pop_back();
  }
  return times;
}

times_by_name times_of(const test::random_schedule::pe& pe) {
  times_by_name times;
  for (const auto& s : pe.stretches) {
    if (s.begin >= s.end) continue;
    if (s.state == pe_state::program || s.state == pe_state::runtime)
      times["entry" + std::to_string(s.entry)] += s.end - s.begin;
    else if (s.parked)
      times["parked"] += s.end - s.begin;
  }
  return times;
}

TEST(ConvertToPerfetto, ShowsWhatHappenedAndWhen) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const temporary_trace folder;
    test::random_schedule run(seed, {.processes = 1 + seed % 3,
                                     .pes_a_process = 2,
                                     .steps = 500,
                                     .clock_errors = seed % 2 == 1,
                                     .pauses = true});
    run.write(folder.file());
    const shown all = converted(folder.file(), folder.file("out"));
    std::map<std::uint64_t, int> open;  // open slices, by track
    std::map<std::uint64_t, int> flows;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> operations;
    std::uint64_t begun = 0;
    std::vector<std::uint64_t> begins_of_messages;
    std::size_t sends = 0;
    for (const event& e : all.events) {
      if (e.type == begins) ++open[e.track];
      if (e.type == ends) {
        EXPECT_GE(--open[e.track], 0);
      }
      if (e.type == ends && all.tracks.at(e.track).starts_with("device 0, stream"))
        operations.emplace_back(std::max(begun, run.begin), e.time);
      if (e.type == begins) begun = e.time;
      sends += e.type == instant && e.category == "message" && e.flow != 0;
      if (e.flow != 0) {
        EXPECT_TRUE(e.name.starts_with("send entry"));
        ++flows[e.flow];
      }
      if (e.ended_flow != 0) {
        begins_of_messages.push_back(e.time);
        EXPECT_EQ(flows[e.ended_flow], 1);
      }
    }
    for (const auto& [track, slices] : open) EXPECT_EQ(slices, 0) << track;
    EXPECT_EQ(sends, run.sent);
    EXPECT_EQ(flows.size(), run.sent);
    std::vector<std::uint64_t> expected_begins;
    for (const auto& m : run.messages)
      if (m.has_begun) expected_begins.push_back(m.begun);
    std::sort(expected_begins.begin(), expected_begins.end());
    std::sort(begins_of_messages.begin(), begins_of_messages.end());
    EXPECT_EQ(begins_of_messages, expected_begins);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> expected_operations;
    for (const auto& one : run.operations) expected_operations.emplace_back(one.begin, one.end);
    EXPECT_EQ(operations, expected_operations);
    auto times = times_of(all);
    for (std::size_t p = 0; p < run.pes.size(); ++p) {
      const auto name = "PE " + std::to_string(p);
      EXPECT_EQ(times[name], times_of(run.pes[p])) << name;
    }
  }
}

TEST(ConvertToPerfetto, ShowsPhasesByTheThreadThatHasThem) {
  const temporary_trace folder;
  {
    trace::file_writer out(folder.file(), {});
    out.write_name(trace::name_table::marks, 0, 0, "steps");
    for (const std::uint32_t track : {0U, track_number(trace::track_class::comm_thread, 0)})
      out.write(track, std::vector{test::a_record(10, trace::record_kind::phase_begin, 0, 1),
                                   test::a_record(20, trace::record_kind::phase_end, 0, 1)});
    out.end();
  }
  auto times = times_of(converted(folder.file(), folder.file("out")));
  const times_by_name expected{{"steps", 10}};
  EXPECT_EQ(times["PE 0, phase steps"], expected);
  EXPECT_EQ(times["communication thread, phase steps"], expected);
}

TEST(ConvertToPerfetto, SaysWhichFileCannotBeWritten) {
  const temporary_trace folder;
  test::random_schedule(1, {.steps = 50}).write(folder.file());
  trace::reader in(folder.file());
  const std::string error_text =
      testing::error_of<error>([&] { convert_to_perfetto(in, folder.file("no/out")); });
  EXPECT_NE(error_text.find("no/out: No such file"), std::string::npos);
}

TEST(ConvertToPerfetto, LeavesNoHalfOfAFile) {
  const temporary_trace folder;
  test::random_schedule(1, {.steps = 50}).write(folder.file());
  {
    const perfetto_file abandoned_file(folder.file("out"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("out")));
  std::filesystem::create_symlink("/dev/full", folder.file("link"));
  trace::reader in(folder.file());
  EXPECT_THROW(convert_to_perfetto(in, folder.file("link")), error);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
}

TEST(ElementText, HasIndicesOrKeys) {
  const temporary_trace folder;
  trace::file_writer out(folder.file(), {});
  out.write_name(trace::name_table::collections, 1, 0, "block\t(8, 8, 4)");
  out.write_name(trace::name_table::collections, 2, 0, "lookup");
  out.write_name(trace::name_table::elements, 2, 99, "lookup(\"north\")");
  out.write_name(trace::name_table::collections, 3, 0, "odd\t(8, x)");
  out.write_name(trace::name_table::collections, 4, 0, "worker\t16");
  const trace::file_reader names(folder.file());
  EXPECT_EQ(element_text(names, 1, 0), "block(0, 0, 0)");
  EXPECT_EQ(element_text(names, 1, 2 * 32 + 5 * 4 + 3), "block(2, 5, 3)");
  EXPECT_EQ(element_text(names, 2, 99), "lookup(\"north\")");
  EXPECT_EQ(element_text(names, 2, 98), "lookup(98)");
  EXPECT_EQ(element_text(names, 3, 9), "odd(9)");
  EXPECT_EQ(element_text(names, 4, 9), "worker(9)");
  EXPECT_EQ(element_text(names, 7, 9), "collection 7(9)");
}

}  // namespace
}  // namespace imbrex::tools
