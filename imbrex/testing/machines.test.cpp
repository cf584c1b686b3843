// SPDX-License-Identifier: Apache-2.0
#include <imbrex/testing/machines.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/name/operations.hpp>
#include <imbrex/net/connect/fabric_kinds.hpp>
#include <imbrex/testing/error_of.hpp>

namespace machines_test {

using imbrex::options;
using imbrex::task;
using imbrex::testing::error_of;
using imbrex::testing::machine;
using imbrex::testing::machine_by_name;
using imbrex::testing::machines;
using imbrex::testing::run_on;
using imbrex::testing::text_of;

std::vector<std::string> texts_of(const machine& of) {
  std::vector<std::string> texts;
  for (const options& settings : of.runs) texts.push_back(text_of(settings));
  return texts;
}

std::vector<std::string> names_of(const std::vector<machine>& list) {
  std::vector<std::string> names;
  for (const machine& m : list) names.push_back(m.name);
  return names;
}

TEST(machine_by_name, has_the_settings_of_its_name) {
  using texts = std::vector<std::string>;
  EXPECT_EQ(texts_of(machine_by_name("threads_3")), texts{"--machine threads --pes 3"});
  EXPECT_EQ(texts_of(machine_by_name("serialized")), texts{"--machine threads --pes 2 --serialize-always"});
  EXPECT_EQ(texts_of(machine_by_name("delayed")),
            (texts{"--machine threads --pes 3 --net-latency 20us",
                   "--machine threads --pes 3 --serialize-always --net-latency 20us"}));
  EXPECT_EQ(texts_of(machine_by_name("shuffled_2")),
            (texts{"--machine threads --pes 2 --shuffle 1", "--machine threads --pes 3 --shuffle 2"}));
  EXPECT_EQ(texts_of(machine_by_name("deterministic_2")),
            (texts{"--machine deterministic --seed 1 --pes 4", "--machine deterministic --seed 2 --pes 5"}));
  EXPECT_EQ(texts_of(machine_by_name("deterministic")).size(), 20U);
  EXPECT_EQ(texts_of(machine_by_name("balanced_4")),
            (texts{"--machine deterministic --seed 1 --pes 3 --balance random",
                   "--machine deterministic --seed 2 --pes 4 --balance random",
                   "--machine deterministic --seed 3 --pes 5 --balance rotate",
                   "--machine threads --pes 3 --shuffle 4 --balance random"}));
  EXPECT_EQ(texts_of(machine_by_name("shuffled")).size(), 5U);
  EXPECT_EQ(texts_of(machine_by_name("simulated")).front(), "--machine simulated --pes 1");
}

TEST(machine_by_name, has_processes) {
  EXPECT_EQ(machine_by_name("threads_3").processes, 1);
  EXPECT_EQ(machine_by_name("processes_2").processes, 2);
  const machine several = machine_by_name("processes_3x2_comm_thread");
  EXPECT_EQ(several.processes, 3);
  EXPECT_EQ(several.runs.begin()->pes, 2);
  EXPECT_TRUE(several.runs.begin()->comm_thread);
  EXPECT_EQ(texts_of(machine_by_name("processes_2_shuffled")).back(),
            "--machine threads --pes 1 --shuffle 3");
  EXPECT_EQ(texts_of(machine_by_name("processes_2x4_delayed")).back(),
            "--machine threads --pes 4 --net-latency 20us");
}

TEST(machine_by_name, refuses_other_names) {
  for (const char* const name : {"", "threads", "threads_0", "threads_100", "thread_1", "serialized_2",
                                 "processes", "processes_2x", "processes_2x2_slow", "simulated "}) {
    const std::string text = error_of<imbrex::error>([&] { machine_by_name(name); });
    EXPECT_TRUE(
        text.starts_with("there is no machine \"" + std::string(name) + "\" for tests: take threads_N, "))
        << text;
  }
}

TEST(machines, are_those_of_the_names) {
  const std::vector<std::string> all = imbrex::has_network()
                                           ? std::vector<std::string>{"threads_1", "processes_2", "simulated"}
                                           : std::vector<std::string>{"threads_1", "simulated"};
  EXPECT_EQ(names_of(machines({"threads_1", "processes_2", "simulated"})), all);
}

class adder : public imbrex::chare<adder> {
 public:
  int number() const { return 1 + static_cast<int>(where()[0]); }
};

TEST(run_on, runs_a_program_with_each_setting_of_each_machine) {
  for (const machine& on : machines()) {
    std::vector<int> sums;
    EXPECT_EQ(run_on(on,
                     [&]() -> task<> {
                       const auto all = imbrex::make_array<adder>(9);
                       const int sum = co_await all.reduce<&adder::number>(imbrex::sum);
                       sums.push_back(sum);
                     }),
              0)
        << on.name;
    EXPECT_EQ(sums, std::vector<int>(static_cast<std::size_t>(std::ranges::distance(on.runs)), 45))
        << on.name;
  }
}

TEST(run_on, returns_the_first_failure_and_says_with_which_settings) {
  int runs = 0;
  ::testing::internal::CaptureStderr();
  const int status = run_on(machine_by_name("deterministic"), [&]() -> task<int> {
    ++runs;
    co_return runs == 3 ? 7 : 0;
  });
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, 7);
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(text, "status 7 on machine deterministic with --machine deterministic --seed 3 --pes 1\n");
}

}  // namespace machines_test
