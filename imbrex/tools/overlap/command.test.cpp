// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/command.hpp>

#include <gtest/gtest.h>

#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::overlap {
namespace {

using words = std::vector<std::string>;

settings settings_of(const words& line) { return std::get<settings>(parse_command(line)); }

std::string complaint(const words& line) {
  return testing::error_of<usage_error>([&] { parse_command(line); });
}

TEST(command, looks_at_the_networks_of_the_paper) {
  const settings found = settings_of({"programs.toml"});
  EXPECT_EQ(found.file, "programs.toml");
  EXPECT_FALSE(found.json);
  EXPECT_FALSE(found.figures);
  EXPECT_EQ(found.over.latencies,
            (std::vector{microseconds(1), microseconds(2), microseconds(4), microseconds(8)}));
  EXPECT_EQ(found.over.bandwidths.front(), 1);
  EXPECT_EQ(found.over.best_bandwidth(), 5000);
  EXPECT_EQ(found.over.testbed.latency, microseconds(4));
  EXPECT_EQ(found.over.testbed.bandwidth, 950);
  EXPECT_EQ(found.over.testbed.gap, microseconds(1));
}

TEST(command, looks_at_other_networks) {
  const settings found =
      settings_of({"--latency", "8us,500ns,8us", "--bandwidth=1GB/s,2MB/s,0.8Gbit/s", "--testbed",
                   "1.5us,12GB/s", "--gap", "0s", "--json", "--svg", "here", "programs.json"});
  EXPECT_EQ(found.over.latencies, (std::vector{microseconds(0.5), microseconds(8)}));
  EXPECT_EQ(found.over.bandwidths, (std::vector<double>{2, 100, 1000}));
  EXPECT_EQ(found.over.testbed.latency, microseconds(1.5));
  EXPECT_EQ(found.over.testbed.bandwidth, 12'000);
  EXPECT_EQ(found.over.testbed.gap, microseconds(0));
  EXPECT_EQ(found.over.at(microseconds(1), 2).gap, microseconds(0));
  EXPECT_TRUE(found.json);
  EXPECT_EQ(found.figures, "here");
}

TEST(command, measures_recorded_runs) {
  const settings found =
      settings_of({"--from", "run.trace", "--phase", "steps", "--iterations", "20", "--save", "p.json"});
  EXPECT_TRUE(found.from_trace);
  EXPECT_EQ(found.file, "run.trace");
  EXPECT_EQ(found.part.phase, "steps");
  EXPECT_EQ(found.part.iterations, 20U);
  EXPECT_EQ(found.save, "p.json");
  EXPECT_FALSE(found.verify);
}

TEST(command, verifies_the_program_behind_two_dashes) {
  const settings found = settings_of({"--verify", "--phase", "steps", "--latency", "1ms", "--repeat", "5",
                                      "--limit", "2s", "--", "./app", "--json", "--", "x"});
  ASSERT_TRUE(found.verify);
  EXPECT_EQ(found.verify->command, (words{"./app", "--json", "--", "x"}));
  EXPECT_EQ(found.verify->part.phase, "steps");
  EXPECT_EQ(found.verify->repeats, 5);
  EXPECT_EQ(found.verify->limit, std::chrono::seconds(2));
  EXPECT_EQ(found.verify->over.latencies, std::vector{microseconds(1000)});
  EXPECT_EQ(found.verify->over.bandwidths, (std::vector<double>{100, 400, 1000, 10'000}));
  EXPECT_FALSE(found.json);
  const auto usual = settings_of({"--verify", "--", "./app"}).verify;
  EXPECT_EQ(usual->over.latencies.size() * usual->over.bandwidths.size(), 20U);
  EXPECT_EQ(usual->repeats, 3);
}

TEST(command, says_what_is_wrong_and_what_to_write) {
  const std::vector<std::pair<words, const char*>> wrong{
      {{}, "no file; write imbrex overlap FILE"},
      {{"a", "b"}, "unknown argument 'b': imbrex overlap reads one file"},
      {{"a", "--from", "b"}, "choose one of FILE, --from and --verify"},
      {{"a", "--phase", "b"}, "--phase and --iterations are of recorded runs"},
      {{"--from", "a", "--iterations", "0"}, "--iterations 0: the number must be from 1 to"},
      {{"a", "--save", "b"}, "--save writes what was measured: it needs --from"},
      {{"a", "--repeat", "2"}, "--repeat and --limit need --verify"},
      {{"a", "--", "b"}, "a program after -- is run by imbrex overlap --verify only"},
      {{"--verify"}, "--verify: no program; write imbrex overlap --verify -- PROGRAM"},
      {{"--verify", "--"}, "--verify: no program"},
      {{"--verify", "--repeat", "0", "--", "a"}, "--repeat 0: the number must be from 1 to 100"},
      {{"--verify", "--bandwidth", "7B/s", "--", "a"}, "--bandwidth 7B/s: links can be given from 1kB/s"},
      {{"--verify", "--svg", "x", "--", "a"}, "--svg draws the potential overlap"},
      {{"--verify", "--", "a", "--net-latency=1us"}, "--verify: leave out --net-latency of the program"},
      {{"--verify", "--", "a", "--trace", "b"}, "it is run with traces of its own"},
      {{"--verify", "--", "a", "--options", "b"}, "write the program's options out"},
      {{"a", "--jsn"}, "unknown option --jsn; did you mean --json?"},
      {{"a", "--limits=1s"}, "unknown option --limits; did you mean --limit?"},
      {{"a", "--json=3"}, "--json=3: --json takes no value; leave it out"},
      {{"--verify=1", "--", "a"}, "--verify=1: --verify takes no value"},
      {{"a", "--hlep"}, "unknown option --hlep; did you mean --help?"},
      {{"a", "--pes", "3"}, "unknown option --pes"},
      {{"a", "--latency", "0us"}, "--latency 0us: the time must be from 1ns to 60s"},
      {{"a", "--latency", "1us,,2us"}, "--latency 1us,,2us: a value is empty"},
      {{"a", "--latency", ""}, "--latency : a value is empty"},
      {{"a", "--latency", "-1us"}, "-1us"},
      {{"a", "--latency", "nan"}, "--latency nan"},
      {{"a", "--latency", "61s"}, "--latency 61s"},
      {{"a", "--latency"}, "imbrex overlap --help"},
      {{"a", "--bandwidth", "0MB/s"}, "--bandwidth 0MB/s: the bandwidth must be from 1B/s to 1000000GB/s"},
      {{"a", "--bandwidth", "99999999999999999999GB/s"}, "must be from 1B/s to 1000000GB/s"},
      {{"a", "--bandwidth", "1000001GB/s"}, "must be from 1B/s to 1000000GB/s"},
      {{"a", "--bandwidth", "1MB"}, "--bandwidth 1MB"},
      {{"a", "--testbed", "4us"}, "write a latency and a bandwidth"},
      {{"a", "--testbed", "4us,0GB/s"}, "--testbed 0GB/s"},
      {{"a", "--gap", "soon"}, "--gap soon: the time must be from 0ns to 60s"},
      {{"a", "--svg", ""}, "--svg"},
  };
  for (const auto& [line, expected] : wrong)
    EXPECT_NE(complaint(line).find(expected), std::string::npos) << expected << ", got: " << complaint(line);
  std::string many = "1us";
  for (int k = 2; k <= 101; ++k) many += "," + std::to_string(k) + "us";
  EXPECT_NE(complaint({"a", "--latency", many}).find("at most 100 values"), std::string::npos);
}

TEST(command, gives_help) {
  for (const char* const ask : {"--help", "-h"}) {
    const auto help = std::get<std::string>(parse_command(words{ask}));
    for (const char* const option : {"--json", "--svg", "--latency", "--bandwidth", "--testbed", "--gap"})
      EXPECT_NE(help.find(option), std::string::npos) << option;
  }
}

}  // namespace
}  // namespace imbrex::overlap
