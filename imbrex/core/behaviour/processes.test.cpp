// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/base/sanitized.test.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/net/connect/fabric_kinds.hpp>

namespace imbrex::processes_test {

class processes : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, processes, ::testing::ValuesIn(machines()), name_of_machine);

/// Sizes around those at which a network changes its protocol: 0 B to 3 MB.
std::vector<std::size_t> sizes() {
  std::vector<std::size_t> all{0, 1, 7};
  for (std::size_t s = 64; s < 3'000'000; s *= 3)
    for (const std::size_t near : {s - 1, s, s + 8}) all.push_back(near);
  for (const std::size_t s : {4096U, 8192U, 65536U, 1U << 20U})
    for (const std::size_t near : {s - 1, s, s + 1}) all.push_back(near);
  return all;
}

std::vector<double> numbers(std::size_t count, std::uint64_t seed) {
  random generator(seed);
  std::vector<double> values(count);
  for (auto& v : values) v = static_cast<double>(generator.below(1'000'000));
  return values;
}

struct parcel {
  std::string label;
  std::vector<double> first;
  std::vector<float> second;
  std::vector<std::vector<int>> rows;
  std::map<std::string, std::vector<std::uint8_t>> by_name;

  bool operator==(const parcel&) const = default;
};

parcel parcel_of(std::size_t bytes, std::uint64_t seed) {
  const auto values = numbers(bytes / 8, seed);
  parcel p;
  p.label = std::string(seed % 2 == 0 ? bytes : 3, 'x');
  p.first = values;
  p.second.assign(values.begin(), values.end());
  p.rows = {std::vector<int>(bytes / 5, 4), {}, std::vector<int>(bytes / 7 + 1, 9)};
  p.by_name[std::string(bytes + 1, 'k')] = std::vector<std::uint8_t>(bytes, 3);
  p.by_name["short"] = {1, 2};
  return p;
}

/// Serialises its vector by hand, from a temporary.
class packed_by_hand {
 public:
  packed_by_hand() = default;
  explicit packed_by_hand(std::vector<double> v) : values_(std::move(v)) {}
  void serialize(writer& out) {
    std::vector<double> halves = values_;
    for (auto& h : halves) h /= 2;
    out(halves);
  }
  void serialize(reader& in) {
    in(values_);
    for (auto& v : values_) v *= 2;
  }
  bool operator==(const packed_by_hand&) const = default;

 private:
  std::vector<double> values_;
};

class echo : public chare<echo> {
 public:
  mailbox<std::vector<double>> letters;

  parcel back(parcel p) { return p; }
  packed_by_hand back_by_hand(const packed_by_hand& p) { return p; }
  std::vector<double> doubled(std::span<const double> values) {
    std::vector<double> result(values.begin(), values.end());
    for (auto& v : result) v *= 2;
    return result;
  }
  task<double> sum_of_letters(int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i)
      for (const double v : co_await letters.receive(i)) sum += v;
    co_return sum;
  }
};

