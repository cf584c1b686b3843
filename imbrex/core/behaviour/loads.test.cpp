// SPDX-License-Identifier: Apache-2.0
// The loads that a meter measures, and its periods.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/extension/load.hpp>
#include <imbrex/core/run/pe_attachment.hpp>
#include <imbrex/core/run/spend.hpp>

namespace imbrex::loads_test {

/// Counts its periods, each of three balance points.
class counting_meter final : public extension::load_meter {
 public:
  explicit counting_meter(detail::scheduler& pe) : load_meter(pe) { set_due_after(1, 3); }
  int periods = 0;

 private:
  void due() override {
    ++periods;
    set_due_after(1, 3);
  }
};

/// Gives the PEs of runs their meters, as long as it exists.
struct meters_of_runs {
  pe_attachment attachment{[](detail::scheduler& pe) {
    if (pe.pe() == detail::scheduler::no_pe) return;
    extension::load_meter::attach(pe, detail::make_owner<counting_meter>(pe));
  }};
};

class worker : public chare<worker> {
 public:
  mailbox<int> letters;

  void work(int microseconds) { spend(std::chrono::microseconds(microseconds)); }
  task<> work_later(int microseconds) {
    const int n = co_await letters.receive(0);
    spend(std::chrono::microseconds(microseconds + n));
  }
  task<> pass(int points) {
    for (int i = 0; i < points; ++i) co_await balance_point<&worker::pass>(0);
  }
  void go(int to) { migrate_to(to); }
  void serialize(auto& ar) { ar(letters); }
};

/// Sends messages of known number and size.
class talker : public chare<talker> {
 public:
  static constexpr std::size_t cells = 50;
  mailbox<double> letters;

  void talk(int times, int talkers) {
    for (int i = 0; i < times; ++i)
      for (int other = 0; other < talkers; ++other) {
        send<&talker::hear>(peers()[other], i, true);
        send<&talker::letters>(peers()[other], 1.5);
        send<&talker::hear_all>(peers()[other], std::vector<double>(cells));
      }
    send<&talker::hear>(peers(), times, false);
  }
  void hear(int, bool) {}
  void hear_all(const std::vector<double>&) {}
  /// The messages and bytes that it has sent.
  std::pair<std::uint64_t, std::uint64_t> sent() {
    for (const auto& each : extension::local_loads::here().elements())
      if (&each.load() == &extension::header_of(*this).load)
        return {each.messages_in(each.load().sent), each.bytes_in(each.load().sent)};
    return {};
  }
  void serialize(auto& ar) { ar(letters); }
};

/// Reads the loads of its PE.
class reading : public chare<reading> {
 public:
  std::map<std::string, std::uint64_t> read() {
    std::map<std::string, std::uint64_t> loads;
    for (const auto& each : extension::local_loads::here().elements()) loads[each.name()] = each.load().now;
    return loads;
  }
  /// The time of what is no element, or one that cannot migrate.
  std::uint64_t others() {
    return extension::load_meter::here()->time_of_nobody() +
           extension::local_loads::here().take_time_of_fixed_elements();
  }
  void work(int microseconds) { spend(std::chrono::microseconds(microseconds)); }
  int periods() { return static_cast<counting_meter*>(extension::load_meter::here())->periods; }
};

std::map<std::string, std::uint64_t> joined(const std::vector<std::map<std::string, std::uint64_t>>& of_pes) {
  std::map<std::string, std::uint64_t> all;
  for (const auto& each : of_pes) all.insert(each.begin(), each.end());
  return all;
}

class loads : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, loads, ::testing::ValuesIn(machines()), name_of_machine);

