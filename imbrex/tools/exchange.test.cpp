// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/exchange.hpp>

#include <gtest/gtest.h>

#include <imbrex/base/error.hpp>

namespace {

using imbrex::frame;
using imbrex::frame_kind;
using imbrex::tools::exchange;

frame decode(const exchange::answer& answer) {
  imbrex::frame_reader in;
  in.append(*answer.bytes);
  return in.next().value();
}

frame gather(const char* text) { return {frame_kind::gather, text}; }

TEST(exchange, answers_all_when_the_last_has_come) {
  exchange job({"rank 0", "rank 1", "rank 2"});
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(job.take(2, gather("c")).empty());
    EXPECT_TRUE(job.take(0, gather("")).empty());
    const auto answers = job.take(1, gather("b"));
    ASSERT_EQ(answers.size(), 3U);
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(answers[static_cast<std::size_t>(rank)].rank, rank);
      const frame got = decode(answers[static_cast<std::size_t>(rank)]);
      EXPECT_EQ(got.kind, frame_kind::gathered);
      EXPECT_EQ(imbrex::decode_texts(got.payload, 3), (std::vector<std::string>{"", "b", "c"}));
    }
  }
}

TEST(exchange, names_the_missing_to_all_that_wait) {
  exchange job({"rank 0 (pid 10)", "rank 1 (pid 11)", "rank 2 (pid 12)", "rank 3 (pid 13)"});
  job.take(1, gather("b"));
  job.take(2, gather("c"));
  const auto answers = job.take(2, {frame_kind::overdue, "30 s"});
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].rank, 1);
  EXPECT_EQ(answers[1].rank, 2);
  const std::string text = decode(answers[0]).payload;
  EXPECT_NE(
      text.find("after 30 s only 2 of 4 processes had come; missing: rank 0 (pid 10), rank 3 (pid 13)."),
      std::string::npos)
      << text;
  const auto late = job.take(0, gather("a"));
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].rank, 0);
  EXPECT_EQ(decode(late[0]).payload, text);
}

TEST(exchange, counts_the_missing_of_a_large_job) {
  exchange job(std::vector<std::string>(100, "rank"));
  job.take(0, gather(""));
  const auto answers = job.take(0, {frame_kind::overdue, "1 s"});
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_NE(decode(answers[0]).payload.find("and 83 more"), std::string::npos);
}

TEST(exchange, fails_at_once_when_one_will_not_come) {
  exchange job({"rank 0", "rank 1"});
  job.take(0, gather("a"));
  const auto answers = job.ended(1, "with status 3", true);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(decode(answers[0]).payload, "rank 1 has ended with status 3 and will not come");
  EXPECT_EQ(job.take(0, gather("a")).size(), 1U);
}

TEST(exchange, lets_processes_end_when_nobody_waits) {
  exchange job({"rank 0", "rank 1"});
  EXPECT_TRUE(job.ended(0, "with status 0", false).empty());
  EXPECT_TRUE(job.ended(1, "with status 0", false).empty());
}

TEST(exchange, complains_once_of_what_nobody_else_tells) {
  exchange job({"rank 0", "rank 1"});
  job.ended(1, "with status 0", false);
  EXPECT_FALSE(job.failed());
  EXPECT_EQ(job.complaint(), "");  // no process waits
  job.take(0, gather("a"));
  EXPECT_TRUE(job.failed());
  EXPECT_NE(job.complaint().find("rank 1 has ended with status 0 and will not come"), std::string::npos);
  EXPECT_EQ(job.complaint(), "");
}

TEST(exchange, is_silent_about_an_end_that_is_told) {
  exchange job({"rank 0", "rank 1"});
  job.take(0, gather("a"));
  job.ended(1, "by signal 9 (Killed)", true);
  EXPECT_TRUE(job.failed());
  EXPECT_EQ(job.complaint(), "");
}

TEST(exchange, knows_the_announced_status) {
  exchange job({"rank 0", "rank 1"});
  EXPECT_TRUE(job.take(1, {frame_kind::finish, imbrex::encode_status(3)}).empty());
  EXPECT_EQ(job.announced(0), std::nullopt);
  EXPECT_EQ(job.announced(1), 3);
}

