// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/process/trial.hpp>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include <imbrex/testing/error_of.hpp>
#include <imbrex/tools/process/descendants.hpp>
#include <imbrex/tools/process/temporary_folder.hpp>

namespace {

using namespace std::chrono_literals;
using imbrex::testing::error_of;
using imbrex::tools::telling_line;
using imbrex::tools::trial_result;
using imbrex::tools::trial_runner;

trial_result shell(const std::string& script, imbrex::nanoseconds limit = 60s) {
  trial_runner trials;
  return trials.run({"sh", "-c", script}, limit);
}

bool is_there(pid_t pid) { return ::kill(pid, 0) == 0 || errno != ESRCH; }

pid_t number_in(const std::string& file) {
  std::ifstream in(file);
  pid_t number = 0;
  in >> number;
  return number;
}

TEST(trial, tells_how_the_program_ended_and_what_it_wrote) {
  const trial_result good = shell("echo one; echo two >&2");
  EXPECT_EQ(good.status, 0);
  EXPECT_FALSE(good.timed_out);
  EXPECT_GT(good.wall, 0ns);
  EXPECT_EQ(good.output, "one\ntwo\n");
  EXPECT_EQ(telling_line(good), "two");
  const trial_result bad = shell("printf 'why\\n\\n'; exit 7");
  EXPECT_EQ(bad.status, 7);
  EXPECT_EQ(telling_line(bad), "why");
  EXPECT_EQ(shell("kill -KILL $$").status, 128 + SIGKILL);
  EXPECT_EQ(telling_line(shell("true")), "");
}

TEST(trial, tells_why_it_failed) {
  EXPECT_EQ(
      telling_line(shell("echo error: old; echo 'app: error: no value  '; echo help; echo more; exit 2")),
      "app: error: no value");
  EXPECT_EQ(telling_line(shell("printf 'begun\\nerror:'; exit 2")), "error:");
  EXPECT_EQ(telling_line(shell("echo one; echo no errors; exit 2")), "no errors");
  EXPECT_EQ(telling_line(shell("echo 'iteration 40, L2 error: 3.1e-06'; echo no disk; exit 2")), "no disk");
  EXPECT_EQ(telling_line(shell("echo 'error: no disk'; echo 'L2 error: 3.1e-06'; exit 2")), "error: no disk");
  EXPECT_EQ(telling_line(shell("exit 2")), "");
}

TEST(trial, takes_as_long_as_the_program) { EXPECT_GE(shell("sleep 0.2").wall, 200ms); }

TEST(trial, has_no_standard_input) { EXPECT_EQ(shell("cat; echo end").output, "end\n"); }

TEST(trial, keeps_the_end_of_long_output) {
  const trial_result much = shell("seq 1 100000");
  EXPECT_EQ(much.output.size(), trial_runner::kept_output);
  EXPECT_EQ(telling_line(much), "100000");
}

TEST(trial, refuses_what_is_no_program) {
  trial_runner trials;
  EXPECT_THROW(trials.run({"./there-is-no-such-program"}, 1s), imbrex::usage_error);
}

TEST(trial, is_ended_when_its_time_is_over) {
  const imbrex::tools::temporary_folder folder;
  const std::string file = folder.file("pid");
  const trial_result long_one = shell("sleep 1000 & echo $! > " + file + "; echo began; wait", 1s);
  EXPECT_TRUE(long_one.timed_out);
  EXPECT_EQ(long_one.status, imbrex::tools::timeout_status);
  EXPECT_EQ(telling_line(long_one), "began");
  EXPECT_FALSE(is_there(number_in(file)));
}

TEST(trial, leaves_nobody_behind) {
  const imbrex::tools::temporary_folder folder;
  const std::string file = folder.file("pid");
  // The child has its own session, so that no signal to the group reaches it, and keeps the output open.
  const trial_result good =
      shell("setsid sleep 1000 & echo $! > " + file + "; until test -s " + file + "; do :; done");
  EXPECT_EQ(good.status, 0);
  EXPECT_GT(number_in(file), 0);
  EXPECT_FALSE(is_there(number_in(file)));
  EXPECT_TRUE(imbrex::tools::running_children().empty());
}

TEST(trial, leaves_what_was_there_before) {
  const pid_t stranger = ::fork();
  if (stranger == 0) {
    ::execlp("sleep", "sleep", "1000", nullptr);
    ::_exit(1);
  }
  EXPECT_EQ(shell("true").status, 0);
  int how = 0;
  EXPECT_EQ(::waitpid(stranger, &how, WNOHANG), 0);
  ::kill(stranger, SIGKILL);
  ::waitpid(stranger, &how, 0);
}

TEST(trial, ends_a_program_that_ignores_requests) {
  const trial_result stubborn = shell("trap '' TERM; while true; do sleep 0.1; done", 100ms);
  EXPECT_TRUE(stubborn.timed_out);
}

TEST(trial, ends_with_who_asked_for_it) {
  for (const int signal : {SIGTERM, SIGQUIT}) {
    const imbrex::tools::temporary_folder folder;
    const std::string file = folder.file("pid");
    try {
      shell("echo $$ > " + file + "; kill -" + std::to_string(signal) + " " + std::to_string(::getpid()) +
            "; sleep 1000");
      FAIL() << "the trial went on";
    } catch (const imbrex::tools::interrupted& e) {
      EXPECT_EQ(e.signal(), signal);
    }
    EXPECT_FALSE(is_there(number_in(file)));
  }
}

TEST(trial, is_run_again_if_we_were_stopped_meanwhile) {
  const imbrex::tools::temporary_folder folder;
  const std::string file = folder.file("runs");
  const trial_result whole =
      shell("echo $$ >> " + file + "; case $(wc -l < " + file + ") in 1) sleep 0.2; kill -CONT " +
            std::to_string(::getpid()) + "; sleep 1000;; *) echo again;; esac");
  EXPECT_EQ(whole.output, "again\n");
  EXPECT_EQ(whole.status, 0);
  EXPECT_LT(whole.wall, 60s);
  EXPECT_GE(whole.lost, 200ms);
  EXPECT_FALSE(is_there(number_in(file)));
}

TEST(trial, is_not_run_again_for_a_stop_before_it) {
  trial_runner trials;
  ::kill(::getpid(), SIGCONT);
  const trial_result whole = trials.run({"true"}, 60s);
  EXPECT_EQ(whole.status, 0);
  EXPECT_EQ(whole.lost, 0ns);
}

TEST(trial, is_given_up_when_we_are_stopped_again_and_again) {
  const imbrex::tools::temporary_folder folder;
  const std::string file = folder.file("runs");
  const std::string error_text = error_of<imbrex::tools::disturbed>(
      [&] { shell("echo >> " + file + "; kill -CONT " + std::to_string(::getpid()) + "; sleep 1000"); });
  EXPECT_NE(error_text.find("given up 5 times"), std::string::npos) << error_text;
  EXPECT_EQ(std::filesystem::file_size(file), 5U);
  EXPECT_TRUE(imbrex::tools::running_children().empty());
}

TEST(trial, gives_signals_back_in_the_end) {
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, nullptr, &before);
  shell("true");
  sigset_t after;
  ::sigprocmask(SIG_BLOCK, nullptr, &after);
  EXPECT_EQ(::sigismember(&before, SIGTERM), ::sigismember(&after, SIGTERM));
  EXPECT_EQ(::sigismember(&after, SIGTERM), 0);
}

