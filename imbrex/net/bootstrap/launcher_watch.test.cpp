// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/bootstrap/launcher_watch.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace {

using imbrex::descriptor;

/// A pipe whose second end is the launcher's.
std::array<descriptor, 2> make_pipe() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  return {descriptor(ends[0]), descriptor(ends[1])};
}

TEST(launcher_watch, ends_the_process_when_the_launcher_has_gone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        auto pipe = make_pipe();
        const imbrex::launcher_watch watch(pipe[0].get());
        pipe[1].close();
        ::sleep(30);
        std::exit(0);
      },
      testing::ExitedWithCode(1), "the launcher of this process has gone");
}

TEST(launcher_watch, lets_go_of_a_launcher_that_is_there) {
  const auto pipe = make_pipe();
  {
    const imbrex::launcher_watch watch(pipe[0].get());
  }
  {
    const imbrex::launcher_watch nobody(-1);
  }
  EXPECT_TRUE(pipe[1]);
}

}  // namespace