TEST(exchange, knows_who_is_in_a_run) {
  exchange job({"rank 0", "rank 1"});
  for (int run = 0; run < 2; ++run) {
    job.take(0, gather("a"));
    EXPECT_FALSE(job.is_in_run(0));  // the other process has not joined
    job.take(1, gather("b"));
    EXPECT_TRUE(job.is_in_run(0));
    EXPECT_TRUE(job.is_in_run(1));
    job.take(0, {frame_kind::leave, imbrex::encode_status(0)});
    EXPECT_TRUE(job.is_in_run(0));  // the other process may still need rank 0
    EXPECT_EQ(job.take(1, {frame_kind::leave, imbrex::encode_status(0)}).size(), 2U);
    EXPECT_FALSE(job.is_in_run(0));
    EXPECT_FALSE(job.is_in_run(1));
  }
  for (int program = 0; program < 2; ++program) {
    job.take(0, gather("a"));
    job.take(1, gather("b"));
    EXPECT_TRUE(job.is_in_run(1));
    job.take(1, {frame_kind::finish, imbrex::encode_status(0)});
    EXPECT_FALSE(job.is_in_run(1));
  }
}

TEST(exchange, tells_who_has_not_left_with_what_status_the_first_did) {
  exchange job({"rank 0", "rank 1", "rank 2"});
  for (int rank = 0; rank < 3; ++rank) job.take(rank, gather("a"));
  const auto answers = job.take(1, {frame_kind::leave, imbrex::encode_status(3)});
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].rank, 0);
  EXPECT_EQ(answers[1].rank, 2);
  EXPECT_EQ(*answers[0].bytes, encode_frame(frame_kind::left, imbrex::encode_status(3)));
  EXPECT_TRUE(job.take(2, {frame_kind::leave, imbrex::encode_status(3)}).empty());
  EXPECT_EQ(job.take(0, {frame_kind::leave, imbrex::encode_status(3)}).size(), 3U);
}

TEST(exchange, tells_all_of_a_run_that_one_has_died) {
  exchange job({"rank 0", "rank 1", "rank 2"});
  for (int rank = 0; rank < 3; ++rank) job.take(rank, gather("a"));
  job.take(2, {frame_kind::leave, imbrex::encode_status(0)});
  const auto answers = job.ended(1, "by signal 9 (Killed)", true);
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0].rank, 0);
  EXPECT_EQ(*answers[0].bytes, encode_frame(frame_kind::died, ""));
  EXPECT_EQ(answers[1].rank, 2);
  EXPECT_EQ(*answers[1].bytes, *answers[0].bytes);
  EXPECT_EQ(answers[2].rank, 2);  // the waiting rank 2 gets a reply, too
  EXPECT_EQ(decode(answers[2]).kind, frame_kind::failed);
  EXPECT_FALSE(job.is_in_run(1));
  EXPECT_TRUE(job.ended(1, "by signal 9 (Killed)", true).empty());
}

TEST(exchange, tells_nobody_of_one_that_has_said_that_it_ends) {
  exchange job({"rank 0", "rank 1"});
  for (int rank = 0; rank < 2; ++rank) job.take(rank, gather("a"));
  job.take(1, {frame_kind::finish, imbrex::encode_status(1)});
  EXPECT_TRUE(job.ended(1, "with status 1", true).empty());
}

TEST(exchange, refuses_what_the_protocol_does_not_allow) {
  exchange job({"rank 0", "rank 1"});
  job.take(0, gather("a"));
  EXPECT_THROW(job.take(0, gather("a")), imbrex::error);
  EXPECT_THROW(job.take(1, {frame_kind::gathered, ""}), imbrex::error);
  EXPECT_THROW(job.take(1, {frame_kind::finish, "?"}), imbrex::error);
  EXPECT_TRUE(job.take(1, {frame_kind::overdue, "1 s"}).empty());
}

}  // namespace
