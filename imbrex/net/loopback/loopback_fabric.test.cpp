// SPDX-License-Identifier: Apache-2.0
// Tests of a loopback's faults. The checks of a loopback without faults are in checks/.
#include <imbrex/net/loopback/loopback_fabric.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <imbrex/net/loopback/loopback_worker.hpp>

namespace imbrex::loopback {
namespace {

struct listener final : fabric_events {
  void came(unsigned, std::span<const std::byte>, std::span<const std::byte> body) override {
    texts.emplace_back(reinterpret_cast<const char*>(body.data()), body.size());
  }
  bool offered(unsigned, std::span<const std::byte>, std::size_t, void*) override { return false; }
  void departed(fabric_transfer&) override { ++departures; }
  void filled(fabric_transfer&, fabric_receipt, const std::string&) override {}
  void lost(int, const std::string&) override {}

  std::vector<std::string> texts;
  int departures = 0;
};

/// The texts, of 100, that arrive at the other worker of a medium.
std::vector<std::string> arrivals(const options& settings, fabric_capabilities* can = nullptr) {
  const auto in = std::make_shared<medium>(settings);
  loopback_worker from(in);
  loopback_worker to(in);
  if (can != nullptr) *can = from.can();
  listener events;
  from.listen(events);
  to.listen(events);
  fabric_connection way;
  EXPECT_TRUE(from.connect(way, {to.address(), 1, true}).is_done());
  fabric_transfer what(events);
  for (int i = 0; i < 100; ++i) {
    const std::string text = std::to_string(i);
    EXPECT_TRUE(from.send(way, 0, {}, std::as_bytes(std::span(text)), what).is_done());
    for (int look = 0; look < 2; ++look) to.progress();
  }
  for (int look = 0; look < 3000; ++look) to.progress();
  return events.texts;
}

std::vector<std::string> all_texts() {
  std::vector<std::string> all;
  for (int i = 0; i < 100; ++i) all.push_back(std::to_string(i));
  return all;
}

TEST(loopback, brings_each_message_once_and_in_order) {
  fabric_capabilities can;
  EXPECT_EQ(arrivals({}, &can), all_texts());
  EXPECT_TRUE(can.ordered);
  EXPECT_TRUE(can.reliable);
}

TEST(loopback, delays_and_keeps_the_order) {
  fabric_capabilities can;
  EXPECT_EQ(arrivals({.most_unread_messages = 200, .wrong = {.delayed = 500}}, &can), all_texts());
  EXPECT_TRUE(can.ordered);
  EXPECT_TRUE(can.reliable);
}

TEST(loopback, loses_and_doubles_and_says_so) {
  fabric_capabilities can;
  const auto fewer = arrivals({.wrong = {.lost = 200}}, &can);
  EXPECT_LT(fewer.size(), 100U);
  EXPECT_GT(fewer.size(), 50U);
  EXPECT_FALSE(can.reliable);
  EXPECT_GT(arrivals({.wrong = {.duplicated = 200}}, &can).size(), 100U);
  EXPECT_FALSE(can.reliable);
}

TEST(loopback, reorders_and_says_so) {
  fabric_capabilities can;
  const options settings{.most_unread_messages = 200, .wrong = {.reordered = 300, .delayed = 300}};
  auto found = arrivals(settings, &can);
  EXPECT_NE(found, all_texts());
  EXPECT_FALSE(can.ordered);
  EXPECT_TRUE(can.reliable);
  EXPECT_EQ(found, arrivals(settings));  // the order depends on the seed only
  std::ranges::sort(found);
  auto sorted = all_texts();
  std::ranges::sort(sorted);
  EXPECT_EQ(found, sorted);
}

TEST(loopback, hides_what_it_does_for_tests_of_tests) {
  fabric_capabilities can;
  EXPECT_LT(arrivals({.wrong = {.lost = 200, .reordered = 200, .are_hidden = true}}, &can).size(), 100U);
  EXPECT_TRUE(can.reliable);
  EXPECT_TRUE(can.ordered);
}

TEST(loopback, connects_to_no_worker_that_there_is_not) {
  const auto in = std::make_shared<medium>(options{});
  loopback_worker worker(in);
  fabric_connection way;
  for (const char* const address : {"7", "", "one"}) {
    const auto status = worker.connect(way, {address, 1, true});
    EXPECT_TRUE(status.has_failed());
    EXPECT_FALSE(worker.failure(status).empty());
  }
}

}  // namespace
}  // namespace imbrex::loopback
