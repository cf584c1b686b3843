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
  const std::vector<std::string> names{"step", "solve", "solve"};  // two processes count differently
  struct open {
    std::uint32_t track;
    std::uint32_t name;
    std::uint64_t which;
    std::uint64_t begun;
  };
  std::vector<open> running;
  std::map<std::string, std::vector<std::uint64_t>> lengths;
  for (std::uint64_t time = 1; time < 5000; time += 1 + random() % 20) {
    if (running.size() < 3 || random() % 2 == 0) {
      running.push_back(
          {static_cast<std::uint32_t>(random() % 3), static_cast<std::uint32_t>(random() % 3), time, time});
      const open& made = running.back();
      account.take(a_record(time, record_kind::phase_begin, 7, made.which, made.name), made.track,
                   names[made.name]);
      continue;
    }
    std::swap(running[random() % running.size()], running.back());
    const open ended = running.back();
    running.pop_back();
    account.take(a_record(time, record_kind::phase_end, 7, ended.which, ended.name), ended.track,
                 names[ended.name]);
    lengths[names[ended.name]].push_back(time - ended.begun);
  }
  account.take(a_record(6000, record_kind::phase_end, 7, 5555, 0), 0, "began before");
  const auto found = account.reports();
  ASSERT_EQ(found.size(), lengths.size());
  for (const phase_report& phases : found) {
    auto& expected = lengths[phases.name];
    std::sort(expected.begin(), expected.end());
    std::uint64_t total = 0;
    for (const auto length : expected) total += length;
    EXPECT_EQ(phases.lengths.count(), expected.size());
    EXPECT_EQ(phases.total, total);
    EXPECT_EQ(phases.lengths.most(), expected.back());
  }
}

}  // namespace
}  // namespace imbrex::tools
