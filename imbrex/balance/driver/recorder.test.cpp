// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <imbrex/balance/driver/enable.hpp>
#include <imbrex/balance/driver/rebalance.hpp>
#include <imbrex/balance/record_reader.hpp>
#include <imbrex/balance/strategy.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>
#include <imbrex/core/array/balance_point.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/testing/machines.hpp>

namespace imbrex::balance_recorder_test {

using balance::record_reader;
using balance::recorded_period;
using test::temporary_file;

constexpr int cells = 48, steps = 24, heavy_steps = 8;

/// A cell of a ring with a spot of heavy cells, which goes round.
class ring_cell : public chare<ring_cell> {
 public:
  task<int> run() {
    while (step_ < steps) {
      const int behind = (where()[0] - 2 * step_ + cells * steps) % cells;
      spend(std::chrono::microseconds(behind < heavy_steps ? 1000 : 100));
      ++step_;
      co_await all_reduce(step_, max);
      co_await balance_point<&ring_cell::run>();
    }
    co_return step_;
  }
  void serialize(auto& ar) { ar(step_); }

 private:
  int step_ = 0;
};

task<> run_ring() {
  const auto ring = make_array<ring_cell>({cells});
  EXPECT_EQ(co_await ring.reduce<&ring_cell::run>(min), steps);
}

options recorded(options settings, const std::string& strategy, const std::string& file) {
  settings.balance.strategy = strategy;
  settings.balance.record = file;
  return settings;
}

options simulated_ring(const std::string& strategy, const std::string& file) {
  options settings;
  settings.machine = machine_kind::simulated;
  settings.pes = 6;
  return recorded(settings, strategy, file);
}

/// The PE of each object after the moves of a period.
std::vector<int> pes_after(const recorded_period& period) {
  std::vector<int> pes = period.problem.pe;
  for (std::size_t i = 0; i < period.moved.size(); ++i) pes[period.moved[i]] = static_cast<int>(period.to[i]);
  return pes;
}

TEST(balance_record, has_the_loads_of_a_run_that_moves_nothing) {
  for (const char* const strategy : {"", "none"}) {
    const temporary_file file("");
    ASSERT_EQ(run(simulated_ring(strategy, file.name()), run_ring), 0);
    record_reader in(file.name());
    EXPECT_EQ(in.run().strategy, "none");
    EXPECT_EQ(in.run().pes, 6);
    double ended = 0;
    while (in.next()) {
      const recorded_period& period = in.period();
      ASSERT_EQ(period.problem.pe.size(), static_cast<std::size_t>(cells));
      EXPECT_EQ(period.problem.dimensions, 1);
      EXPECT_TRUE(period.moved.empty());
      EXPECT_GT(period.ended, ended);
      ended = period.ended;
      for (int i = 0; i < cells; ++i)
        EXPECT_EQ(period.problem.pe[static_cast<std::size_t>(i)], i / (cells / 6));
      if (in.number() < 3) continue;
      const auto heavy = std::ranges::count_if(period.measured, [](float load) { return load > 5e-4F; });
      EXPECT_EQ(heavy, heavy_steps) << in.number();
    }
    EXPECT_GE(in.number(), 10);
  }
}

TEST(balance_record, replayed_with_its_strategy_has_the_decisions_of_the_run) {
  for (const char* const strategy : {"auto", "segments", "curve", "bisect", "refine", "gossip", "random"}) {
    SCOPED_TRACE(strategy);
    const temporary_file file("");
    options settings = simulated_ring(strategy, file.name());
    settings.balance.every_points = 2;
    ASSERT_EQ(run(settings, run_ring), 0);
    record_reader in(file.name());
    const auto& decider = balance::find_strategy(in.run().strategy);
    int steps_taken = 0, moves = 0;
    while (in.next()) {
      const recorded_period& period = in.period();
      if (period.taken != balance::action::act) continue;
      ++steps_taken;
      moves += static_cast<int>(period.moved.size());
      EXPECT_EQ(decider.solve(period.problem.view()), pes_after(period)) << "period " << in.number();
    }
    EXPECT_GE(steps_taken, 3);
    EXPECT_GT(moves, 0);
  }
}

TEST(balance_record, is_written_by_one_process_of_a_job) {
  for (const char* const name : {"threads_4", "processes_2x2"})
    for (const testing::machine& each : testing::machines({name})) {
      const temporary_file file("");
      ASSERT_EQ(testing::run_in_processes(each.processes, recorded(*each.runs.begin(), "rotate", file.name()),
                                          run_ring),
                0);
      record_reader in(file.name());
      while (in.next()) {
        const std::set names(in.names().begin(), in.names().end());  // some may be there twice
        EXPECT_LE(names.size(), static_cast<std::size_t>(cells));
      }
      EXPECT_GE(in.number(), 1) << name;
      ::unlink((file.name() + "-2").c_str());
    }
}

/// Limits the size of files that this process writes.
class small_disk {
 public:
  explicit small_disk(::rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const ::rlimit small{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;
  ~small_disk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  ::sighandler_t handler_;
  ::rlimit before_{};
};

TEST(balance_record, ends_with_a_full_disk_and_the_run_goes_on) {
  const temporary_file file("");
  ::testing::internal::CaptureStderr();
  {
    const small_disk full(6000);
    EXPECT_EQ(run(simulated_ring("none", file.name()), run_ring), 0);
  }
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("goes on without its record"), std::string::npos) << text;
  EXPECT_EQ(text.find("warning", text.find("warning") + 1), std::string::npos) << text;
  record_reader in(file.name());
  while (in.next()) EXPECT_EQ(in.names().size(), static_cast<std::size_t>(cells));
  EXPECT_GE(in.number(), 2);
}

TEST(balance_record, of_a_second_run_goes_into_a_second_file) {
  const temporary_file file("");
  for (int i = 0; i < 2; ++i) ASSERT_EQ(run(simulated_ring("none", file.name()), run_ring), 0);
  const std::string second = file.name() + "-2";
  EXPECT_EQ(record_reader(second).run().pes, 6);
  ::unlink(second.c_str());
}

TEST(balance_record, that_cannot_be_written_is_refused_at_the_start) {
  ::testing::internal::CaptureStderr();
  bool has_begun = false;
  EXPECT_EQ(run(simulated_ring("none", "/no/such/folder/loads.imb"),
                [&]() -> task<> {
                  has_begun = true;
                  co_return;
                }),
            2);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("cannot write the record /no/such/folder/loads.imb"), std::string::npos) << text;
  EXPECT_FALSE(has_begun);
}

}  // namespace imbrex::balance_recorder_test
