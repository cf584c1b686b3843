// SPDX-License-Identifier: Apache-2.0
#include "apps/moldyn/options.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <imbrex/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace moldyn {
namespace {

using imbrex::testing::error_of;

settings parsed(std::vector<std::string> words) {
  words.insert(words.begin(), "moldyn");
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return parse_settings(static_cast<int>(words.size()), arguments.data());
}

std::string refusal(const std::vector<std::string>& words) {
  return error_of<imbrex::usage_error>([&] { parsed(words); });
}

TEST(options, are_read) {
  const settings of_cube =
      parsed({"--size", "B", "--cells", "12", "--overlap", "none", "--odf", "1,4", "--pes", "3"});
  EXPECT_EQ(of_cube.mm, 13);
  EXPECT_EQ(of_cube.cells, 12);
  EXPECT_EQ(of_cube.how, overlap::none);
  EXPECT_EQ(of_cube.odf, (std::vector<std::int64_t>{1, 4}));
  EXPECT_EQ(of_cube.machine.pes, 3);
  const settings of_torus = parsed({"--model", "torus", "--particles", "500", "--plain", "--cycles", "7"});
  EXPECT_EQ(of_torus.what, model::torus);
  EXPECT_EQ(of_torus.particles, 500);
  EXPECT_TRUE(of_torus.plain);
  EXPECT_EQ(of_torus.cycles, 7);
}

TEST(options, are_refused_with_the_value_and_the_remedy) {
  EXPECT_EQ(refusal({"--model", "cube"}), "--model 'cube': the model must be grande or torus");
  EXPECT_EQ(refusal({"--size", "C"}),
            "--size 'C': the size must be A, B or a whole number from 2 to 1000, such as --size B");
  EXPECT_EQ(refusal({"--overlap", "some"}), "--overlap 'some': the overlap must be none or auto");
  EXPECT_EQ(refusal({"--filled", "1/2"}), "--filled is for --model torus alone; leave it out");
  EXPECT_EQ(refusal({"--model", "torus", "--filled", "3/2"}),
            "--filled '3/2': the part of the rows must be a fraction from 0/1 to 1/1, such as 1/6");
  EXPECT_EQ(refusal({"--plain"}), "--plain is for --model torus alone; leave it out");
  EXPECT_EQ(refusal({"--model", "torus", "--size", "A"}), "--size is for --model grande alone; leave it out");
}

TEST(options, have_no_devices) {
  EXPECT_EQ(refusal({"--device", "emulated"}),
            "--device emulated: this program computes on processors only; leave --device out");
}

}  // namespace
}  // namespace moldyn
