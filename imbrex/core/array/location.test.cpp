// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/location.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/pe/local_array.hpp>
#include <imbrex/core/run/pe_attachment.hpp>

namespace imbrex::location_test {

constexpr std::size_t remembered = detail::element_map<index<1>>::places_remembered;

/// Counts the location notifications that a PE receives.
class notification_counter final : public observer {
 public:
  explicit notification_counter(std::atomic<int>& count) : count_(count) {}
  void item_begins(const detail::work& item) override {
    if (item.type == &detail::location_notification<index<1>>::type_record) ++count_;
  }

 private:
  std::atomic<int>& count_;
};

/// The number of notifications that the PEs of a run have received.
class notices {
 public:
  int take() { return count_.exchange(0); }

 private:
  std::atomic<int> count_ = 0;
  std::mutex lock_;
  std::vector<std::unique_ptr<notification_counter>> counters_;
  pe_attachment attachment_{[this](detail::scheduler& pe) {
    const std::lock_guard hold(lock_);
    pe.attach(*counters_.emplace_back(std::make_unique<notification_counter>(count_)));
  }};
};

class cell : public chare<cell> {
 public:
  void go(std::uint64_t seed) {
    random dice(seed + static_cast<std::uint64_t>(where()[0]));
    migrate_to(static_cast<int>(dice.below(static_cast<std::uint64_t>(num_pes()))));
  }
  void go_to(int pe, int below) {
    if (where()[0] < below) migrate_to(pe);
  }
  void talk() {
    const int n = peers().shape()[0];
    for (const int distance : {1, -1, 32, -32, 1024, -1024})
      send<&cell::hear>(peers()[((where()[0] + distance) % n + n) % n]);
  }
  void hear() { ++received_count_; }
  int received_count() const { return received_count_; }
  void serialize(auto& ar) { ar(received_count_); }

 private:
  int received_count_ = 0;
};

/// Sends to all elements of an array in turn, some at a time.
class speaker : public chare<speaker> {
 public:
  task<> speak(array<cell> to, int first, int end) {
    constexpr int at_a_time = 500;
    std::vector<pending<int>> answers;
    for (int i = first; i < end; ++i) {
      answers.push_back(to[i].call<&cell::received_count>());
      if (answers.size() < at_a_time && i + 1 < end) continue;
      for (auto& answer : answers) co_await answer;
      answers.clear();
    }
  }
  std::size_t places(array<cell> of) const {
    auto& here = detail::processor::here();
    return static_cast<const detail::element_map<index<1>>&>(
               *here.collection(here.number_of(of.collection())))
        .places_known();
  }
};

/// Elements that send to their neighbours are notified once of each that has moved.
TEST(location, remembers_all_partners) {
  notices notification_count;
  EXPECT_EQ(run(threads(4),
                [&]() -> task<> {
                  constexpr int elements = 20'000;
                  static_assert(elements * 6 * 3 / 4 / 4 > 2 * static_cast<int>(remembered));
                  const auto all = make_array<cell>(elements);
                  co_await all.created();
                  send<&cell::go>(all, std::uint64_t{7});
                  co_await quiescence();
                  send<&cell::talk>(all);
                  co_await quiescence();
                  EXPECT_GT(notification_count.take(), 4 * static_cast<int>(remembered));
                  for (int round = 0; round < 3; ++round) {
                    send<&cell::talk>(all);
                    co_await quiescence();
                    EXPECT_EQ(notification_count.take(), 0);
                  }
                  const int received_count = co_await all.reduce<&cell::received_count>(sum);
                  EXPECT_EQ(received_count, 4 * 6 * elements);
                }),
            0);
}

/// Notifications arrive before the next message is sent.
TEST(location, learns_to_remember_partners_that_it_has_forgotten) {
  notices notification_count;
  EXPECT_EQ(run(threads(3),
                [&]() -> task<> {
                  constexpr int elements = 12 * static_cast<int>(remembered);
                  const auto all = make_array<cell>(elements);
                  send<&cell::go_to>(all, 1, elements / 3);
                  co_await quiescence();
                  const auto one = make_chare_on<speaker>(2);
                  for (int round = 0; round < 3; ++round)
                    co_await one.call<&speaker::speak>(all, 0, elements / 3);
                  notification_count.take();
                  for (int round = 0; round < 3; ++round)
                    co_await one.call<&speaker::speak>(all, 0, elements / 3);
                  EXPECT_EQ(notification_count.take(), 0);
                }),
            0);
}

/// Partners change all the time.
TEST(location, forgets_partners_that_are_used_no_more) {
  EXPECT_EQ(run(threads(3),
                []() -> task<> {
                  constexpr int elements = 24 * static_cast<int>(remembered);
                  const auto all = make_array<cell>(elements);
                  send<&cell::go_to>(all, 1, elements / 3);
                  co_await quiescence();
                  const auto one = make_chare_on<speaker>(2);
                  co_await one.call<&speaker::speak>(all, 0, elements / 3);
                  const auto places = co_await one.call<&speaker::places>(all);
                  EXPECT_LE(places, 4 * remembered);
                }),
            0);
}

}  // namespace imbrex::location_test
