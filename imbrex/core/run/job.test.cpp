// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/job.test.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include <imbrex/core/array/create.hpp>

namespace imbrex::job_test {

using bytes = std::vector<std::byte>;

template <class... T>
bytes written(const T&... values) {
  writer out;
  out(values...);
  return out.take();
}

/// A valid message except for the given values: a reply to a caller that no longer waits.
bytes good_item(test::lone_process& at, int priority = 0, std::uint32_t origin = 1) {
  const detail::scheduler::activation as(at.run().processor_at(0));
  auto& m = detail::make_message<detail::reply_message<std::string>>(std::string("text"));
  m.priority = static_cast<std::int8_t>(priority);
  m.origin = origin;
  writer out;
  m.type->pack(m, out);
  m.type->destroy(m);
  return out.take();
}

TEST(job, takes_a_good_item) {
  test::lone_process here(0);
  EXPECT_NO_THROW(here.take_item(good_item(here)));
}

TEST(job, refuses_an_item_that_is_cut_off_or_too_long) {
  test::lone_process here(0);
  const bytes good = good_item(here);
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_THROW(here.take_item(std::span(good).first(length)), serial_error) << length;
  bytes longer = good;
  longer.push_back(std::byte{0});
  EXPECT_THROW(here.take_item(longer), serial_error);
}

TEST(job, refuses_an_item_of_no_known_kind_priority_or_origin) {
  test::lone_process here(0);
  EXPECT_THROW(here.take_item(bytes(64, std::byte{0xff})), serial_error);
  EXPECT_THROW(here.take_item(good_item(here, -33)), serial_error);
  EXPECT_THROW(here.take_item(good_item(here, 32)), serial_error);
  EXPECT_THROW(here.take_item(good_item(here, 0, 3)), serial_error);
}

TEST(job, refuses_what_is_no_notice) {
  test::lone_process here(1);
  EXPECT_THROW(here.receive_control_message(0, {}), serial_error);
  EXPECT_THROW(here.receive_control_message(0, written(std::uint8_t{77})), serial_error);
  // A request with its last byte missing, and with one byte too many; an end with the status of a running
  // run.
  constexpr std::uint8_t ask = 1;
  constexpr std::uint8_t end = 4;
  bytes question = written(ask, std::uint64_t{1});
  EXPECT_NO_THROW(here.receive_control_message(0, question));
  EXPECT_THROW(here.receive_control_message(0, std::span(question).first(question.size() - 1)), serial_error);
  question.push_back(std::byte{0});
  EXPECT_THROW(here.receive_control_message(0, question), serial_error);
  EXPECT_THROW(here.receive_control_message(0, written(end, std::numeric_limits<int>::min())), serial_error);
  EXPECT_FALSE(here.run().ended());
}

TEST(job, passes_over_a_report_that_a_newer_one_has_overtaken) {
  test::lone_process here(0);
  constexpr std::uint8_t quiet = 0;
  const auto report = [&](int process, std::uint64_t sent, std::uint64_t received) {
    here.receive_control_message(process, written(quiet, std::uint64_t{0}, sent, received));
  };
  here.become_idle({4, 5, 0});
  report(1, 6, 4);
  report(1, 5, 4);
  EXPECT_TRUE(here.wire().control_messages.empty());
  report(2, 1, 2);
  EXPECT_EQ(here.wire().control_messages.size(),
            2U);  // 11 sent and 11 received: process 0 requests another report of both others
}

TEST(job, refuses_notices_of_those_who_may_not_send_them) {
  test::lone_process here(1);
  constexpr std::uint8_t quiet = 0;
  constexpr std::uint8_t ask = 1;
  constexpr std::uint8_t waits = 2;
  constexpr std::uint8_t waiting = 3;
  EXPECT_THROW(here.receive_control_message(3, written(waits)), serial_error);
  EXPECT_THROW(here.receive_control_message(-1, written(waits)), serial_error);
  EXPECT_THROW(here.receive_control_message(2, written(ask, std::uint64_t{1})), serial_error);
  EXPECT_THROW(here.receive_control_message(2, written(waits)), serial_error);
  EXPECT_THROW(
      here.receive_control_message(2, written(quiet, std::uint64_t{1}, std::uint64_t{0}, std::uint64_t{0})),
      serial_error);
  EXPECT_THROW(here.receive_control_message(2, written(waiting, std::string("nobody asked"))), serial_error);
  EXPECT_TRUE(here.wire().control_messages.empty());
}

}  // namespace imbrex::job_test
