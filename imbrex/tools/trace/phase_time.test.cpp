// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/phase_time.hpp>

#include <gtest/gtest.h>

#include <random>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/trace/file_writer.hpp>
#include <imbrex/trace/temporary_trace.test.hpp>

namespace imbrex::tools {
namespace {

using test::a_record;
using test::trace_builder;
using trace::record_kind;

TEST(phase_time, passes_while_there_is_a_phase) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    constexpr std::uint64_t end = 200;
    std::vector<interval> phases;
    std::vector<bool> inside(end);
    for (std::size_t k = 0; k < random() % 12; ++k) {
      const std::uint64_t begin = random() % (end - 30);
      const interval& one = phases.emplace_back(begin, begin + random() % 30);
      for (std::uint64_t t = one.begin; t < one.end; ++t) inside[t] = true;
    }
    const phase_time time(phases);
    std::uint64_t passed = 0;
    for (std::uint64_t t = 0; t < end; ++t) {
      EXPECT_EQ(time.passed(t), passed);
      EXPECT_EQ(time.contains(t), inside[t]);
      if (inside[t]) ++passed;
    }
  }
}

void write_phases(const std::string& file) {
  trace_builder out(file, {.pes = 2});
  out.mark(0, "steps");
  out.mark(1, "set up");
  out.write(0, {
                   a_record(50, record_kind::phase_end, 0, 99, 0),  // the begin was not recorded
                   a_record(100, record_kind::phase_begin, 0, 1, 1),
                   a_record(200, record_kind::phase_begin, 0, 2, 0),
                   a_record(250, record_kind::phase_end, 0, 1, 1),
                   a_record(300, record_kind::phase_end, 0, 2, 0),
                   a_record(700, record_kind::phase_begin, 0, 3, 0),
               });
  out.write(1, {
                   a_record(280, record_kind::phase_begin, 0, 2, 0),
                   a_record(400, record_kind::phase_end, 0, 2, 0),
                   a_record(900, record_kind::mark),
               });
  out.end();
}

TEST(phase_time, is_read_from_all_tracks) {
  const test::temporary_trace folder;
  write_phases(folder.file());
  trace::reader in(folder.file());
  const phase_time steps = read_phase(in, "steps");
  EXPECT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps.passed(400), 200U);
  EXPECT_EQ(steps.passed(900), 400U);  // the last phase has not ended
  EXPECT_FALSE(steps.contains(199));
  EXPECT_TRUE(steps.contains(399));
  EXPECT_FALSE(steps.contains(400));
}

TEST(phase_time, of_a_name_that_is_not_there_is_refused) {
  const test::temporary_trace folder;
  write_phases(folder.file());
  trace::reader in(folder.file());
  EXPECT_EQ(testing::error_of<usage_error>([&] { read_phase(in, "step"); }),
            "--phase step: the trace has no such phase; it has set up, steps");
}

}  // namespace
}  // namespace imbrex::tools
