// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/simulated_machine.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/gpu/device_argument.hpp>
#include <imbrex/core/gpu/device_channel.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/device/flag.hpp>
#include <imbrex/serial/absent_bytes.hpp>

namespace imbrex::simulated_machine_test {

using namespace std::chrono_literals;

// All times are different powers of ten or their multiples, so that a sum shows its terms.
constexpr const char* model_text = R"(name = "digits"
[device]
memory = 1_000_000
concurrent_kernels = 128
threads = 1000
memory_bandwidth = "1GB/s"
flops = 1e12
kernel_start = "1ns"
graph_kernel_start = "1ns"
[copy]
engines_to_device = 1
engines_from_device = 1
to_device = "1GB/s"
from_device = "1GB/s"
latency = "1ns"
[host]
launch = "10us"
call = "1us"
query = "100ns"
synchronize = "40ns"
graph_launch = "1us"
graph_operation = "1us"
host_function = "3ms"
copy_bandwidth = "1GB/s"
[message]
send = "100us"
receive = "1ms"
callback = "7ms"
latency = "100ms"
bandwidth = "1GB/s"
)";

// Two PEs and two devices on each host. A byte takes 1 ns on every link.
constexpr const char* links_text = R"([node]
devices = 2
sockets = 1
[link]
device = "1GB/s"
device_latency = "1ns"
host = "1GB/s"
socket = "1GB/s"
socket_latency = "1ns"
card = "1GB/s"
card_device = "1GB/s"
card_latency = "20ms"
eager = 1_000_000
device_rendezvous = "1ns"
card_rendezvous = "1ns"
[step]
envelope = "200us"
post = "2ms"
channel = "300us"
notice = "30us"
transfer = "5us"
)";

/// A file with this model; removed with the object.
class model_file {
 public:
  explicit model_file(const char* more = "")
      : path_(::testing::TempDir() + "digits." + std::to_string(::getpid()) + ".toml") {
    std::ofstream(path_) << model_text << more;
  }
  ~model_file() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

options simulated(const model_file& model, int pes,
                  completion_method completion = completion_method::polling) {
  return {.pes = pes,
          .machine = machine_kind::simulated,
          .device = "emulated",
          .device_model = model.path(),
          .completion = completion};
}

/// A kernel that takes the time of its argument.
constexpr kernel<std::int64_t> last{
    .name = "last",
    .host = [](std::int64_t) {},
    .work = [](std::int64_t ns) { return work_size{.time = nanoseconds(ns)}; }};

constexpr kernel<> wrong{.name = "wrong", .host = [] { throw std::out_of_range("cell 7"); }};

class worker : public chare<worker> {
 public:
  worker() : stream_(gpu(), stream_priority::normal, "a worker") {}

