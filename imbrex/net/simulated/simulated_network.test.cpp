// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/simulated/simulated_network.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <tuple>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::detail {
namespace {

using namespace std::chrono_literals;

/// An item of that many bytes.
struct parcel : work {
  explicit parcel(std::size_t bytes) : content(bytes) { type = &kind; }

  static void run(work&) {}
  static void destroy(work&) noexcept { ++destroyed; }
  static void pack(work& item, writer& out) {
    out.bytes(static_cast<parcel&>(item).content.data(), static_cast<parcel&>(item).content.size());
  }
  static inline int destroyed = 0;
  static constexpr work_type kind{"a parcel", &run, &destroy, &pack, nullptr};

  std::vector<std::byte> content;
};

simulated_transport::cost_of_sending always(nanoseconds cost) {
  return [cost](const work&) { return cost; };
}

TEST(simulated_network, is_empty_at_first) { EXPECT_FALSE(simulated_network().next()); }

TEST(simulated_network, delivers_in_the_order_of_times_and_then_of_sending) {
  random dice(5);
  for (int round = 0; round < 50; ++round) {
    simulated_network net;
    std::vector<parcel> parcels(40, parcel(0));
    std::vector<std::tuple<nanoseconds, int>> expected_arrivals;
    for (int i = 0; i < 40; ++i) {
      const nanoseconds when(dice.below(10));
      net.put(when, parcels[static_cast<std::size_t>(i)], i);
      expected_arrivals.emplace_back(when, i);
    }
    std::sort(expected_arrivals.begin(), expected_arrivals.end());
    for (const auto& [when, to] : expected_arrivals) {
      ASSERT_EQ(net.next(), when);
      const auto first = net.take();
      EXPECT_EQ(first.when, when);
      EXPECT_EQ(first.to, to);
      EXPECT_EQ(first.what, &parcels[static_cast<std::size_t>(to)]);
    }
    EXPECT_FALSE(net.next());
  }
}

TEST(simulated_network, destroys_what_does_not_arrive) {
  std::array<parcel, 3> parcels{parcel(0), parcel(0), parcel(0)};
  parcel::destroyed = 0;
  {
    simulated_network net;
    for (auto& p : parcels) net.put(1us, p, 0);
    net.take();
  }
  EXPECT_EQ(parcel::destroyed, 2);
}

TEST(simulated_transport, charges_the_sender_and_delays_by_the_model) {
  simulated_clock shared;
  local_clock sender(shared);
  simulated_network net;
  simulated_transport wire(net, {10us, 1'000'000'000, 0ns}, always(2us), 0, sender);
  parcel first(3000);
  parcel second(500);
  wire.send(first, 1);
  EXPECT_EQ(sender.now(), 2us);
  EXPECT_EQ(net.next(), 2us + 10us + 3us);
  wire.send(second, 1);
  EXPECT_EQ(sender.now(), 4us);
  EXPECT_EQ(net.take().what, &first);
  EXPECT_EQ(net.next(), 5us + 10us + 500ns) << "its bytes come after those of the first";
  net.take();
}

TEST(simulated_transport, delivers_at_once_to_the_sender_itself) {
  simulated_clock shared;
  local_clock sender(shared);
  sender.charge(7us);
  simulated_network net;
  simulated_transport wire(net, {10us, 1'000'000'000, 0ns}, always(2us), 4, sender);
  parcel own(3000);
  wire.send(own, 4);
  EXPECT_EQ(net.next(), 7us);
  EXPECT_EQ(sender.now(), 7us);
  net.take();
}

}  // namespace
}  // namespace imbrex::detail
