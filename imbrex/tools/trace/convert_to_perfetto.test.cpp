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
#include <imbrex/tools/trace/element_text.hpp>
#include <imbrex/tools/trace/perfetto_file.hpp>
#include <imbrex/tools/trace/random_schedule.test.hpp>
#include <imbrex/trace/temporary_trace.test.hpp>

namespace imbrex::tools {
namespace {

using test::temporary_trace;

/// The fields of a message of Protocol Buffers: numbers, or what lies in them.
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

TEST(ConvertToPerfetto, EndsEachSliceAndEachArrow) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const temporary_trace folder;
    test::random_schedule run(seed, {.processes = 1 + seed % 3,
                                     .pes_a_process = 2,
                                     .steps = 500,
                                     .clock_errors = seed % 2 == 1,
                                     .pauses = true});
    run.write(folder.file());
    trace::reader in(folder.file());
    convert_to_perfetto(in, folder.file("out"));
    const std::string bytes = temporary_trace::bytes_of(folder.file("out"));
    std::map<std::uint64_t, int> open;  // slices, by track
    std::map<std::uint64_t, int> flows;
    std::size_t ended_flows = 0;
    std::size_t operations = 0;
    std::size_t sends = 0;
    for (const field& packet : fields_of(bytes)) {
      ASSERT_EQ(packet.number, 1U);
      const auto content = fields_of(packet.content);
      const auto event = find(content, 11);
      if (!event) continue;
      const auto said = fields_of(event->content);
      const auto type = find(said, 9)->value;
      const auto track = find(said, 11)->value;
      if (type == 1) ++open[track];
      if (type == 2) EXPECT_GE(--open[track], 0);
      if (const auto category = find(said, 22)) {
        operations +=
            category->content == "kernel" || category->content.find("device") != std::string_view::npos;
        sends += type == 3 && category->content == "message" && find(said, 47);
      }
      if (const auto flow = find(said, 47)) ++flows[flow->value];
      if (const auto flow = find(said, 48)) {
        ++ended_flows;
        EXPECT_EQ(flows[flow->value], 1);
      }
    }
    for (const auto& [track, slices] : open) EXPECT_EQ(slices, 0) << track;
    EXPECT_EQ(operations, run.operations.size());
    EXPECT_EQ(sends, run.sent);
    EXPECT_EQ(flows.size(), run.sent);
    EXPECT_EQ(ended_flows,
              static_cast<std::size_t>(std::count_if(run.messages.begin(), run.messages.end(),
                                                     [](const auto& m) { return m.has_begun; })));
  }
}

TEST(ConvertToPerfetto, SaysWhichFileCannotBeWritten) {
  const temporary_trace folder;
  test::random_schedule(1, {.steps = 50}).write(folder.file());
  trace::reader in(folder.file());
  try {
    convert_to_perfetto(in, folder.file("no/out"));
    ADD_FAILURE();
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find("no/out: No such file"), std::string::npos);
  }
}

TEST(ConvertToPerfetto, LeavesNoHalfOfAFile) {
  const temporary_trace folder;
  test::random_schedule(1, {.steps = 50}).write(folder.file());
  {
    const perfetto_file given_up(folder.file("out"));
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
  out.write_name(trace::name_table::elements, 2, 99, "north");
  out.write_name(trace::name_table::collections, 3, 0, "odd\t(8, x)");
  out.write_name(trace::name_table::collections, 4, 0, "worker\t16");
  const trace::file_reader names(folder.file());
  EXPECT_EQ(element_text(names, 1, 0), "block(0, 0, 0)");
  EXPECT_EQ(element_text(names, 1, 2 * 32 + 5 * 4 + 3), "block(2, 5, 3)");
  EXPECT_EQ(element_text(names, 2, 99), "lookup(north)");
  EXPECT_EQ(element_text(names, 2, 98), "lookup(98)");
  EXPECT_EQ(element_text(names, 3, 9), "odd(9)");
  EXPECT_EQ(element_text(names, 4, 9), "worker(9)");
  EXPECT_EQ(element_text(names, 7, 9), "collection 7(9)");
}

}  // namespace
}  // namespace imbrex::tools
