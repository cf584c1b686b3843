// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/trace_evidence.hpp>

#include <gtest/gtest.h>

#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/trace/temporary_trace.test.hpp>

namespace {

using imbrex::test::a_record;
using imbrex::test::temporary_trace;
using imbrex::test::trace_builder;
using imbrex::testing::error_of;
using imbrex::trace::record_kind;
namespace trace = imbrex::trace;

constexpr std::uint8_t program = 0;

/// Two PEs. PE 0 computes from 100 to 300, receives at 600 a message that PE 1 sent at 450, and computes
/// until 700. PE 1 computes from 300 to 500. Phase 0 is active on one PE from 150 to 200 and 610 to 650, and
/// on the other from 300 to 495 and 400 to 500. Phase 1 has another name.
std::string write_example(const temporary_trace& folder) {
  std::string file = folder.file();
  trace_builder out(file, {.pes = 2});
  out.entry(0, "block::run");
  out.mark(0, "steps");
  out.mark(1, "other");
  out.write(0, {
                   a_record(100, record_kind::item_begin, 0, 0, 1, 0, program),
                   a_record(150, record_kind::phase_begin, 0, 1, 0),
                   a_record(200, record_kind::phase_end, 0, 1, 0),
                   a_record(300, record_kind::item_end),
                   a_record(600, record_kind::arrived, 0x20),
                   a_record(600, record_kind::item_begin, 0x20, 0, 1, 0, program),
                   a_record(610, record_kind::phase_begin, 0, 5, 0),
                   a_record(650, record_kind::phase_end, 0, 5, 0),
                   a_record(700, record_kind::item_end),
               });
  out.write(1, {
                   a_record(300, record_kind::item_begin, 0, 1, 1, 0, program),
                   a_record(300, record_kind::phase_begin, 0, 2, 0),
                   a_record(310, record_kind::phase_begin, 0, 4, 1),
                   a_record(400, record_kind::phase_begin, 0, 3, 0),
                   a_record(450, record_kind::sent, 0x20, 100, 0, 0),
                   a_record(490, record_kind::phase_end, 0, 4, 1),
                   a_record(495, record_kind::phase_end, 0, 2, 0),
                   a_record(500, record_kind::phase_end, 0, 3, 0),
                   a_record(500, record_kind::item_end),
               });
  out.end();
  return file;
}

TEST(trace_evidence, adds_up_the_time_of_a_phase) {
  const temporary_trace folder;
  const std::string file = write_example(folder);
  EXPECT_EQ(imbrex::tune::read_trace(file, "steps").time.count(), 50 + 200 + 40);
  EXPECT_EQ(imbrex::tune::read_trace(file, "other").time.count(), 180);
}

TEST(trace_evidence, names_the_phases_that_there_are) {
  const temporary_trace folder;
  const std::string file = write_example(folder);
  const std::string error_text = error_of<imbrex::error>([&] { imbrex::tune::read_trace(file, "step"); });
  EXPECT_NE(error_text.find("--phase step: "), std::string::npos) << error_text;
  EXPECT_NE(error_text.find("it has: other, steps"), std::string::npos) << error_text;
}

std::string complaint(const std::string& file, const std::string& phase = "") {
  return error_of<imbrex::error>([&] { imbrex::tune::read_trace(file, phase); });
}

TEST(trace_evidence, ends_a_phase_only_with_its_own_end) {
  const temporary_trace folder;
  const std::string file = folder.file();
  trace_builder out(file);
  out.mark(0, "steps");
  out.mark(1, "open");
  out.write(0, {
                   a_record(100, record_kind::phase_begin, 0, 1, 0),
                   a_record(200, record_kind::phase_end, 0, 7, 0),
                   a_record(300, record_kind::phase_begin, 0, 8, 1),
                   a_record(400, record_kind::phase_end, 0, 1, 0),
               });
  out.end();
  EXPECT_EQ(imbrex::tune::read_trace(file, "steps").time.count(), 300);
  EXPECT_NE(complaint(file, "open").find("1 of these phases have begun and not ended"), std::string::npos);
}

// A phase that began before the recording has only an end.
TEST(trace_evidence, ends_a_phase_only_on_its_own_pe) {
  const temporary_trace folder;
  const std::string file = folder.file();
  trace_builder out(file, {.pes = 2});
  out.mark(0, "steps");
  out.write(0, {a_record(200, record_kind::phase_end, 0, 1, 0)});
  out.write(1, {
                   a_record(100, record_kind::phase_begin, 0, 1, 0),
                   a_record(300, record_kind::phase_end, 0, 1, 0),
               });
  out.end();
  EXPECT_EQ(imbrex::tune::read_trace(file, "steps").time.count(), 200);
}

TEST(trace_evidence, refuses_a_trace_that_is_not_whole) {
  const temporary_trace folder;
  const std::string bytes = temporary_trace::bytes_of(write_example(folder));
  EXPECT_EQ(complaint(folder.file()), "");
  temporary_trace::make_file(folder.file(), bytes.substr(0, bytes.size() - 20));
  EXPECT_NE(complaint(folder.file()).find("its trace is not whole: "), std::string::npos);
  EXPECT_NE(complaint(folder.file()).find("TMPDIR"), std::string::npos);

  for (const auto& [last, expected] :
       {std::pair(a_record(200, record_kind::dropped, 3), "3 of 5 records are missing"),
        std::pair(a_record(100, record_kind::item_end), "it has no length")}) {
    trace_builder out(folder.file());
    out.write(0, {a_record(100, record_kind::item_begin, 0, 0, 1, 0, program), last});
    out.end();
    EXPECT_NE(complaint(folder.file()).find(expected), std::string::npos) << complaint(folder.file());
  }
}

TEST(trace_evidence, tells_where_the_time_of_the_run_went) {
  const temporary_trace folder;
  const auto run = imbrex::tune::read_trace(write_example(folder), "");
  EXPECT_EQ(run.time.count(), 600);
  ASSERT_TRUE(run.seen);
  // In twice 600 ns PE 0 computes 300 ns and PE 1 200 ns; PE 0 waits for the message from 450 to 600.
  EXPECT_DOUBLE_EQ(run.seen->program, 500.0 / 1200);
  EXPECT_DOUBLE_EQ(run.seen->idle_message, 150.0 / 1200);
  EXPECT_DOUBLE_EQ(run.seen->exposed, 150.0 / 1200);
  EXPECT_DOUBLE_EQ(run.seen->idle_device, 0);
  EXPECT_DOUBLE_EQ(run.seen->idle_other, 550.0 / 1200);
  EXPECT_FALSE(run.seen->device);
}

// A message that was ready long before its item began; the parts always sum to the whole time.
TEST(trace_evidence, leaves_out_no_time) {
  const temporary_trace folder;
  const std::string file = folder.file();
  trace_builder out(file);
  out.write(0, {
                   a_record(100, record_kind::item_begin, 0, 0, 1, 0, program),
                   a_record(150, record_kind::sent, 0x10, 8, 0, 0),
                   a_record(200, record_kind::item_end),
                   a_record(500, record_kind::item_begin, 0x10, 0, 1, 0, program),
                   a_record(600, record_kind::item_end),
               });
  out.end();
  const auto seen = imbrex::tune::read_trace(file, "").seen;
  ASSERT_TRUE(seen);
  EXPECT_DOUBLE_EQ(seen->idle_other, 300.0 / 500);
  EXPECT_DOUBLE_EQ(seen->program + seen->runtime + seen->idle_message + seen->idle_device + seen->idle_other,
                   1);
}

}  // namespace
