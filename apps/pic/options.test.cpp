// SPDX-License-Identifier: Apache-2.0
#include "apps/pic/options.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <imbrex/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace pic {
namespace {

settings parsed(std::vector<std::string> words) {
  words.insert(words.begin(), "pic");
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return parse_settings(static_cast<int>(words.size()), arguments.data());
}

std::string refusal(const std::vector<std::string>& words) {
  return imbrex::testing::error_of<imbrex::usage_error>([&] { parsed(words); });
}

TEST(options, are_read) {
  const settings setup = parsed({"--grid",   "64",      "--particles", "7",       "--k",
                                 "0",        "--m",     "-3",          "--steps", "5",
                                 "--warmup", "0",       "--odf",       "2,3",     "--distribution",
                                 "linear",   "--slope", "-1,0.5",      "--pes",   "3"});
  EXPECT_EQ(setup.posed.grid, 64);
  EXPECT_EQ(setup.posed.particles, 7);
  EXPECT_EQ(setup.posed.k, 0);
  EXPECT_EQ(setup.posed.m, -3);
  EXPECT_EQ(setup.posed.how, distribution::linear);
  EXPECT_EQ(setup.posed.slope, -1);
  EXPECT_EQ(setup.posed.offset, 0.5);
  EXPECT_EQ(setup.steps, 5);
  EXPECT_EQ(setup.warmup, 0);
  EXPECT_EQ(setup.odf, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(setup.machine.pes, 3);
  const rectangle patch =
      parsed({"--grid", "8", "--distribution", "patch", "--patch", "1,2,0,7"}).posed.patch;
  EXPECT_EQ(patch.left, 1);
  EXPECT_EQ(patch.top, 7);
  EXPECT_EQ(parsed({"--grid", "2"}).posed.k, 0);
}

TEST(options, are_refused_with_the_value_and_the_remedy) {
  EXPECT_EQ(refusal({"--grid", "63"}),
            "--grid '63': the cells along a side must be an even number from 2 to 1048576");
  EXPECT_EQ(
      refusal({"--grid", "8", "--k", "4"}),
      "--k '4': it must be a whole number from 0 to 3: a particle moves by less than the side of the grid "
      "in a step");
  EXPECT_NE(refusal({"--grid", "8", "--m", "8"}).find("--m '8': it must be a whole number from -7 to 7"),
            std::string::npos);
  EXPECT_EQ(refusal({"--attenuation", "1"}),
            "--attenuation '1': the attenuation must be a number between 0 and 1, such as 0.99");
  EXPECT_EQ(refusal({"--slope", "1,3"}), "--slope is for --distribution linear alone; leave it out");
  for (const char* const slope : {"", "1", "1,", "2,1", "nan,1", "1,0", "1,2,3"})
    EXPECT_EQ(refusal({"--distribution", "linear", "--slope", slope}),
              std::string("--slope '") + slope +
                  "': it must be two numbers A,B with B above 0 and no less than A, such as 1,3");
  for (const char* const patch : {"", "1,2,3", "1,2,3,8", "2,1,3,4", "1,2,3,4,5", "-1,2,3,4", "a,2,3,4"})
    EXPECT_EQ(refusal({"--grid", "8", "--distribution", "patch", "--patch", patch}),
              std::string("--patch '") + patch +
                  "': it must be the first and last column and the first and last row, from 0 to 7, such as "
                  "0,9,0,9");
  EXPECT_EQ(refusal({"--particle-time", "5ns"}),
            "--particle-time is for --machine simulated alone; leave it out");
  EXPECT_EQ(refusal({"--device", "emulated"}),
            "--device emulated: this program computes on processors only; leave --device out");
  EXPECT_NE(refusal({"--distribution", "even"}).find("--distribution"), std::string::npos);
}

}  // namespace
}  // namespace pic
