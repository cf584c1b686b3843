// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/ending.hpp>

#include <gtest/gtest.h>
#include <signal.h>

namespace {

using namespace std::chrono_literals;
using imbrex::tools::ending;
using imbrex::tools::verdict;
using imbrex::tools::words_of_ranks;

const verdict::time_point start{};

ending status(const char* name, int value) { return {name, value, {}, {}, false, false}; }
ending killed(const char* name, int signal) { return {name, 128 + signal, signal, {}, false, false}; }
ending announced(const char* name, int value) { return {name, value, {}, value, false, false}; }

TEST(words_of_ranks, name_those_that_a_process_has) {
  EXPECT_EQ(words_of_ranks(0, 2, 8), "ranks 0 to 3");
  EXPECT_EQ(words_of_ranks(1, 2, 8), "ranks 4 to 7");
  EXPECT_EQ(words_of_ranks(1, 3, 4), "rank 1");
  EXPECT_EQ(words_of_ranks(2, 3, 4), "ranks 2 to 3");
  EXPECT_EQ(words_of_ranks(3, 4, 4), "rank 3");
  EXPECT_EQ(words_of_ranks(0, 4, 1), "no rank");
}

TEST(verdict, has_nothing_to_say_of_success) {
  verdict job;
  job.add(status("rank 0", 0), start);
  job.add(announced("rank 1", 0), start);
  EXPECT_EQ(job.status(), 0);
  EXPECT_FALSE(job.failed_at());
  EXPECT_FALSE(job.message_due());
}

TEST(verdict, takes_the_first_failure) {
  verdict job;
  job.add(status("rank 1", 3), start);
  job.add(status("rank 0", 4), start + 1ms);
  job.settle(start + verdict::settling_time);
  job.add(killed("rank 2", SIGKILL), start + 1s);
  EXPECT_EQ(job.status(), 3);
  EXPECT_EQ(job.failed_at(), start);
  ASSERT_TRUE(job.message_due());
  EXPECT_EQ(job.message(), "rank 1 ended with status 3");
  EXPECT_EQ(job.message(), "");
  EXPECT_FALSE(job.message_due());
}

TEST(verdict, takes_a_death_before_those_who_learned_of_it) {
  verdict job;
  job.add(announced("rank 3", 1), start);
  job.add(status("rank 0", 1), start + 1ms);
  job.add(killed("rank 1", SIGKILL), start + 2ms);
  EXPECT_EQ(job.status(), 137);
  EXPECT_EQ(job.message(), "rank 1 ended by signal 9 (Killed)");
}

TEST(verdict, is_silent_about_an_announced_status) {
  verdict job;
  job.add(announced("rank 1", 3), start);
  EXPECT_EQ(job.status(), 3);
  EXPECT_FALSE(job.failed_at());
  EXPECT_FALSE(job.message_due());
}

TEST(verdict, knows_an_announced_status_by_its_low_bits) {
  for (const int announced_status : {-1, 300}) {
    verdict job;
    job.add({"rank 1", announced_status & 255, {}, announced_status, false, false}, start);
    EXPECT_EQ(job.status(), announced_status & 255);
    EXPECT_FALSE(job.failed_at());
    EXPECT_FALSE(job.message_due());
  }
}

TEST(verdict, speaks_of_a_failure_after_an_announced_end) {
  verdict job;
  job.add(announced("rank 1", 3), start);
  job.settle(start + 1s);
  job.add(killed("rank 0", SIGSEGV), start + 10s);
  EXPECT_EQ(job.status(), 3);
  EXPECT_EQ(job.failed_at(), start + 10s);
  EXPECT_EQ(job.message(), "rank 0 ended by signal 11 (Segmentation fault)");
}

TEST(verdict, does_not_believe_another_status_than_the_announced) {
  verdict job;
  ending one = status("rank 1", 4);
  one.announced = 0;
  job.add(one, start);
  EXPECT_EQ(job.status(), 4);
  EXPECT_TRUE(job.message_due());
}

TEST(verdict, says_the_first_complaint) {
  verdict job;
  job.complain("rank 0 hears nothing of rank 1", start);
  job.complain("rank 1 hears nothing of rank 0", start + 1ms);
  job.add(announced("rank 0", 1), start + 2ms);
  EXPECT_EQ(job.status(), 1);
  EXPECT_EQ(job.failed_at(), start);
  EXPECT_EQ(job.message_due(), start + verdict::settling_time);
  EXPECT_EQ(job.message(), "rank 0 hears nothing of rank 1");
  job.complain("late", start + 1s);
  EXPECT_EQ(job.message(), "");
}

TEST(verdict, says_a_death_in_place_of_a_complaint) {
  verdict job;
  job.complain("rank 0 cannot reach rank 1", start);
  EXPECT_EQ(job.status(), 1);
  job.add(killed("rank 1", SIGKILL), start + 100ms);
  EXPECT_EQ(job.status(), 137);
  EXPECT_EQ(job.message(), "rank 1 ended by signal 9 (Killed)");
}

// On a busy machine the launcher itself may get no processor, and see timely endings late.
TEST(verdict, decides_nothing_before_all_that_has_come_was_added) {
  verdict job;
  job.complain("rank 0 cannot reach rank 1", start);
  job.settle(start);
  EXPECT_TRUE(job.is_open());
  job.add(announced("rank 0", 1), start + 7s);
  job.add(killed("rank 1", SIGKILL), start + 7s);
  job.settle(start + 7s);
  EXPECT_FALSE(job.is_open());
  EXPECT_EQ(job.status(), 137);
  EXPECT_EQ(job.message(), "rank 1 ended by signal 9 (Killed)");
}

TEST(verdict, waits_for_one_that_is_ending) {
  verdict job;
  job.complain("rank 0 cannot reach rank 1", start);
  job.expect_another(start + 150ms);
  EXPECT_EQ(job.message_due(), start + 150ms + verdict::settling_time);
  job.add(announced("rank 0", 1), start + 160ms);
  job.settle(start + 349ms);
  job.add(killed("rank 1", SIGKILL), start + 349ms);
  EXPECT_EQ(job.status(), 137);
  EXPECT_EQ(job.message(), "rank 1 ended by signal 9 (Killed)");
}

TEST(verdict, does_not_wait_for_ever_for_one_that_is_ending) {
  verdict job;
  job.complain("rank 0 cannot reach rank 1", start);
  for (auto since = 0ms; since < 10s; since += 100ms) job.expect_another(start + since);
  EXPECT_EQ(job.message_due(), start + verdict::longest_settling_time);
  job.settle(start + verdict::longest_settling_time);
  job.add(killed("rank 1", SIGKILL), start + verdict::longest_settling_time);
  EXPECT_EQ(job.status(), 1);
  EXPECT_EQ(job.message(), "rank 0 cannot reach rank 1");
}

TEST(verdict, does_not_take_back_what_is_decided) {
  verdict job;
  job.add(status("rank 0", 3), start);
  job.settle(start + verdict::settling_time);
  EXPECT_FALSE(job.is_open());
  EXPECT_EQ(job.message(), "rank 0 ended with status 3");
  job.expect_another(start + 1s);
  job.add(killed("rank 1", SIGSEGV), start + 1s);
  EXPECT_EQ(job.status(), 3);
  EXPECT_EQ(job.message(), "");
}

TEST(verdict, takes_success_in_the_middle_of_a_run_for_a_failure) {
  verdict job;
  ending one = status("rank 1", 0);
  one.in_run = true;
  job.add(one, start);
  job.add(announced("rank 0", 1), start + 1ms);
  EXPECT_EQ(job.status(), 1);
  EXPECT_EQ(job.failed_at(), start);
  EXPECT_EQ(job.message(), "rank 1 ended with status 0 in the middle of a run");
}

TEST(verdict, is_silent_about_what_the_user_asked_for) {
  verdict job;
  ending one = killed("rank 1", SIGINT);
  one.is_requested = true;
  job.add(one, start);
  EXPECT_EQ(job.status(), 130);
  EXPECT_TRUE(job.failed_at());
  EXPECT_FALSE(job.message_due());
}

}  // namespace
