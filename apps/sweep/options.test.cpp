// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/options.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/testing/error_of.hpp>

namespace sweep {
namespace {

using imbrex::testing::error_of;

settings parse(std::vector<std::string> words) {
  words.insert(words.begin(), "sweep");
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return parse_settings(int(words.size()), arguments.data());
}

std::string refusal(const std::vector<std::string>& words) {
  return error_of<imbrex::usage_error>([&] { parse(words); });
}

TEST(sweep_options, defaults) {
  const settings setup = parse({});
  EXPECT_EQ(setup.posed.grid, (extents{64, 64, 64}));
  EXPECT_EQ(setup.posed.angles_per_octant, 6);
  EXPECT_EQ(setup.posed.planes, 8);
  EXPECT_EQ(setup.posed.angles, 3);
  EXPECT_EQ(setup.odf, std::vector<std::int64_t>{1});
  EXPECT_FALSE(setup.chares);
  EXPECT_EQ(setup.iterations, 4);
  EXPECT_EQ(setup.warmup, 1);
  EXPECT_EQ(setup.tolerance, 0);
  EXPECT_EQ(setup.spin.count(), 0);
  EXPECT_GE(setup.machine.pes, 1);
  EXPECT_FALSE(setup.check || setup.quiet);
  EXPECT_TRUE(setup.json.empty() && setup.help.empty());
}

TEST(sweep_options, all_are_read_and_the_last_of_several_counts) {
  const settings setup = parse({"--grid=17,9,23",
                                "--angles-per-octant",
                                "10",
                                "--planes=4",
                                "--planes=5",
                                "--angles",
                                "7",
                                "--odf",
                                "1,2,16",
                                "--iters",
                                "7",
                                "--warmup=0",
                                "--tolerance",
                                "1e-4",
                                "--spin",
                                "50us",
                                "--check",
                                "--json",
                                "lines",
                                "--quiet",
                                "--pes",
                                "3"});
  EXPECT_EQ(setup.posed.grid, (extents{17, 9, 23}));
  EXPECT_EQ(setup.posed.angles_per_octant, 10);
  EXPECT_EQ(setup.posed.planes, 5);
  EXPECT_EQ(setup.posed.angles, 7);
  EXPECT_EQ(setup.odf, (std::vector<std::int64_t>{1, 2, 16}));
  EXPECT_EQ(setup.iterations, 7);
  EXPECT_EQ(setup.warmup, 0);
  EXPECT_EQ(setup.tolerance, 1e-4);
  EXPECT_EQ(setup.spin, std::chrono::microseconds(50));
  EXPECT_EQ(setup.json, "lines");
  EXPECT_TRUE(setup.check && setup.quiet);
  EXPECT_EQ(setup.machine.pes, 3);
  EXPECT_EQ(parse({"--chares", "3,2"}).chares, (std::array<std::int64_t, 2>{3, 2}));
}

TEST(sweep_options, unknown_ones_are_refused_with_what_may_be_meant) {
  EXPECT_EQ(refusal({"--plane", "3"}), "unknown option --plane; did you mean --planes?");
  EXPECT_EQ(refusal({"--xyz", "3"}), "unknown option --xyz; see sweep --help");
  EXPECT_EQ(refusal({"64"}), "unknown argument '64': sweep takes options only; see sweep --help");
}

TEST(sweep_options, impossible_values_are_refused_by_name) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {"--grid", {"", "8,8", "8,8,0", "8,8,8,8", "8,8,x", "2147483648,1,1"}},
      {"--angles-per-octant", {"", "0", "-1", "six", "2147483648"}},
      {"--planes", {"", "0", "-1", "1.5"}},
      {"--angles", {"", "0", "-1", "1,2"}},
      {"--odf", {"", "0", "1,,2", "two"}},
      {"--chares", {"", "4", "4,0", "1,2,3", "2x2"}},
      {"--iters", {"", "0", "-5", "1e3"}},
      {"--warmup", {"", "-1"}},
      {"--tolerance", {"", "0", "nan", "-1"}},
      {"--spin", {"", "5", "-1us", "61s", "1h"}},
      {"--json", {""}},
  };
  for (const auto& [option, values] : cases) {
    for (const auto& value : values) {
      const std::string text = refusal({option, value});
      EXPECT_EQ(text.find(option + " '" + value + "': "), 0U) << text;
    }
    EXPECT_NE(refusal({option}).find(option), std::string::npos) << option;
  }
}

TEST(sweep_options, that_contradict_each_other_are_refused) {
  EXPECT_EQ(refusal({"--chares", "2,2", "--odf", "2"}),
            "--chares '2,2': --odf says how many chares there are; leave out one of the two");
  EXPECT_EQ(refusal({"--device", "emulated"}),
            "--device emulated: this program computes on processors only; leave --device out");
  EXPECT_NE(refusal({"--machine", "simulated", "--device-model", "v100", "--no-data"}).find("--no-data: "),
            std::string::npos);
  EXPECT_EQ(refusal({"--machine", "simulated", "--device-model", "v100"}), "");
}

}  // namespace
}  // namespace sweep
