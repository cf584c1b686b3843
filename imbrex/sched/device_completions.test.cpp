// SPDX-License-Identifier: Apache-2.0
#include <imbrex/sched/device_completions.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/device/backends/devices.hpp>
#include <imbrex/device/emulated/emulated_device.hpp>
#include <imbrex/device/emulated/simulated_time.hpp>
#include <imbrex/device/error.hpp>
#include <imbrex/device/flag.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/sched/scheduler.hpp>

namespace imbrex::detail {
namespace {

/// An idle PE whose device has many streams, each of which waits until the test releases it.
class completions : public ::testing::TestWithParam<completion_method> {
 protected:
  static constexpr std::size_t streams = 300;

  completions() {
    for (std::size_t s = 0; s < streams; ++s) streams_.emplace_back(device(), stream_priority::normal, "one");
  }

  imbrex::device& device() { return *devices_.front(); }

  /// Adds 1 for the end of a stream, 1000 for a failure.
  static void count(void* to, const std::exception_ptr& failure) {
    *static_cast<int*>(to) += failure ? 1000 : 1;
  }
  void submit_all() {
    ++round_;
    for (std::size_t s = 0; s < streams; ++s) {
      streams_[s].wait(gates_[s], round_);
      completions_.notify(streams_[s], {count, [](void*) noexcept {}, &notification_counts_[s]});
    }
  }
  void let_go(std::size_t s) {
    gates_.store(s, round_);
    time_.advance_to(time_.now());
  }
  /// The number of polls until one found something, at most `most` + 1.
  std::size_t looks(std::size_t most) {
    std::size_t count = 0;
    for (; pe_.idle() && count <= most; ++count) completions_.look();
    return count;
  }
  int notification_count() const {
    return std::accumulate(notification_counts_.begin(), notification_counts_.end(), 0);
  }

  simulated_clock clock_;
  simulated_time time_{clock_};
  std::vector<std::unique_ptr<imbrex::device>> devices_ = devices("emulated", {.time = &time_});
  scheduler pe_{0, clock_, std::nullopt};
  scheduler::activation activation_{pe_};
  flag_array gates_{device(), streams};
  std::vector<stream> streams_;
  device_completions completions_{pe_, device(), GetParam(), {}};
  std::vector<int> notification_counts_ = std::vector<int>(streams, 0);
  std::uint32_t round_ = 0;
};

INSTANTIATE_TEST_SUITE_P(by, completions,
                         ::testing::Values(completion_method::polling, completion_method::flag,
                                           completion_method::callback),
                         [](const auto& info) {
                           if (info.param == completion_method::polling) return "poll";
                           return info.param == completion_method::flag ? "flag" : "callback";
                         });

TEST_P(completions, are_told_once_in_whichever_order_they_come) {
  random dice(7);
  for (int round = 1; round <= 3; ++round) {
    submit_all();
    EXPECT_EQ(looks(2 * streams), 2 * streams + 1) << "something came though nothing was done";
    std::vector<std::size_t> left(streams);
    std::iota(left.begin(), left.end(), 0U);
    while (!left.empty()) {
      std::swap(left[dice.below(left.size())], left.back());
      const std::size_t s = left.back();
      left.pop_back();
      let_go(s);
      EXPECT_LE(looks(streams), streams);
      while (pe_.step()) {
      }
      ASSERT_EQ(notification_counts_[s], round) << "stream " << s;
      ASSERT_EQ(completions_.pending(), left.size());
      ASSERT_EQ(notification_count(), round * static_cast<int>(streams) - static_cast<int>(left.size()));
    }
  }
}

TEST_P(completions, of_a_few_are_found_soon_after_many) {
  submit_all();
  for (std::size_t s = 0; s < streams; ++s) let_go(s);
  while (completions_.pending() > 0) {
    completions_.look();
    while (pe_.step()) {
    }
  }
  ++round_;
  streams_[5].wait(gates_[5], round_);
  completions_.notify(streams_[5], {count, [](void*) noexcept {}, &notification_counts_[5]});
  let_go(5);
  EXPECT_LE(looks(streams), 1U);
  while (pe_.step()) {
  }
  EXPECT_EQ(notification_counts_[5], 2);
}

TEST_P(completions, of_a_lost_device_are_told_as_its_failure) {
  submit_all();
  lose(device());
  time_.advance_to(time_.now() + device_completions::between_checks);
  for (std::size_t turns = 0; completions_.pending() > 0 && turns < streams; ++turns) {
    completions_.look();
    while (pe_.step()) {
    }
  }
  EXPECT_EQ(completions_.pending(), 0U);
  EXPECT_EQ(notification_counts_, std::vector(streams, 1000));
  EXPECT_THROW(completions_.notify(streams_[0], {count, [](void*) noexcept {}, &notification_counts_[0]}),
               device_error);
  completions_.discard();
  EXPECT_EQ(notification_counts_, std::vector(streams, 1000));
}

/// A coroutine that awaits the end may be destroyed meanwhile.
TEST_P(completions, of_a_lost_device_are_not_told_to_those_who_have_gone) {
  streams_[0].wait(gates_[0], 1);
  device_completions::completion* const pending_completion =
      completions_.notify(streams_[0], {count, [](void*) noexcept {}, &notification_counts_[0]});
  lose(device());
  time_.advance_to(time_.now() + device_completions::between_checks);
  looks(100);
  device_completions::cancel(*pending_completion);
  while (pe_.step()) {
  }
  EXPECT_EQ(completions_.pending(), 0U);
  completions_.discard();
  EXPECT_EQ(notification_count(), 0);
}

}  // namespace
}  // namespace imbrex::detail