TEST_P(processes, long_messages_arrive_whole) {
  run([]() -> task<> {
    auto all = make_array<echo>({num_pes()});
    std::uint64_t seed = 0;
    for (const std::size_t bytes : sizes()) {
      const auto to = all[static_cast<int>(++seed) % num_pes()];
      const auto values = numbers(bytes / 8, seed);
      auto twice = co_await to.call<&echo::doubled>(values);
      auto shared = std::make_shared<const std::vector<double>>(values);
      const auto again = co_await to.call<&echo::doubled>(std::move(shared));
      EXPECT_EQ(again, twice);
      EXPECT_EQ(twice.size(), values.size());
      for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(twice[i], 2 * values[i]);
      const packed_by_hand by_hand(values);
      EXPECT_TRUE(co_await to.call<&echo::back_by_hand>(by_hand) == by_hand) << bytes;
      if (bytes > 300'000) continue;
      const parcel p = parcel_of(bytes, seed);
      EXPECT_TRUE(co_await to.call<&echo::back>(p) == p) << bytes;
    }
  });
}

TEST_P(processes, letters_of_many_sizes_keep_their_numbers_and_contents) {
  run([]() -> task<> {
    auto all = make_array<echo>({num_pes()});
    const auto lengths = sizes();
    double expected = 0;
    std::vector<pending<double>> sums;
    for (int e = 0; e < num_pes(); ++e)
      sums.push_back(all[e].call<&echo::sum_of_letters>(static_cast<int>(lengths.size())));
    for (int i = static_cast<int>(lengths.size()) - 1; i >= 0; --i) {
      const auto values = numbers(lengths[static_cast<std::size_t>(i)] / 8, static_cast<std::uint64_t>(i));
      for (const double v : values) expected += v;
      for (int e = 0; e < num_pes(); ++e) send<&echo::letters>(all[e], i, values);
    }
    for (auto& s : sums) EXPECT_EQ(co_await s, expected);
  });
}

/// Sends much faster than the receiver accepts.
class flood : public chare<flood> {
 public:
  void pour(element<flood> to, int batches) {
    for (int i = 0; i < batch; ++i) send<&flood::take>(to, numbers_);
    if (batches > 1) send<&flood::pour>(self(), to, batches - 1);
  }
  void take(std::span<const double> values) {
    received_ += values.size();
    if (pause_.count() != 0) std::this_thread::sleep_for(pause_);
  }
  void pass_on(std::vector<double> values) { send<&flood::take>(peers()[where()[0] + 1], std::move(values)); }
  void pour_through(element<flood> first, int messages, std::size_t doubles) {
    send<&flood::pass_on>(first, std::vector<double>(doubles, 1.0));
    if (messages > 1) send<&flood::pour_through>(self(), first, messages - 1, doubles);
  }
  void pour_short(element<flood> to, int bursts) {
    for (int m = 0; m < burst; ++m)
      send<&flood::take_slowly>(to.coalesced(), std::span(numbers_).first(short_length));
    if (bursts > 1) send<&flood::pour_short>(self(), to, bursts - 1);
  }
  void take_slowly(std::span<const double> values) {
    received_ += values.size();
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(1);
    while (std::chrono::steady_clock::now() < until) {
    }
  }
  /// Sends all messages from one entry, with a pause after each.
  void pour_from_one_entry(element<flood> to, int messages, std::size_t doubles,
                           std::chrono::microseconds pause) {
    for (int m = 0; m < messages; ++m) {
      send<&flood::take>(to, std::vector<double>(doubles, 1.0));
      std::this_thread::sleep_for(pause);
    }
  }
  void be_slow(std::chrono::microseconds pause) { pause_ = pause; }
  std::uint64_t received() const { return received_; }

  static constexpr int burst = 100;
  static constexpr std::size_t short_length = 25;
  static constexpr int batch = 32;
  static constexpr std::size_t length = 16384;

 private:
  std::vector<double> numbers_ = std::vector<double>(length, 1.0);
  std::chrono::microseconds pause_{0};
  std::uint64_t received_ = 0;
};

std::size_t peak_bytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<std::size_t>(use.ru_maxrss) * 1024;
}

int run_flood(bool both_ways, int batches) {
  options settings;
  settings.pes = 1;
  return run_in_processes(2, settings, [both_ways, batches]() -> task<> {
    auto two = make_array<flood>({2});
    co_await two[1].call<&flood::be_slow>(std::chrono::microseconds(100));
    send<&flood::pour>(two[0], two[1], batches);
    if (both_ways) send<&flood::pour>(two[1], two[0], batches);
    co_await quiescence();
    const auto all = static_cast<std::uint64_t>(batches) * flood::batch * flood::length;
    EXPECT_EQ(co_await two[1].call<&flood::received>(), all);
    EXPECT_EQ(co_await two[0].call<&flood::received>(), both_ways ? all : 0);
  });
}

TEST(backpressure, a_sender_that_outruns_its_receiver_uses_bounded_memory) {
  const auto before = peak_bytes();
  EXPECT_EQ(run_flood(false, test::memory_is_kept_back ? 32 : 256), 0);  // 1 GiB
  if (!test::memory_is_kept_back) {
    EXPECT_LT(peak_bytes() - before, std::size_t{600} << 20U);
  }
}