TEST(temporary_folder, goes_with_what_it_holds) {
  std::string file;
  {
    const imbrex::tools::temporary_folder folder;
    file = folder.file("a");
    std::ofstream(file) << "text";
    EXPECT_TRUE(std::filesystem::exists(file));
    folder.clear();
    EXPECT_FALSE(std::filesystem::exists(file));
    std::ofstream(file) << "text";
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(file).parent_path()));
}

TEST(temporary_folder, of_a_killed_process_goes_with_the_next) {
  const imbrex::tools::temporary_folder of_a_living_one;
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t other = ::fork();
  if (other == 0) {
    const imbrex::tools::temporary_folder left;
    const std::string file = left.file("a");
    std::ofstream(file) << "text";
    if (::write(ends[1], file.data(), file.size()) > 0) ::raise(SIGKILL);
    ::_exit(1);
  }
  ASSERT_EQ(::waitpid(other, nullptr, 0), other);
  std::string file(4096, '\0');
  file.resize(static_cast<std::size_t>(::read(ends[0], file.data(), file.size())));
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_TRUE(std::filesystem::exists(file));
  const imbrex::tools::temporary_folder next;
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(file).parent_path()));
  EXPECT_TRUE(std::filesystem::exists(of_a_living_one.file("")));
}

}  // namespace
