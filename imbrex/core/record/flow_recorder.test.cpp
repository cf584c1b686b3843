// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/flow_recorder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/device/kernel.hpp>
#include <imbrex/device/stream.hpp>

namespace imbrex::flow_recorder_test {

using namespace std::chrono_literals;
using trace::flow;

constexpr kernel<std::int64_t> touch{
    .name = "touch",
    .host = [](std::int64_t) {},
    .work = [](std::int64_t bytes) { return work_size{.bytes = static_cast<double>(bytes)}; }};

struct pair_of_two : chare<pair_of_two> {
  mailbox<std::vector<char>> in;

  task<std::size_t> run() {
    const auto me = where()[0];
    spend(7us);
    spend_copy(5'000);
    stream work(gpu(), stream_priority::normal, "a pair");
    work.launch(touch, std::int64_t{123'456});
    send<&pair_of_two::in>(peers()[1 - me], 3, std::vector<char>(1'000));
    co_await work.done();
    const auto got = co_await in.receive(3);
    co_return got.size();
  }
};

options recorded_into(const std::string& file) {
  return {.pes = 2,
          .machine = machine_kind::simulated,
          .device = "emulated",
          .device_model = "summit",
          .flow = file};
}

std::size_t count(const flow& f, flow::action_kind kind) {
  return static_cast<std::size_t>(std::ranges::count(f.actions, kind, &flow::action::kind));
}

TEST(recorded_flow, has_the_work_of_a_run_and_what_it_waits_for) {
  const test::temporary_file file("");
  EXPECT_EQ(run(recorded_into(file.name()),
                []() -> task<> {
                  const auto two = make_array<pair_of_two>({2});
                  EXPECT_EQ((co_await two.reduce<&pair_of_two::run>(imbrex::sum)), 2'000U);
                }),
            0);
  const flow f = trace::read_flow(file.name());
  EXPECT_EQ(f.machine, "summit");
  EXPECT_EQ(f.pes(), 2U);
  EXPECT_GT(f.facts.time, 12'000U);
  EXPECT_EQ(std::ranges::count_if(f.messages, [](const auto& m) { return m.bytes > 1'000; }), 2);
  EXPECT_EQ(std::ranges::count(f.shapes, 123'456.0, &flow::shape::bytes), 1);
  EXPECT_EQ(count(f, flow::action_kind::submit), 2U);
  EXPECT_EQ(count(f, flow::action_kind::await), 2U);
  EXPECT_EQ(count(f, flow::action_kind::value), 2U);
  EXPECT_EQ(count(f, flow::action_kind::copy), 2U);
  EXPECT_EQ(count(f, flow::action_kind::end), 1U);
  EXPECT_EQ(std::ranges::count_if(f.actions, [](const auto& a) { return a.value == 7'000; }), 2);
}

TEST(recorded_flow, does_not_change_the_time) {
  const test::temporary_file file("");
  nanoseconds times[2];
  for (nanoseconds& time : times) {
    options how = recorded_into(file.name());
    if (&time == &times[0]) how.flow.clear();
    EXPECT_EQ(run(how,
                  [&]() -> task<> {
                    const auto two = make_array<pair_of_two>({2});
                    co_await two.reduce<&pair_of_two::run>(imbrex::sum);
                    time = now();
                  }),
              0);
  }
  EXPECT_EQ(times[0], times[1]);
}

TEST(recorded_flow, is_refused_for_programs_that_depend_on_time) {
  const test::temporary_file file("old");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(recorded_into(file.name()), []() -> task<> { co_await sleep_for(1ms); }), 0);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("this run has no flow"), std::string::npos) << text;
  EXPECT_THROW(static_cast<void>(trace::read_flow(file.name())), usage_error);
}

TEST(recorded_flow, is_refused_for_a_stream_that_an_entry_waits_for) {
  const test::temporary_file file("old");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(recorded_into(file.name()),
                []() -> task<> {
                  stream work(gpu(), stream_priority::normal, "the main task");
                  work.launch(touch, std::int64_t{1'000'000});
                  work.synchronize();
                  co_return;
                }),
            0);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("blocks its PE"), std::string::npos) << text;
}

TEST(recorded_flow, needs_the_simulated_machine_and_its_polls) {
  const auto complaint = [](auto change) {
    options how = recorded_into("a.flow");
    change(how);
    return error_of<usage_error>([&] { detail::check_fields(how); });
  };
  EXPECT_NE(complaint([](options& how) { how = {.pes = 1, .flow = "f"}; }).find("--machine simulated"),
            std::string::npos);
  EXPECT_NE(
      complaint([](options& how) { how.completion = completion_method::callback; }).find("--completion"),
      std::string::npos);
  EXPECT_NE(complaint([](options& how) { how.poll.turns = 3; }).find("--completion-poll"), std::string::npos);
  EXPECT_NE(complaint([](options& how) { how.shuffle = 3; }).find("--shuffle"), std::string::npos);
  EXPECT_NE(complaint([](options& how) { how.serialize_always = true; }).find("--serialize-always"),
            std::string::npos);
}

}  // namespace imbrex::flow_recorder_test
