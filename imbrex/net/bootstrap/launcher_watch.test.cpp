// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/bootstrap/launcher_watch.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

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

TEST(launcher_watch, waits_for_who_outlives_the_launcher) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        auto pipe = make_pipe();
        const imbrex::launcher_watch watch(pipe[0].get());
        {
          const imbrex::outliving_launcher still;
          pipe[1].close();
          ::usleep(200'000);  // enough time for the watch
          std::fputs("still there; ", stderr);
        }
        ::sleep(30);
        std::exit(0);
      },
      testing::ExitedWithCode(1), "still there.*the launcher of this process has gone");
}

/// True if the child of a launcher writes "still there" after the launcher has been killed; and how the child
/// then ended.
std::pair<bool, int> outlive_killed_launcher() {
  const auto output = make_pipe();
  const auto ready = make_pipe();
  const pid_t launcher = ::fork();
  if (launcher == 0) {
    const pid_t parent = ::getpid();
    if (::fork() != 0)
      for (;;) ::pause();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    {
      const imbrex::outliving_launcher still;
      const bool is_written = ::write(ready[1].get(), "r", 1) == 1;
      while (is_written && ::getppid() == parent) ::usleep(1'000);
      if (::write(output[1].get(), "s", 1) != 1) ::_exit(1);
    }
    ::sleep(30);
    ::_exit(0);
  }
  char c = 0;
  EXPECT_EQ(::read(ready[0].get(), &c, 1), 1);
  ::kill(launcher, SIGKILL);
  ::waitpid(launcher, nullptr, 0);
  int status = 0;
  ::waitpid(-1, &status, 0);
  ::fcntl(output[0].get(), F_SETFL, O_NONBLOCK);
  return {::read(output[0].get(), &c, 1) == 1, status};
}

TEST(launcher_watch, puts_off_that_the_kernel_ends_the_process_with_its_launcher) {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
    GTEST_SKIP() << "this kernel, or its emulator, lets nobody adopt orphans";
  const auto [was_there, status] = outlive_killed_launcher();
  EXPECT_TRUE(was_there);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
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