TEST(backpressure, two_that_flood_each_other_both_go_on) {
  const auto before = peak_bytes();
  EXPECT_EQ(run_flood(true, test::memory_is_kept_back ? 32 : 128), 0);
  if (!test::memory_is_kept_back) {
    // A quarter more than in one direction: UCX keeps more if the kernel does not copy for it between
    // processes.
    EXPECT_LT(peak_bytes() - before, std::size_t{750} << 20U);
  }
}

/// PE 0 sends through PE 1 to PE 2, which is slow.
void expect_bounded_memory_on_the_way(bool comm_thread, int messages, std::size_t doubles,
                                      std::chrono::microseconds pause) {
  if (test::memory_is_kept_back)
    messages /= 10;  // memory use is then not measured, and each message takes
                     // long
  options settings;
  settings.pes = 1;
  settings.comm_thread = comm_thread;
  const auto before = peak_bytes();
  const int status = run_in_processes(3, settings, [=]() -> task<> {
    auto three = make_array<flood>({3});
    co_await three[2].call<&flood::be_slow>(pause);
    send<&flood::pour_through>(three[0], three[1], messages, doubles);
    co_await quiescence();
    EXPECT_EQ(co_await three[2].call<&flood::received>(), static_cast<std::uint64_t>(messages) * doubles);
  });
  EXPECT_EQ(status, 0);
  if (!test::memory_is_kept_back) {
    EXPECT_LT(peak_bytes() - before, std::size_t{800} << 20U);
  }
}

TEST(backpressure, a_pe_that_passes_on_to_a_slow_one_uses_bounded_memory) {
  expect_bounded_memory_on_the_way(false, 2000, std::size_t{1} << 17U, std::chrono::microseconds(300));
}

