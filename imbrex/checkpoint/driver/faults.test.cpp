// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include <imbrex/checkpoint/driver/checkpoint.hpp>
#include <imbrex/checkpoint/driver/enable.hpp>
#include <imbrex/checkpoint/driver/test_folder.test.hpp>
#include <imbrex/core/array/balance_point.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/testing/machines.hpp>

namespace imbrex::checkpoint_faults_test {

using checkpoints_test::test_folder;
using checkpoints_test::with_folder;
using namespace std::chrono_literals;

constexpr int count = 9;
constexpr int steps = 60;

/// A member of a ring, which takes 1 ms a step, and adds up the words of its two neighbours.
class worker : public chare<worker> {
 public:
  mailbox<std::int64_t> words;

  task<std::int64_t> run() {
    while (step_ < steps) {
      spend(1ms);
      const int me = where()[0];
      for (const int side : {1, count - 1})
        send<&worker::words>(peers()[(me + side) % count], step_, std::int64_t{me} + step_);
      for (int side = 0; side < 2; ++side) {
        const std::int64_t word = co_await words.receive(step_);
        sum_ += word;
      }
      ++step_;
      co_await balance_point<&worker::run>();
    }
    co_return sum_;
  }
  void serialize(auto& ar) { ar(words, step_, sum_); }

 private:
  int step_ = 0;
  std::int64_t sum_ = 0;
};

struct seen_runs {
  int runs = 0;
  int restarts = 0;
  std::set<int> pes{};
  std::int64_t sum = -1;
  nanoseconds end{0};
};

task<> work(seen_runs* seen) {
  ++seen->runs;
  seen->pes.insert(num_pes());
  on_restart([&](const restart_report&) { ++seen->restarts; });
  auto workers = restored<worker>("workers");
  if (!workers) workers = make_array<worker>(dense({count}).named("workers"));
  seen->sum = co_await workers->reduce<&worker::run>(sum);
  seen->end = now();
}

constexpr std::int64_t expected = std::int64_t{steps} * count * (count - 1) + count * steps * (steps - 1);

options on_simulated_machine(const test_folder& folder, std::string faults) {
  options settings = with_folder(*testing::machine_by_name("simulated").runs.begin(), folder);
  settings.pes = 3;
  settings.checkpoint.every_time = 20ms;
  if (!faults.empty()) settings.checkpoint.faults = parse_faults("--fault", faults);
  return settings;
}

TEST(checkpoint_faults, begin_the_run_anew_in_simulated_time) {
  seen_runs undisturbed;
  {
    const test_folder folder;
    ASSERT_EQ(run(on_simulated_machine(folder, ""), [&] { return work(&undisturbed); }), 0);
    EXPECT_GE(folder.list().back().number, 3U);
  }
  EXPECT_EQ(undisturbed.sum, expected);
  seen_runs seen;
  const test_folder folder;
  ASSERT_EQ(
      run(on_simulated_machine(folder, "pe 2 at 70ms; pe 0 at 130ms, pes 5"), [&] { return work(&seen); }),
      0);
  EXPECT_EQ(seen.sum, expected);
  EXPECT_EQ(seen.runs, 3);
  EXPECT_EQ(seen.restarts, 2);
  EXPECT_EQ(seen.pes, (std::set<int>{3, 5}));
  // The steps after the last checkpoint are done twice.
  EXPECT_GT(seen.end, 130ms);
  EXPECT_LT(seen.end, undisturbed.end + 2 * 40ms);
}

TEST(checkpoint_faults, by_chance_change_no_result) {
  for (int seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const test_folder folder;
    options settings = with_folder(testing::seeded(1 + seed % 4, static_cast<std::uint64_t>(seed)), folder);
    settings.checkpoint.every_points = 3;
    settings.checkpoint.faults =
        parse_faults("--fault", "seed " + std::to_string(seed) + " every 4000 events, pes 1..7");
    if (seed % 2 == 0) settings.balance.strategy = "rotate";
    seen_runs seen;
    ASSERT_EQ(run(settings, [&] { return work(&seen); }), 0);
    EXPECT_EQ(seen.sum, expected);
  }
}

TEST(checkpoint_faults, without_progress_end_the_run) {
  const test_folder folder;
  seen_runs seen;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(on_simulated_machine(folder, "seed 3 every 3ms"), [&] { return work(&seen); }), 1);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("the run is given up"), std::string::npos) << text;
  EXPECT_NE(text.find("from the beginning"), std::string::npos) << text;
  EXPECT_EQ(seen.sum, -1);
}

TEST(checkpoint_faults, that_no_machine_can_have_are_refused) {
  const test_folder folder;
  const auto refusal = [&](options settings) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run(settings, []() -> task<> { co_return; }), usage_error::exit_status);
    return ::testing::internal::GetCapturedStderr();
  };
  options settings = on_simulated_machine(folder, "pe 3 at 1s");
  EXPECT_NE(refusal(settings).find("pe 3 at 1s: the run has 3 PEs"), std::string::npos);
  settings.checkpoint.faults = parse_faults("--fault", "pe 1 at 1s");
  settings.checkpoint.folder.clear();
  EXPECT_NE(refusal(settings).find("--checkpoint DIR"), std::string::npos);
  settings = with_folder(testing::threads(2), folder);
  settings.checkpoint.faults = parse_faults("--fault", "pe 1 at 1s");
  EXPECT_NE(refusal(settings).find("--machine simulated"), std::string::npos);
}

}  // namespace imbrex::checkpoint_faults_test
