// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/balance/trace_record.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <imbrex/balance/record_reader.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/tools/balance/command.hpp>
#include <imbrex/tools/balance/replay.hpp>
#include <imbrex/tools/process/temporary_folder.hpp>

namespace imbrex::trace_record_test {

using namespace tools::balance;
using testing::error_of;

class cell : public chare<cell, index<2>> {
 public:
  void step(int left) {
    spend(std::chrono::microseconds(where()[1] == 0 ? 900 : 100));
    if (left > 1) send<&cell::step>(self(), left - 1);
  }
};

class helper : public chare<helper> {
 public:
  void help() { spend(std::chrono::microseconds(50)); }
};

/// Runs a program of 2 x 4 cells on 4 PEs; the cells of the first column are heavy.
std::string traced(const tools::temporary_folder& folder) {
  options settings{.pes = 4, .machine = machine_kind::simulated};
  settings.trace = folder.file("trace");
  const int status = run(settings, []() -> task<> {
    const auto cells = make_array<cell>({2, 4});
    const auto helpers = make_group<helper>();
    send<&helper::help>(helpers.members());
    send<&cell::step>(cells, 20);
    co_await quiescence();
  });
  EXPECT_EQ(status, 0);
  return settings.trace;
}

TEST(trace_record, has_the_times_of_elements_in_periods) {
  const tools::temporary_folder folder;
  const std::string trace = traced(folder);
  EXPECT_TRUE(is_trace(trace));
  write_record_of_trace(trace, 5, folder.file("record"));
  balance::record_reader record(folder.file("record"));
  EXPECT_EQ(record.run().pes, 4);
  std::vector<double> seconds;
  int periods = 0;
  while (record.next()) {
    ++periods;
    const auto& p = record.period().problem;
    seconds.resize(p.pe.size());
    std::size_t movable = 0;
    for (std::size_t i = 0; i < p.pe.size(); ++i) {
      if (p.movable[i] == 0) continue;
      const auto key = record.names()[i].key;
      EXPECT_EQ(p.coordinates[2 * i], static_cast<float>(key / 4));
      EXPECT_EQ(p.coordinates[2 * i + 1], static_cast<float>(key % 4));
      EXPECT_EQ(p.pe[i], static_cast<int>(key / 2));
      EXPECT_NEAR(p.load[i], record.period().measured[i], 1e-7);
      seconds[movable++] += p.load[i];
    }
    EXPECT_EQ(movable, 8U);
  }
  EXPECT_EQ(periods, 5);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_NEAR(seconds[i], i % 4 == 0 ? 20 * 900e-6 : 20 * 100e-6, 1e-6) << i;
}

TEST(trace_record, is_replayed_by_the_command) {
  const tools::temporary_folder folder;
  const std::string trace = traced(folder);
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(replay_record({.file = trace, .strategies = {"none", "greedy"}, .periods = 10}), 0);
  const std::string text = ::testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("9 decisions for "), std::string::npos) << text;
  EXPECT_NE(text.find("recorded with --trace"), std::string::npos) << text;
  EXPECT_NE(text.find("It does not tell which elements cannot move"), std::string::npos) << text;
}

TEST(trace_record, is_refused_without_elements) {
  const tools::temporary_folder folder;
  options settings{.pes = 2};
  settings.trace = folder.file("trace");
  EXPECT_EQ(run(settings, []() -> task<> { co_return; }), 0);
  EXPECT_NE(error_of<usage_error>([&] {
              return replay_record({.file = settings.trace, .strategies = {"none"}});
            }).find("has no entries of elements"),
            std::string::npos);
}

TEST(trace_record, is_made_of_traces_alone) {
  const test::temporary_file file("imbrexb\n of another kind");
  EXPECT_FALSE(is_trace(file.name()));
  EXPECT_NE(error_of<usage_error>([&] {
              return replay_record({.file = file.name(), .strategies = {"none"}, .periods = 3});
            }).find("--periods is for traces"),
            std::string::npos);
}

}  // namespace imbrex::trace_record_test