TEST(backpressure, nor_do_many_short_messages_pile_up_on_the_way) {
  expect_bounded_memory_on_the_way(false, 300'000, 500, std::chrono::microseconds(0));
}

TEST(backpressure, nor_do_messages_that_cross_together) {
  const int bursts = test::memory_is_kept_back ? 200 : 10'000;
  options settings;
  settings.pes = 1;
  const auto before = peak_bytes();
  const int status = run_in_processes(2, settings, [=]() -> task<> {
    auto two = make_array<flood>({2});
    send<&flood::pour_short>(two[0], two[1], bursts);
    co_await quiescence();
    EXPECT_EQ(co_await two[1].call<&flood::received>(),
              static_cast<std::uint64_t>(bursts) * flood::burst * flood::short_length);
  });
  EXPECT_EQ(status, 0);
  if (!test::memory_is_kept_back) {
    EXPECT_LT(peak_bytes() - before, std::size_t{300} << 20U);
  }
}

TEST(backpressure, nor_does_a_communication_thread_take_them_all) {
  expect_bounded_memory_on_the_way(true, 2000, std::size_t{1} << 17U, std::chrono::microseconds(300));
}

/// Two PEs send each other more from one entry than either accepts or stores.
TEST(backpressure, two_communication_threads_with_much_both_ways_go_on) {
  constexpr int messages = 30;
  constexpr std::size_t doubles = std::size_t{1} << 18U;
  EXPECT_EQ(run_in_processes(2, {.pes = 1, .comm_thread = true},
                             [=]() -> task<> {
                               auto two = make_array<flood>({2});
                               for (int i = 0; i < 2; ++i)
                                 send<&flood::pour_from_one_entry>(two[i], two[1 - i], messages, doubles,
                                                                   std::chrono::microseconds(0));
                               co_await quiescence();
                               for (int i = 0; i < 2; ++i)
                                 EXPECT_EQ(co_await two[i].call<&flood::received>(), messages * doubles);
                             }),
            0);
}

TEST(backpressure, what_a_communication_thread_has_sent_is_not_kept_until_the_entry_ends) {
  constexpr int messages = test::memory_is_kept_back ? 200 : 1000;
  constexpr std::size_t doubles = std::size_t{1} << 17U;
  const auto before = peak_bytes();
  EXPECT_EQ(run_in_processes(2, {.pes = 1, .comm_thread = true},
                             [=]() -> task<> {
                               auto two = make_array<flood>({2});
                               send<&flood::pour_from_one_entry>(two[0], two[1], messages, doubles,
                                                                 std::chrono::microseconds(500));
                               co_await quiescence();
                               EXPECT_EQ(co_await two[1].call<&flood::received>(), messages * doubles);
                             }),
            0);
  if (!test::memory_is_kept_back) {
    EXPECT_LT(peak_bytes() - before, std::size_t{600} << 20U);
  }
}

TEST(backpressure, nor_does_one_of_many_pes_stop_for_what_they_have_long_run) {
  options settings;
  settings.pes = 40;
  settings.comm_thread = true;
  const int status = run_in_processes(2, settings, []() -> task<> {
    auto all = make_array<flood>({80});
    constexpr std::size_t length = 120'000;  // slightly less than 1 MiB
    for (int round = 0; round < 2; ++round) {
      for (int p = 40; p < 80; ++p) send<&flood::take>(all[p], std::vector<double>(length));
      co_await quiescence();
    }
    EXPECT_EQ(co_await all[79].call<&flood::received>(), 2 * length);
  });
  EXPECT_EQ(status, 0);
}

/// Three PEs flood each other in a circle: no PE may wait for ever for the next one.
TEST(backpressure, three_in_a_circle_go_on) {
  options settings;
  settings.pes = 1;
  const int status = run_in_processes(3, settings, []() -> task<> {
    constexpr int batches = 64;
    auto three = make_array<flood>({3});
    for (int i = 0; i < 3; ++i) send<&flood::pour>(three[i], three[(i + 1) % 3], batches);
    co_await quiescence();
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(co_await three[i].call<&flood::received>(),
                static_cast<std::uint64_t>(batches) * flood::batch * flood::length);
  });
  EXPECT_EQ(status, 0);
}

std::atomic<int> announced = 0;  ///< count over all processes of the job, which are threads here

class porter : public chare<porter> {
 public:
  /// Sends an announcement whenever it is serialised.
  struct announcement {
    element<porter> to;
    std::vector<double> values;

    void serialize(writer& out) {
      ++announced;
      send<&porter::hear>(to, values);
      out(to, values);
    }
    void serialize(reader& in) { in(to, values); }
  };

  porter() = default;
  explicit porter(std::size_t length) : values_(length) {}
  porter(const porter&) = delete;
  porter& operator=(const porter&) = delete;
  ~porter() {
    EXPECT_TRUE(detail::scheduler::current() != nullptr &&
                detail::scheduler::current()->pe() != detail::scheduler::no_pe);
  }

  void take(const announcement& a) { EXPECT_EQ(a.values.size(), 1000U); }
  void hear(std::span<const double> values) {
    EXPECT_EQ(values.size(), 1000U);
    ++receipts_;
  }
  int receipts() const { return receipts_; }
  void go(int to) { migrate_to(to); }
  void serialize(auto& ar) { ar(receipts_, values_); }

 private:
  int receipts_ = 0;
  std::vector<double> values_;
};

TEST_P(processes, what_is_sent_while_an_argument_is_written_arrives_too) {
  run([]() -> task<> {
    announced = 0;
    const auto all = make_array<porter>({2 * num_pes()}, std::size_t{0});
    const int count = static_cast<int>(all.size());
    for (int i = 0; i < count; ++i)
      send<&porter::take>(all[i], porter::announcement{all[(i + 1) % count], std::vector<double>(1000)});
    co_await quiescence();
    EXPECT_EQ(co_await all.reduce<&porter::receipts>(sum), announced.load());
  });
}

/// Also if UCX sends a long part of the element directly from its memory.
TEST_P(processes, an_element_that_has_left_is_destroyed_by_its_pe) {
  run([]() -> task<> {
    const auto all = make_array<porter>({num_pes() + 1}, std::size_t{100'000});
    for (int to = 0; to < num_pes(); ++to) {
      send<&porter::go>(all, to);
      co_await quiescence();
    }
  });
}

/// Sends short and long messages, some of them coalesced, between all pairs.
class gossip : public chare<gossip> {
 public:
  void speak(int rounds, std::size_t longest) {
    random dice(longest + static_cast<std::uint64_t>(where()[0]));
    const auto all = peers();
    std::vector<int> spoken(all.size(), 0);
    for (int i = 0; i < rounds; ++i) {
      const int to = static_cast<int>(dice.below(all.size()));
      const std::string text(dice.below(20) == 0 ? dice.below(longest) : dice.below(300), 'a');
      const auto listener = dice.below(4) == 0 ? all[to] : all[to].coalesced();
      send<&gossip::hear>(listener, where()[0], spoken[static_cast<std::size_t>(to)]++, text);
    }
    sent_count_ += rounds;
  }
  void hear(int from, int number, const std::string& text) {
    if (receipts_.empty()) receipts_.resize(peers().size());
    auto& numbers = receipts_[static_cast<std::size_t>(from)];
    in_order_ = in_order_ && number == static_cast<int>(numbers.size());
    numbers.push_back(number);
    EXPECT_EQ(text, std::string(text.size(), 'a'));
  }
  void listen() {}
  int sent_count() const { return sent_count_; }
  bool received_in_order() const { return in_order_; }
  int received_each_once() {
    int count = 0;
    for (auto& numbers : receipts_) {
      std::ranges::sort(numbers);
      for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], static_cast<int>(i));
      count += static_cast<int>(numbers.size());
    }
    return count;
  }

 private:
  std::vector<std::vector<int>> receipts_;  ///< by sender
  int sent_count_ = 0;
  bool in_order_ = true;
};

TEST_P(processes, messages_that_may_wait_arrive_once) {
  run([]() -> task<> {
    const auto all = make_array<gossip>({2 * num_pes() + 1});
    for (int i = 0; i < static_cast<int>(all.size()); ++i) send<&gossip::speak>(all[i], 150, 20'000);
    co_await quiescence();
    const int sent_count = co_await all.reduce<&gossip::sent_count>(sum);
    EXPECT_EQ(sent_count, 150 * static_cast<int>(all.size()));
    EXPECT_EQ(co_await all.reduce<&gossip::received_each_once>(sum), sent_count);
  });
}

/// Long messages, for which UCX uses a handshake, arrive later than others anyway.
TEST_P(processes, messages_that_may_wait_keep_their_order_among_others) {
  for (const options& settings : GetParam().runs) {
    if (settings.shuffle || settings.machine != machine_kind::threads || settings.net_latency.count() != 0)
      continue;
    EXPECT_EQ(run_once(settings,
                       []() -> task<> {
                         const auto all = make_array<gossip>({2 * num_pes() + 1});
                         co_await all.call<&gossip::listen>();  // messages that arrive before their element
                                                                // are queued behind others
                         for (int i = 0; i < static_cast<int>(all.size()); ++i)
                           send<&gossip::speak>(all[i], 150, 2'000);
                         co_await quiescence();
                         EXPECT_TRUE(co_await all.reduce<&gossip::received_in_order>(imbrex::all));
                       }),
              0);
  }
}

/// Counts received messages in memory shared with the sender, who can read the count at once.
class witness : public chare<witness> {
 public:
  /// The address of the count: the processes of this test are threads.
  explicit witness(std::uintptr_t seen) : seen_(reinterpret_cast<std::atomic<int>*>(seen)) {}
  void see() { ++*seen_; }
  /// Sends one coalesced message and one ordinary message from one entry.
  void send_two(element<witness> to) {
    send<&witness::see>(to.coalesced());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(seen_->load(), 0);
    send<&witness::see>(to);
    wait_for(2);
    EXPECT_EQ(seen_->load(), 2);
  }
  /// Sends so many messages at once that some fill a batch, which then leaves.
  void send_many(element<witness> to, int count) {
    for (int i = 0; i < count; ++i) send<&witness::see>(to.coalesced());
    wait_for(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_GE(seen_->load(), 1);
    EXPECT_LT(seen_->load(), count);
  }
  /// Sends a message, and does not return before it has arrived.
  void send_and_stay(element<witness> to, std::size_t size) {
    send<&witness::read>(to, std::string(size, 'a'));
    wait_for(1);
    EXPECT_EQ(seen_->load(), 1) << size << " bytes";
    seen_->store(0);
  }
  void read(const std::string&) { ++*seen_; }

 private:
  void wait_for(int count) const {
    for (int wait = 0; seen_->load() < count && wait < 10'000; ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  std::atomic<int>* seen_;
};

TEST(coalescing, waits_for_a_full_batch_another_message_or_the_next_look_at_the_network) {
  if (!has_network()) GTEST_SKIP() << "this build has no network";
  std::atomic<int> seen = 0;
  EXPECT_EQ(run_in_processes(2, {.pes = 1},
                             [&seen]() -> task<> {
                               const auto address = reinterpret_cast<std::uintptr_t>(&seen);
                               const auto two = make_array<witness>({2}, address);
                               co_await two[0].call<&witness::send_two>(two[1]);
                               seen.store(0);
                               co_await two[0].call<&witness::send_many>(two[1], 150);
                               co_await quiescence();
                               EXPECT_EQ(seen.load(), 150);
                             }),
            0);
}

TEST(network, takes_the_first_message_between_two_PEs_out_of_an_entry_that_does_not_return) {
  if (!has_network()) GTEST_SKIP() << "this build has no network";
  std::atomic<int> seen = 0;
  EXPECT_EQ(run_in_processes(4, {.pes = 1},
                             [&seen]() -> task<> {
                               const auto all =
                                   make_array<witness>({4}, reinterpret_cast<std::uintptr_t>(&seen));
                               co_await all[1].call<&witness::send_and_stay>(all[2], 8);
                               co_await all[2].call<&witness::send_and_stay>(all[3], 1000);
                               co_await all[3].call<&witness::send_and_stay>(all[1], 3000);
                             }),
            0);
}

/// Number of `knocks` that each PE has received, and whether the PE is in an entry that waits for one.
std::array<std::atomic<int>, 64> knocks;
std::array<std::atomic<bool>, 64> is_busy;

struct knock : detail::message {
  static inline detail::message_type type_record = detail::runtime_message_type<knock>({}, true);
  void serialize(auto&) {}
  void deliver() {
    const detail::message_guard guard(*this);
    ++knocks[static_cast<std::size_t>(imbrex::pe())];
  }
};

class busy : public chare<busy> {
 public:
  mailbox<bool> receipts;

  /// Sends itself urgent messages, which run before all others, until a knock arrives or the time is over.
  void go_on(std::chrono::steady_clock::rep until) {
    const auto here = static_cast<std::size_t>(pe());
    is_busy[here] = true;
    if (knocks[here] > 0 || std::chrono::steady_clock::now().time_since_epoch().count() > until)
      return send<&busy::receipts>(self(), knocks[here] == 1);
    send<&busy::go_on>(self().with_priority(-30), until);
  }
  task<bool> hears_while_it_runs() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    go_on(until.time_since_epoch().count());
    co_return co_await receipts.receive();
  }
};

TEST_P(processes, an_immediate_message_is_handled_while_the_network_is_looked_at) {
  if (GetParam().processes == 1) GTEST_SKIP() << "no message comes from another process";
  for (const options& settings : GetParam().runs) {
    // Unless the PE's own thread takes the message from the network by itself, the message waits in the
    // queue.
    if (settings.comm_thread || settings.net_latency.count() > 0) continue;
    SCOPED_TRACE(text_of(settings));
    for (auto& k : knocks) k = 0;
    for (auto& b : is_busy) b = false;
    const int status = run_once(settings, []() -> task<> {
      auto all = make_group<busy>();
      const int last = num_pes() - 1;
      auto receipts = all[last].call<&busy::hears_while_it_runs>();
      while (!is_busy[static_cast<std::size_t>(last)]) co_await sleep_for(std::chrono::microseconds(50));
      detail::processor::here().dispatch(detail::make_message<knock>(), last);
      const bool has_received = co_await receipts;
      EXPECT_TRUE(has_received);
    });
    EXPECT_EQ(status, 0);
  }
}

}  // namespace imbrex::processes_test
