// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/endpoint/long_path.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

namespace imbrex::endpoints {
namespace {

using std::chrono::nanoseconds;

TEST(size_class, ends_at_powers_of_two) {
  EXPECT_EQ(size_class::of(8193), 0U);
  EXPECT_EQ(size_class::of(16'384), 0U);
  EXPECT_EQ(size_class::of(16'385), 1U);
  EXPECT_EQ(size_class::of(65'536), 2U);
  EXPECT_EQ(size_class::of(shared_layout::longest_block), size_class::number - 1);
  EXPECT_EQ(size_class::of(0), 0U);
  EXPECT_EQ(size_class::of(~std::size_t{0}), size_class::number - 1);
  for (std::size_t c = 0; c < size_class::number; ++c) EXPECT_EQ(size_class::of(size_class::longest(c)), c);
}

/// A sender and its receiver; the test sets the times of messages by each path.
struct pair_of_ports {
  /// Sends a message and returns its path.
  long_path send() {
    const auto path = sender.next();
    ++(path.by == long_path::memory ? by_memory : by_rendezvous);
    if (path.trial == 0) return path.by;
    ++tried;
    const bool is_known = path.by == long_path::memory || is_rendezvous_known;
    is_rendezvous_known = is_rendezvous_known || path.by == long_path::rendezvous;
    if (!is_known) return path.by;
    const auto taken = path.by == long_path::memory ? memory_takes : rendezvous_takes;
    if (const auto better = receiver.add(path.trial, path.by, taken)) sender.decide(path.trial, *better);
    return path.by;
  }
  void send(int messages) {
    by_memory = by_rendezvous = tried = 0;
    for (int i = 0; i < messages; ++i) send();
  }

  path_choice sender;
  path_trial receiver;
  nanoseconds memory_takes{};
  nanoseconds rendezvous_takes{};
  bool is_rendezvous_known = false;
  int by_memory = 0;
  int by_rendezvous = 0;
  int tried = 0;
};

constexpr int trial_messages = 2 * path_choice::by_each_path;

TEST(long_path, is_the_one_that_takes_less_time) {
  for (const bool memory_is_better : {false, true}) {
    pair_of_ports ports;
    ports.memory_takes = nanoseconds(memory_is_better ? 7'000 : 11'800);
    ports.rendezvous_takes = nanoseconds(memory_is_better ? 12'000 : 4'900);
    ports.send(trial_messages);
    EXPECT_GE(ports.by_memory, path_trial::enough);
    EXPECT_GE(ports.by_rendezvous, path_trial::enough);
    constexpr int until_next = path_choice::shortest_interval - trial_messages;
    ports.send(until_next);
    EXPECT_EQ(ports.tried, 0);
    EXPECT_EQ(ports.by_memory, memory_is_better ? until_next : 0);
  }
}

/// The worse path takes 2.4 times as long, as measured on a Xeon.
TEST(long_path, costs_little_to_try_again) {
  pair_of_ports ports;
  ports.memory_takes = nanoseconds(240);
  ports.rendezvous_takes = nanoseconds(100);
  ports.send(trial_messages);
  double worst = 0;
  for (int period = 0; period < 100; ++period) {
    ports.send(path_choice::shortest_interval + trial_messages);
    worst = std::max(worst, (240.0 * ports.by_memory + 100.0 * ports.by_rendezvous) /
                                (100.0 * (ports.by_memory + ports.by_rendezvous)));
  }
  EXPECT_LT(worst, 1.07);
  ports.send(100'000);
  EXPECT_LT(ports.by_memory, 300);  // trials become rarer
  EXPECT_GT(ports.by_memory, 100);  // but never end
}

TEST(long_path, changes_when_the_times_do) {
  pair_of_ports ports;
  ports.memory_takes = nanoseconds(100);
  ports.rendezvous_takes = nanoseconds(200);
  ports.send(20'000);
  ports.memory_takes = nanoseconds(300);
  ports.send(path_choice::longest_interval + trial_messages);
  EXPECT_EQ(ports.send(), long_path::rendezvous);
  ports.rendezvous_takes = nanoseconds(400);
  ports.send(path_choice::longest_interval + trial_messages);
  EXPECT_EQ(ports.send(), long_path::memory);
}

TEST(long_path, is_not_chosen_by_messages_that_were_disturbed) {
  path_trial trial;
  std::optional<long_path> found;
  for (int i = 0; i < path_trial::enough; ++i) {
    EXPECT_FALSE(found);
    const nanoseconds disturbance(i == 2 ? 0 : 3'000'000);
    EXPECT_FALSE(trial.add(1, long_path::rendezvous, nanoseconds(4'900) + disturbance));
    found = trial.add(1, long_path::memory, nanoseconds(11'800));
  }
  EXPECT_EQ(found, long_path::rendezvous);
  EXPECT_FALSE(trial.add(1, long_path::memory, nanoseconds(1)));  // only one report for each trial
}

TEST(long_path, is_found_by_one_trial_alone) {
  path_trial trial;
  for (int i = 0; i < path_trial::enough; ++i) EXPECT_FALSE(trial.add(1, long_path::memory, nanoseconds(1)));
  std::optional<long_path> found;
  for (int i = 0; i < path_trial::enough; ++i) {
    EXPECT_FALSE(trial.add(2, long_path::rendezvous, nanoseconds(100)));
    found = trial.add(2, long_path::memory, nanoseconds(200));
  }
  EXPECT_EQ(found, long_path::rendezvous);
}

TEST(long_path, waits_for_the_receiver_and_listens_to_it_once) {
  path_choice sender;
  for (int i = 0; i < trial_messages; ++i) EXPECT_EQ(sender.next().trial, 1);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(sender.next().trial, 0);
  sender.decide(2, long_path::rendezvous);  // the number of no trial
  EXPECT_EQ(sender.next().by, long_path::memory);
  sender.decide(1, long_path::rendezvous);
  sender.decide(1, long_path::memory);
  EXPECT_EQ(sender.next().by, long_path::rendezvous);
}

TEST(long_path, of_what_found_no_room_is_tried_later) {
  path_choice sender;
  int by_memory = 0;
  for (int i = 0; i < 50; ++i) {
    const auto path = sender.next();
    if (path.by == long_path::memory) sender.put_off(path);
  }
  for (int i = 0; i < trial_messages; ++i) {
    const auto path = sender.next();
    if (path.trial != 0 && path.by == long_path::memory) ++by_memory;
  }
  EXPECT_EQ(by_memory, path_choice::by_each_path);
}

}  // namespace
}  // namespace imbrex::endpoints