TEST_P(loads, are_the_times_of_entries_turns_and_resumed_entries) {
  const meters_of_runs meters;
  for (const options& settings : GetParam().runs) {
    SCOPED_TRACE(text_of(settings));
    const int status = run_once(settings, [&]() -> task<> {
      const auto all = make_array<worker>({5});
      const auto readers = make_group<reading>();
      for (int i = 0; i < 5; ++i) {
        send<&worker::work>(all[i], 10 * i);
        send<&worker::work_later>(all[i], 1000);
        send<&worker::letters>(all[i], i);
      }
      send<&worker::work>(all, 300);
      co_await quiescence();
      const auto seen = joined(co_await readers.members().reduce<&reading::read>(gather));
      EXPECT_EQ(seen.size(), 5);
      for (std::uint64_t i = 0; i < 5; ++i) {
        const std::uint64_t load = seen.at("worker(" + std::to_string(i) + ")");
        if (settings.machine == machine_kind::simulated) {
          EXPECT_GE(load, (1300 + 11 * i) * 1000);
          EXPECT_LE(load, (1400 + 11 * i) * 1000);
        } else {
          EXPECT_GT(load, 0);
        }
      }
    });
    EXPECT_EQ(status, 0);
  }
}

TEST_P(loads, count_the_messages_that_elements_send) {
  const meters_of_runs meters;
  for (const options& settings : GetParam().runs) {
    SCOPED_TRACE(text_of(settings));
    const int status = run_once(settings, [&]() -> task<> {
      constexpr int talkers = 6, times = 4;
      const auto all = make_array<talker>({talkers});
      send<&talker::talk>(all[1], times, talkers);
      send<&talker::talk>(all[4], 2 * times, talkers);
      co_await quiescence();
      const auto sent = co_await all.reduce<&talker::sent>(gather);
      for (int i = 0; i < talkers; ++i) {
        const int rounds = i == 1 ? times : i == 4 ? 2 * times : 0;
        const auto& [messages, bytes] = sent[static_cast<std::size_t>(i)];
        const auto expected = static_cast<std::uint64_t>(3 * rounds * talkers + (rounds > 0 ? 1 : 0));
        EXPECT_EQ(messages, expected) << i;
        const auto content = static_cast<std::uint64_t>(rounds * talkers) *
                             (sizeof(int) + 1 + sizeof(std::int64_t) + 8 + 8 * talker::cells);
        EXPECT_GE(bytes, content) << i;
        EXPECT_LE(bytes, content + 24 * expected) << i;
      }
    });
    EXPECT_EQ(status, 0);
  }
}

TEST_P(loads, move_with_the_element) {
  const meters_of_runs meters;
  for (const options& settings : GetParam().runs) {
    if (settings.machine != machine_kind::simulated) continue;
    const int status = run_once(settings, [&]() -> task<> {
      const auto all = make_array<worker>({5});
      const auto readers = make_group<reading>();
      send<&worker::work>(all, 300);
      co_await quiescence();
      for (int i = 0; i < 5; ++i) send<&worker::go>(all[i], i % num_pes());
      co_await quiescence();
      const auto seen = joined(co_await readers.members().reduce<&reading::read>(gather));
      EXPECT_EQ(seen.size(), 5);
      for (const auto& [name, load] : seen) EXPECT_GE(load, 300'000) << name;
      // Neither the old PE nor the new one takes it for the time of others.
      EXPECT_LT(co_await readers.members().reduce<&reading::others>(max), 100'000);
      co_await readers.call<&reading::work>(500);
      EXPECT_GE(co_await readers.members().reduce<&reading::others>(min), 500'000);
    });
    EXPECT_EQ(status, 0);
  }
}

TEST_P(loads, end_periods_after_balance_points) {
  const meters_of_runs meters;
  for (const options& settings : GetParam().runs) {
    SCOPED_TRACE(text_of(settings));
    const int status = run_once(settings, [&]() -> task<> {
      const auto all = make_array<worker>({1});
      const auto readers = make_group<reading>();
      // The last period ends with the item of its last balance point, so each entry ends one.
      for (int i = 0; i < 4; ++i) co_await all[0].call<&worker::pass>(3);
      co_await quiescence();
      EXPECT_EQ(co_await readers.members().reduce<&reading::periods>(max), 4);
    });
    EXPECT_EQ(status, 0);
  }
}

}  // namespace imbrex::loads_test
