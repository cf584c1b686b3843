// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/phase_account.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <imbrex/trace/temporary_trace.test.hpp>

namespace imbrex::tools {
namespace {

using test::a_record;
using trace::record_kind;

TEST(PhaseAccount, KnowsPhasesThatOverlap) {
  std::mt19937 random(1);
  phase_account account;
  const std::vector<std::string> names{"step", "solve", "solve"};  // two processes number names differently
  const std::vector<std::string> entries{"block::run", "the main task"};
  struct phase {
    std::uint32_t track;
    std::uint32_t name;
    std::uint64_t which;
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t number;
    std::uint32_t entry;
    std::uint32_t element;
    std::uint64_t program;
  };
  std::vector<phase> running;
  std::vector<phase> ended;
  std::vector<std::uint64_t> program(3);  // time of running the program, by track
  for (std::uint64_t time = 1; time < 5000; time += 1 + random() % 20) {
    for (auto& of_track : program) of_track += random() % 3;
    if (running.size() < 3 || random() % 2 == 0) {
      const auto track = static_cast<std::uint32_t>(random() % 3);
      const phase& new_phase = running.emplace_back(track, random() % 3, time, time, 0, random() % 4,
                                                    random() % 2, random() % 5, program[track]);
      account.take(
          a_record(time, record_kind::phase_begin, new_phase.number, new_phase.which, new_phase.name),
          {track, entries[new_phase.entry], new_phase.element, new_phase.program}, names[new_phase.name]);
      continue;
    }
    std::swap(running[random() % running.size()], running.back());
    phase& done = ended.emplace_back(running.back());
    running.pop_back();
    done.end = time;
    done.program = program[done.track] - done.program;
    account.take(a_record(time, record_kind::phase_end, done.number, done.which, done.name),
                 {.track = done.track, .program_time = program[done.track]}, names[done.name]);
  }
  account.take(a_record(6000, record_kind::phase_end, 7, 5555, 0), {}, "began before");

  const auto expect_sum = [&](const phase_sum& found, const std::vector<phase>& expected) {
    std::uint64_t total = 0;
    std::uint64_t of_program = 0;
    std::uint64_t longest = 0;
    for (const phase& one : expected) {
      total += one.end - one.begin;
      of_program += one.program;
      longest = std::max(longest, one.end - one.begin);
    }
    EXPECT_EQ(found.count, expected.size());
    EXPECT_EQ(found.total, total);
    EXPECT_EQ(found.program, of_program);
    EXPECT_EQ(found.longest, longest);
    EXPECT_TRUE(std::ranges::any_of(expected, [&](const phase& one) {
      return one.end - one.begin == longest && one.element == found.whose;
    }));
  };
  const auto found = account.reports();
  ASSERT_EQ(found.size(), 4U);
  std::size_t all = 0;
  for (const phase_report& phases : found) {
    std::vector<phase> expected;
    for (const phase& one : ended)
      if (names[one.name] == phases.name && entries[one.entry] == phases.entry) expected.push_back(one);
    all += expected.size();
    expect_sum(phases.all, expected);
    EXPECT_EQ(phases.lengths.count(), expected.size());
    EXPECT_EQ(phases.lengths.most(), phases.all.longest);
    ASSERT_EQ(phases.steps.size(), 4U);
    EXPECT_FALSE(phases.more_steps);
    for (std::size_t k = 0; k < 4; ++k) {
      const step_report& step = phases.steps[k];
      EXPECT_EQ(step.number, static_cast<std::int64_t>(k));
      std::vector<phase> of_step;
      std::ranges::copy_if(expected, std::back_inserter(of_step),
                           [&](const phase& one) { return one.number == k; });
      expect_sum(step.all, of_step);
      EXPECT_EQ(step.time.begin, std::ranges::min_element(of_step, {}, &phase::begin)->begin);
      EXPECT_EQ(step.time.end, std::ranges::max_element(of_step, {}, &phase::end)->end);
    }
  }
  EXPECT_EQ(all, ended.size());
}

TEST(PhaseAccount, KeepsNoMoreStepsThanThereIsRoomFor) {
  phase_account account;
  constexpr std::uint64_t phases = 100'010;
  for (std::uint64_t k = 0; k < phases; ++k) {
    account.take(a_record(2 * k, record_kind::phase_begin, k, k, 0), {}, "step");
    account.take(a_record(2 * k + 1, record_kind::phase_end, k, k, 0), {}, "step");
  }
  const auto found = account.reports();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().all.count, phases);
  EXPECT_EQ(found.front().steps.size(), 100'000U);
  EXPECT_TRUE(found.front().more_steps);
}

}  // namespace
}  // namespace imbrex::tools
