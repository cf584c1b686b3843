// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/run_statistics.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include <imbrex/core/array/create.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/core/run/spend.hpp>

namespace imbrex {
namespace {

using detail::idle_cause;
using detail::pe_counts;

TEST(PeCounts, TimeBetweenItemsIsIdleForTheNextOnesCause) {
  pe_counts counts;
  counts.begin(nanoseconds(100), idle_cause::message);
  counts.end(nanoseconds(130));
  counts.begin(nanoseconds(135), idle_cause::device);
  counts.end(nanoseconds(136));
  counts.begin(nanoseconds(138), idle_cause::message);
  counts.end(nanoseconds(140));
  EXPECT_EQ(counts.items.get(), 3U);
  EXPECT_EQ(counts.busy.get(), 33U);
  EXPECT_EQ(counts.idle[0].get(), 2U);
  EXPECT_EQ(counts.idle[1].get(), 5U);
  EXPECT_EQ(counts.idle[2].get(), 0U);
}

TEST(RunStatistics, AddsItsPesUp) {
  const detail::simulated_clock time;
  detail::run_statistics statistics("process 1 of 4: ", time, false);
  auto& first = statistics.add_pe();
  auto& second = statistics.add_pe();
  first.messages.add(3);
  first.bytes.add(1'500);
  first.to_other_pes.add(2);
  second.messages.add(5);
  second.bytes.add(1'000'000);
  second.to_other_pes.add(2);
  second.to_other_processes.add(2);
  first.busy.add(300'000'000);
  second.busy.add(500'000'000);
  second.idle[static_cast<std::size_t>(idle_cause::message)].add(1'000'000'000);
  const auto text = statistics.summary(nanoseconds(2'000'000'000));
  for (const char* const part :
       {"process 1 of 4: the run took 2 s on 2 PEs",
        "8 with 1 MB: 50 % to other PEs, 25 % to other processes", "busy 20 % of the time, idle 80 %",
        "25 % of the time PEs were idle until a message", "0 % until their device"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  const auto says = [&](std::optional<nanoseconds> now, const std::string& part) {
    const auto line = statistics.progress(nanoseconds(4'000'000'000), now);
    EXPECT_NE(line.find(part), std::string::npos) << line;
  };
  says(nanoseconds(4'000'000'000), "4 s: PEs busy 10 %, 8 messages (1 MB)");
  says(std::nullopt, "4 s: 8 messages (1 MB)");  // simulated time is unrelated to the real time
  second.begin(nanoseconds(2'000'000'000), idle_cause::other);
  says(nanoseconds(4'000'000'000), "4 s: PEs busy 35 %");  // includes the running item
}

struct worker : chare<worker> {
  void work() { spend(std::chrono::milliseconds(3)); }
};

TEST(RunStatistics, SaysWhatARunDid) {
  options settings{.pes = 3, .machine = machine_kind::simulated, .reports = {.stats = true}};
  settings.net_latency = std::chrono::milliseconds(3);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(settings,
                []() -> task<> {
                  auto workers = make_array<worker>({3});
                  for (int w = 0; w < 3; ++w)
                    for (int n = 0; n < 2; ++n) send<&worker::work>(workers[w]);
                  co_await quiescence();
                }),
            0);
  // Two PEs wait three milliseconds for messages, then each PE works for six.
  const auto text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("the run took 0.009 s on 3 PEs"), std::string::npos) << text;
  EXPECT_NE(text.find("busy 67 % of the time, idle 33 %"), std::string::npos) << text;
}

/// The percentage of the time in which PEs waited for messages.
int exposed(const std::string& summary) {
  const std::string word = "exposed   ";
  return std::stoi(summary.substr(summary.find(word) + word.size()));
}

TEST(RunStatistics, TheTimeOnAModelledLinkIsExposed) {
  options settings{.pes = 2, .reports = {.stats = true}};
  settings.net_latency = std::chrono::milliseconds(30);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(settings,
                []() -> task<> {
                  auto workers = make_array<worker>({2});
                  for (int n = 0; n < 5; ++n) co_await workers[1].call<&worker::work>();
                }),
            0);
  // Each PE waits for some message all the time; the wait before its first item does not count.
  const auto text = ::testing::internal::GetCapturedStderr();
  EXPECT_GT(exposed(text), 75) << text;
}

TEST(RunStatistics, SaysNothingWhereNobodyAsks) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(options{.pes = 1}, []() -> task<> { co_return; }), 0);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace imbrex
