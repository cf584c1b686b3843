// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/delay/link_model.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include <imbrex/base/random.hpp>

namespace imbrex {
namespace {

using namespace std::chrono_literals;

TEST(link_model, delays_by_latency_and_bytes) {
  const link_model model{200us, 1'000'000'000, 1us};
  link_entrance sender;
  EXPECT_EQ(sender.inject(model, 1ms, 0), 1ms + 200us);
  EXPECT_EQ(sender.inject(model, 2ms, 1'000'000), 2ms + 200us + 1ms);
}

TEST(link_model, spaces_small_messages_by_the_gap) {
  const link_model model{200us, 0, 3us};
  link_entrance sender;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(sender.inject(model, 10us, 8), 10us + i * 3us + 200us);
  EXPECT_EQ(sender.inject(model, 26us, 8), 226us);
}

TEST(link_model, does_not_let_bytes_of_one_sender_overlap) {
  const link_model model{100us, 1'000'000, 0us};
  link_entrance sender;
  EXPECT_EQ(sender.inject(model, 0us, 500), 600us);
  EXPECT_EQ(sender.inject(model, 10us, 1), 601us);
  link_entrance another;
  EXPECT_EQ(another.inject(model, 10us, 1), 111us);
}

TEST(link_model, without_delays_delivers_at_once) {
  EXPECT_FALSE(link_model{}.delays());
  EXPECT_TRUE((link_model{1ns, 0, 0ns}.delays()));
  EXPECT_TRUE((link_model{0ns, 1, 0ns}.delays()));
  EXPECT_TRUE((link_model{0ns, 0, 1ns}.delays()));
  link_entrance sender;
  EXPECT_EQ(sender.inject({}, 5us, 1 << 20), 5us);
  EXPECT_EQ(sender.inject({}, 5us, 1 << 20), 5us);
}

/// The closed form: the k-th message starts at the maximum over j <= k of (sent_j + gaps and transfers of
/// j..k-1).
TEST(link_model, agrees_with_the_closed_form) {
  random dice(3);
  for (int round = 0; round < 200; ++round) {
    const link_model model{nanoseconds(dice.below(100'000)), 8'000'000, nanoseconds(dice.below(2'000))};
    link_entrance sender;
    std::vector<nanoseconds> sent;
    std::vector<nanoseconds> occupied;
    nanoseconds now{0};
    for (int k = 0; k < 30; ++k) {
      now += nanoseconds(dice.below(5'000));
      const auto bytes = static_cast<std::size_t>(dice.below(40));
      const nanoseconds transfer(125 * bytes);
      nanoseconds start = now;
      nanoseconds behind{0};
      for (std::size_t j = sent.size(); j-- > 0;) {
        behind += occupied[j];
        if (sent[j] + behind > start) start = sent[j] + behind;
      }
      sent.push_back(now);
      occupied.push_back(model.injection_gap + transfer);
      ASSERT_EQ(sender.inject(model, now, bytes), start + model.latency + transfer);
    }
  }
}

}  // namespace
}  // namespace imbrex
