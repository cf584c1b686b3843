// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/flow/goal.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/tools/flow/loggops.hpp>

namespace imbrex::tools {
namespace {

using testing::error_of;
using times = std::vector<std::uint64_t>;

constexpr loggops small{.L = 100, .o = 10, .g = 20, .G = 2, .O = 1, .S = 50};

times ends_of(const std::string& text, const loggops& machine = small) {
  return evaluate(parse_goal(text, "a.goal"), machine).ends;
}

TEST(goal, of_a_message_has_the_times_of_loggops) {
  // The sender: o + 9 O. The receiver: o and L until the first byte, o, and 9 G for the rest.
  EXPECT_EQ(ends_of("num_ranks 2\nrank 0 {\nsend 10b to 1 tag 3\n}\nrank 1 {\nrecv 10b from 0 tag 3\n}\n"),
            (times{10 + 9, 10 + 100 + 10 + 18}));
  // Two messages leave g + 9 G apart.
  EXPECT_EQ(ends_of("num_ranks 2\nrank 0 {\nsend 10b to 1\nsend 10b to 1\n}\n"
                    "rank 1 {\nrecv 10b from -1\nrecv 10b from 0 tag -1\n}\n"),
            (times{38 + 10 + 9, 38 + 10 + 100 + 10 + 18}));
}

TEST(goal, of_a_long_message_waits_for_its_receive) {
  const std::string text =
      "num_ranks 2\nrank 0 {\nl1: send 60b to 1\nl2: calc 5\nl2 requires l1\n}\n"
      "rank 1 {\nl1: calc 1000\nl2: recv 60b from 0\nl2 requires l1\n}\n";
  // The sender goes on when the receive has begun.
  EXPECT_EQ(ends_of(text), (times{1'000 + 5, 1'000 + 10 + 118}));
  loggops eager = small;
  eager.S = 60;
  EXPECT_EQ(ends_of(text, eager), (times{10 + 59 + 5, 1'000 + 10 + 118}));
}

TEST(goal, keeps_dependencies_on_starts_and_ends) {
  // LogGOPSim begins an operation when its processor is free, though one of another processor ends later.
  EXPECT_EQ(ends_of("num_ranks 1\nrank 0 {\na: calc 100 cpu 0\nb: calc 50 cpu 1\nb requires a\n}"),
            (times{100}));
  EXPECT_EQ(ends_of("num_ranks 1\nrank 0 {\na: calc 100\nb: calc 50\nb requires a\n}"), (times{150}));
  EXPECT_EQ(ends_of("num_ranks 1\n// a comment\nrank 0 { /* another\none */\na: calc 100\nb: calc 50\nb "
                    "irequires a\n}"),
            (times{150}));
}

TEST(goal, that_is_wrong_is_refused_with_its_line) {
  const std::string begin = "num_ranks 2\nrank 0 {\n";
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"rank 0 {\n}\n", "line 1: there is no num_ranks"},
      {"", "there is no num_ranks"},
      {"num_ranks 0\n", "at least one rank"},
      {"num_ranks 2\nnum_ranks 2\n", "line 2: num_ranks is there twice"},
      {"num_ranks 2\nrank 2 {\n}\n", "line 2: 2 is no rank from 0 to 1"},
      {begin + "}\nrank 0 {\n}\n", "line 4: rank 0 is there twice"},
      {begin + "calc 5\n", "ends inside of rank 0"},
      {begin + "send 10 to 1\n}\n", "such as 10b"},
      {begin + "send 10b from 1\n}\n", "expected to"},
      {begin + "send 10b to -1\n}\n", "from 0 to 1"},
      {begin + "recv 10b from 7\n}\n", "or -1 for any"},
      {begin + "calc 5 tag 3\n}\n", "tag"},
      {begin + "calc x\n}\n", "line 3: x is no time"},
      {begin + "a: calc 1\na: calc 2\n}\n", "line 4: the label a is there twice"},
      {begin + "a: calc 1\na requires b\n}\n", "the label b is not defined"},
      {begin + "a: walk 1\n}\n", "send, recv or calc, not walk"},
      {begin + "a calc 1\n}\n", "l2 requires l1"},
      {begin + "calc 1 /* \n}\n", "not closed"},
      {begin + "calc 1 ,\n}\n", "end of the line"}};
  for (const auto& [text, part] : wrong) {
    const std::string text_of_error = error_of<usage_error>([&] { parse_goal(text, "a.goal"); });
    EXPECT_NE(text_of_error.find(part), std::string::npos) << part << ": " << text_of_error;
    EXPECT_EQ(text_of_error.find("a.goal, line "), 0U) << text_of_error;
  }
}

TEST(goal, without_a_partner_does_not_end) {
  const std::string text_of_error =
      error_of<error>([&] { ends_of("num_ranks 2\nrank 1 {\nrecv 1b from 0\n}\n"); });
  EXPECT_NE(text_of_error.find("1 operations of the schedule never end"), std::string::npos) << text_of_error;
  EXPECT_NE(error_of<error>([&] {
              ends_of("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n");
            }).find("rank 0 never begins"),
            std::string::npos);
}

TEST(loggops, takes_its_parameters_by_name) {
  const loggops read = parse_loggops("L=1,G=7,S=0");
  EXPECT_EQ(read.L, 1U);
  EXPECT_EQ(read.G, 7U);
  EXPECT_EQ(read.S, 0U);
  EXPECT_EQ(read.o, loggops().o);
  for (const char* const wrong : {"x=1", "L", "L=", "L=-1", "L=1.5", "L=1,,o=2", "LL=3"})
    EXPECT_NE(error_of<usage_error>([&] { parse_loggops(wrong); }).find("L=2500"), std::string::npos)
        << wrong;
}

}  // namespace
}  // namespace imbrex::tools
