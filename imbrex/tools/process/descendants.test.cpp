// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/process/descendants.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace {

using imbrex::tools::is_ending;

TEST(is_ending, from_a_SIGKILL_until_the_parent_is_told) {
  const pid_t child = ::fork();
  if (child == 0)
    while (true) ::pause();
  EXPECT_FALSE(is_ending(child));
  ::kill(child, SIGKILL);
  EXPECT_TRUE(is_ending(child));
  ::siginfo_t how{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &how, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(is_ending(child));
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(is_ending(child));
}

TEST(is_ending, of_one_that_gives_a_status) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(3);
  ::siginfo_t how{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &how, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(is_ending(child));
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
}

}  // namespace