  nanoseconds::rep when() { return now().count(); }
  nanoseconds::rep take(const absent_bytes&) { return now().count(); }
  nanoseconds::rep work(std::int64_t time) {
    spend(nanoseconds(time));
    return now().count();
  }
  void spin() {
    stream_.launch(last, std::int64_t{1'000});
    while (!stream_.idle()) {
    }
  }
  task<> fail() {
    stream_.launch(wrong);
    co_await stream_.done();
  }
  /// Returns the time at which the stream's wait for a flag is over.
  task<nanoseconds::rep> wait_for(std::uintptr_t flags) {
    stream_.wait((*reinterpret_cast<flag_array*>(flags))[0], 1);
    co_await stream_.done();
    co_return now().count();
  }
  /// Returns the time that a kernel of this duration takes the entry.
  task<nanoseconds::rep> compute(std::int64_t time) {
    const nanoseconds begin = now();
    stream_.launch(last, time);
    co_await stream_.done();
    co_return (now() - begin).count();
  }
  /// Returns the time at which the kernel is done.
  task<nanoseconds::rep> compute_until(std::int64_t time) {
    co_await compute(time);
    co_return now().count();
  }

 private:
  stream stream_;
};

class lone : public chare<lone> {
 public:
  void answer() {}
  void work(std::int64_t time) { spend(nanoseconds(time)); }
  task<> wait() { co_await never.receive(0); }
  mailbox<int> never;
};

TEST(simulated_machine, charges_messages_by_the_model) {
  const model_file model;
  std::vector<nanoseconds> moments;
  EXPECT_EQ(run(simulated(model, 2),
                [&]() -> task<> {
                  const auto workers = make_array<worker>({2});
                  co_await workers.reduce<&worker::when>(max);  // all elements exist
                  moments.push_back(now());
                  moments.emplace_back(co_await workers[1].call<&worker::when>());
                  moments.push_back(now());
                }),
            0);
  ASSERT_EQ(moments.size(), 3U);
  // send 100 us, latency 100 ms, receive 1 ms, and some bytes at 1 ns each
  EXPECT_NEAR(static_cast<double>((moments[1] - moments[0]).count()), 101'100'000, 200);
  EXPECT_NEAR(static_cast<double>((moments[2] - moments[0]).count()), 202'200'000, 400);
}

TEST(simulated_machine, sends_between_hosts_over_their_cards) {
  const model_file model(links_text);
  std::vector<nanoseconds> took;
  EXPECT_EQ(run(simulated(model, 4),
                [&]() -> task<> {
                  const auto workers = make_array<worker>({4});
                  co_await workers.reduce<&worker::when>(max);
                  for (const int to : {1, 2}) {
                    const nanoseconds begin = now();
                    took.push_back(nanoseconds(co_await workers[to].call<&worker::when>()) - begin);
                  }
                  // Two large messages to two PEs of another host wait for each other at the card.
                  const nanoseconds begin = now();
                  auto first = workers[2].call<&worker::take>(absent_bytes{50'000'000});
                  auto second = workers[3].call<&worker::take>(absent_bytes{50'000'000});
                  took.push_back(nanoseconds(co_await std::move(first)) - begin);
                  took.push_back(nanoseconds(co_await std::move(second)) - begin);
                }),
            0);
  ASSERT_EQ(took.size(), 4U);
  const auto near = [](nanoseconds is, nanoseconds should) {
    EXPECT_NEAR(static_cast<double>(is.count()), static_cast<double>(should.count()), 1000);
  };
  near(took[0], 100us + 100ms + 1ms);  // within the host
  near(took[1], 100us + 20ms + 1ms);
  near(took[2], 100us + 20ms + 50ms + 1ms);
  near(took[3], 100us + 20ms + 100ms + 1ms);
}

class placed : public chare<placed, index<2>> {
 public:
  int on() const { return pe(); }
  /// The PE of the element at the other end of the array.
  task<int> opposite() {
    const index<2> shape = peers().shape();
    const int found =
        co_await peers()[{shape[0] - 1 - where()[0], shape[1] - 1 - where()[1]}].call<&placed::on>();
    co_return found;
  }
};

TEST(simulated_machine, places_a_brick_of_a_grid_on_each_host) {
  const model_file model(links_text);
  const auto places = [&](options settings, auto layout) {
    std::vector<int> pes, opposite;
    EXPECT_EQ(run(settings,
                  [&]() -> task<> {
                    const auto all = make_array<placed>(layout);
                    pes = co_await all.template reduce<&placed::on>(gather);
                    opposite = co_await all.template reduce<&placed::opposite>(gather);
                  }),
              0);
    EXPECT_EQ(opposite, std::vector<int>(pes.rbegin(), pes.rend()));
    return pes;
  };
  const options on_links = simulated(model, 4);
  const std::vector<int> in_order{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
  EXPECT_EQ(places(on_links, dense(index<2>(8, 2))), in_order);  // which has the shortest cut already
  const index<2> wide(2, 8);
  const auto bricks = places(on_links, dense(wide));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 8; ++j)
      EXPECT_EQ(bricks[static_cast<std::size_t>(8 * i + j)], j / 2) << i << ' ' << j;
  EXPECT_EQ(places(on_links, dense(wide).placed(in_bricks)), bricks);
  EXPECT_EQ(places(on_links, dense(wide).placed(in_blocks)), in_order);
  options by_option = on_links;
  by_option.placement = array_placement::blocks;
  EXPECT_EQ(places(by_option, dense(wide)), in_order);
  options without_nodes = on_links;
  without_nodes.net_latency = 1us;
  EXPECT_EQ(places(without_nodes, dense(wide)), in_order);
}

/// Sends 8 bytes of its device memory to the next chare, which is on another host.
class giver : public chare<giver> {
 public:
  giver() { right.connect<&giver::left>(peers()[1 - where()[0]]); }

  void give() { imbrex::send<&giver::take>(peers()[1], zero_copy(std::as_const(bytes_).span(), stream_)); }
  void give_by_channel() { right.send(std::as_const(bytes_).span(), stream_); }
  device_place<char> place(std::size_t) { return {bytes_.span(), stream_}; }
  void take(device_argument<char, &giver::place>) { taken_.push_back(now()); }
  task<> take_by_channel() {
    co_await left.receive(bytes_.span(), stream_);
    taken_.push_back(now());
  }
  nanoseconds::rep last() { return taken_.back().count(); }
  nanoseconds::rep when() { return now().count(); }

  device_channel<char> left, right;

 private:
  stream stream_{gpu(), stream_priority::normal, "a giver"};
  device_buffer<char> bytes_{gpu(), 8};
  std::vector<nanoseconds> taken_;
};

// The stream of the target memory waits (1 us), gets the transfer (5 us) and a mark (1 us), before the entry
// begins.
TEST(simulated_machine, charges_messages_of_device_memory_and_channels_by_their_steps) {
  const model_file model(links_text);
  std::vector<nanoseconds> took;
  options settings = simulated(model, 2);
  EXPECT_EQ(run(settings,
                [&]() -> task<> {
                  const auto givers = make_array<giver>({2});
                  co_await givers.reduce<&giver::when>(max);
                  auto waiting = givers[1].call<&giver::take_by_channel>();
                  co_await sleep_for(1s);
                  nanoseconds begin = now();
                  co_await givers[0].call<&giver::give_by_channel>();
                  co_await std::move(waiting);
                  took.push_back(nanoseconds(co_await givers[1].call<&giver::last>()) - begin);
                  begin = now();
                  co_await givers[0].call<&giver::give>();
                  co_await sleep_for(1s);
                  took.push_back(nanoseconds(co_await givers[1].call<&giver::last>()) - begin);
                }),
            0);
  ASSERT_EQ(took.size(), 2U);
  // the call of `give`, 1 ms; the mark after filling, 1 us; then the send
  const nanoseconds before = 1ms + 1us + 100ms;
  EXPECT_NEAR(static_cast<double>(took[0].count()),
              static_cast<double>((before + 300us + 300us + 7us).count()), 2000);
  EXPECT_NEAR(static_cast<double>(took[1].count()),
              static_cast<double>((before + 300us + 1ms + 2ms + 7us).count()), 2000);
}

TEST(simulated_machine, charges_bytes_that_are_left_out) {
  const model_file model;
  nanoseconds without{0};
  nanoseconds with{0};
  EXPECT_EQ(run(simulated(model, 2),
                [&]() -> task<> {
                  const auto workers = make_array<worker>({2});
                  co_await workers.reduce<&worker::when>(max);
                  nanoseconds begin = now();
                  without = nanoseconds(co_await workers[1].call<&worker::take>(absent_bytes{0})) - begin;
                  begin = now();
                  with =
                      nanoseconds(co_await workers[1].call<&worker::take>(absent_bytes{5'000'000})) - begin;
                }),
            0);
  EXPECT_EQ(with - without, 5ms);
}

/// The time in which `workers` workers on `pes` PEs each do 3 s of work.
nanoseconds time_of_work(int pes, int workers) {
  const model_file model;
  nanoseconds took{0};
  EXPECT_EQ(run(simulated(model, pes),
                [&]() -> task<> {
                  const auto all = make_array<worker>({workers});
                  co_await all.reduce<&worker::when>(max);
                  const nanoseconds begin = now();
                  co_await all.reduce<&worker::work>(max, std::int64_t{3'000'000'000});
                  took = now() - begin;
                }),
            0);
  return took;
}

TEST(simulated_machine, pes_work_side_by_side_and_each_does_one_thing_at_a_time) {
  const nanoseconds four_pes = time_of_work(4, 4);
  EXPECT_GE(four_pes, 3s);
  EXPECT_LT(four_pes, 4s);
  const nanoseconds one_pe = time_of_work(1, 3);
  EXPECT_GE(one_pe, 9s);
  EXPECT_LT(one_pe, 10s);
}

TEST(simulated_machine, sleeps_and_copies_take_their_time) {
  const model_file model;
  nanoseconds slept{0};
  nanoseconds copied{0};
  EXPECT_EQ(run(simulated(model, 1),
                [&]() -> task<> {
                  const nanoseconds begin = now();
                  co_await sleep_for(50s);
                  slept = now() - begin;
                  spend_copy(2'000'000);
                  spend(-5ms);
                  copied = now() - begin - slept;
                }),
            0);
  EXPECT_EQ(slept, 50s + 1ms) << "the timer is an item";
  EXPECT_EQ(copied, 2ms);
}

nanoseconds time_of_kernel(completion_method completion, std::int64_t kernel_time) {
  const model_file model;
  nanoseconds took{0};
  EXPECT_EQ(run(simulated(model, 1, completion),
                [&]() -> task<> {
                  const auto workers = make_array<worker>({1});
                  took = nanoseconds(co_await workers[0].call<&worker::compute>(kernel_time));
                }),
            0);
  return took;
}

TEST(simulated_machine, a_completion_costs_what_its_method_costs) {
  // launch 10 us, event 1 us beside the kernel of 500 us + 1 ns, then: the query, the item
  EXPECT_EQ(time_of_kernel(completion_method::polling, 500'000), 10us + 1ns + 500us + 100ns + 1ms);
  // one more call for the flag; no query
  EXPECT_EQ(time_of_kernel(completion_method::flag, 500'000), 10us + 1ns + 500us + 1ms);
  EXPECT_EQ(time_of_kernel(completion_method::callback, 500'000),
            10us + 1ns + 500us + 3ms + 7ms + 100ns + 1ms);
  EXPECT_EQ(time_of_kernel(completion_method::synchronous, 500'000), 10us + 1ns + 500us + 100ns + 40ns + 1ns)
      << "no item, but the rest of one";
  // polls once a millisecond; an event during a turn is seen in the next turn
  const nanoseconds time = time_of_kernel(completion_method::user_polling, 5'500'000);
  EXPECT_GE(time, 10us + 5500us);
  EXPECT_LE(time, 10us + 5500us + 2 * 1100us);
}

/// The time that two kernels and a computation take on each of two PEs.
nanoseconds time_with_other_work(completion_method completion) {
  const model_file model;
  nanoseconds took{0};
  EXPECT_EQ(run(simulated(model, 2, completion),
                [&]() -> task<> {
                  const auto workers = make_array<worker>({4});
                  co_await workers.reduce<&worker::when>(max);
                  const nanoseconds begin = now();
                  auto computed = workers.reduce<&worker::compute_until>(max, std::int64_t{2'000'000'000});
                  auto worked = workers.reduce<&worker::work>(max, std::int64_t{500'000'000});
                  co_await std::move(computed);
                  co_await std::move(worked);
                  took = now() - begin;
                }),
            0);
  return took;
}

TEST(simulated_machine, synchronous_pes_do_nothing_else_but_do_not_hold_up_each_other) {
  // The kernels of two workers of a PE run side by side, and their computations meanwhile.
  const nanoseconds asynchronous = time_with_other_work(completion_method::polling);
  EXPECT_GE(asynchronous, 2s);
  EXPECT_LT(asynchronous, 3s);
  // One after the other: 2 s and 2 s, 0.5 s and 0.5 s; twice that if PEs blocked each other.
  const nanoseconds synchronous = time_with_other_work(completion_method::synchronous);
  EXPECT_GE(synchronous, 5s);
  EXPECT_LT(synchronous, 6s);
}

TEST(simulated_machine, is_quiet_when_all_have_done_their_work) {
  nanoseconds waited{0};
  EXPECT_EQ(run({.pes = 2, .machine = machine_kind::simulated},
                [&]() -> task<> {
                  const auto all = make_group<lone>();
                  send<&lone::work>(all[1], std::int64_t{3'000'000'000});
                  co_await quiescence();
                  waited = now();
                }),
            0);
  EXPECT_GE(waited, 3s);
}

TEST(simulated_machine, an_entry_that_waits_for_its_device_in_a_loop_is_told) {
  const model_file model;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(simulated(model, 1),
                []() -> task<> {
                  const auto workers = make_array<worker>({1});
                  co_await workers[0].call<&worker::spin>();
                }),
            1);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("await stream.done()"), std::string::npos);
}

constexpr completion_method methods[] = {completion_method::polling, completion_method::flag,
                                         completion_method::callback, completion_method::synchronous,
                                         completion_method::user_polling};

TEST(simulated_machine, what_others_do_to_a_device_is_noticed) {
  const model_file model;
  for (const auto completion : methods) {
    options settings = simulated(model, 2, completion);
    settings.devices = 1;
    nanoseconds begin{0};
    EXPECT_EQ(run(settings,
                  [&]() -> task<> {
                    const auto workers = make_array<worker>({2});
                    co_await workers.reduce<&worker::when>(max);
                    flag_array gate(gpu(), 1);
                    auto waited = workers[1].call<&worker::wait_for>(reinterpret_cast<std::uintptr_t>(&gate));
                    co_await sleep_for(1s);
                    gate.store(0, 1);
                    co_await sleep_for(5s);
                    begin = nanoseconds(co_await std::move(waited));
                  }),
              0);
    EXPECT_GE(begin, 1s) << option_word(completion);
    EXPECT_LT(begin, 2s) << option_word(completion);
  }
}

TEST(simulated_machine, a_device_that_fails_is_told_though_others_go_on) {
  const model_file model;
  for (const auto completion : methods) {
    ::testing::internal::CaptureStderr();
    int rounds = 0;
    EXPECT_EQ(run(simulated(model, 2, completion),
                  [&]() -> task<> {
                    const auto workers = make_array<worker>({2});
                    send<&worker::fail>(workers[1]);
                    for (; rounds < 1000; ++rounds) co_await sleep_for(1s);
                  }),
              1);
    EXPECT_NE(::testing::internal::GetCapturedStderr().find("a worker"), std::string::npos)
        << option_word(completion);
    EXPECT_LT(rounds, 5) << option_word(completion);
  }
}

TEST(simulated_machine, gives_the_same_again) {
  const model_file model;
  for (const auto completion :
       {completion_method::polling, completion_method::callback, completion_method::synchronous}) {
    const auto total = [&] {
      nanoseconds end{0};
      EXPECT_EQ(run(simulated(model, 3, completion),
                    [&]() -> task<> {
                      const auto workers = make_array<worker>({10});
                      for (std::int64_t i = 1; i < 5; ++i)
                        co_await workers.reduce<&worker::compute>(max, i * 777'777);
                      end = now();
                    }),
                0);
      return end;
    };
    EXPECT_EQ(total(), total());
  }
}

TEST(simulated_machine, without_a_model_messages_travel_as_the_network_options_say) {
  nanoseconds took{0};
  const options settings{.pes = 2, .machine = machine_kind::simulated, .net_latency = 30us};
  EXPECT_EQ(run(settings,
                [&]() -> task<> {
                  const nanoseconds begin = now();
                  co_await make_group<lone>().call<&lone::answer>();
                  took = now() - begin;
                }),
            0);
  EXPECT_GE(took, 60us);
  EXPECT_LT(took, 130us);
}

TEST(simulated_machine, a_deadlock_is_told) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run({.pes = 2, .machine = machine_kind::simulated},
                []() -> task<> { co_await make_group<lone>().call<&lone::wait>(); }),
            1);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("deadlock"), std::string::npos);
}

TEST(simulated_machine, a_model_that_is_not_there_is_refused) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run({.pes = 2, .machine = machine_kind::simulated, .device_model = "v1000"},
                []() -> task<> { co_return; }),
            2);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("v1000"), std::string::npos);
}

}  // namespace imbrex::simulated_machine_test
