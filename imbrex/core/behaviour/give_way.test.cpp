// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/pe/sleep.hpp>
#include <imbrex/device/event.hpp>
#include <imbrex/device/kernel.hpp>
#include <imbrex/device/stream.hpp>

namespace imbrex::give_way_test {

class give_way_on : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, give_way_on, ::testing::ValuesIn(machines()), name_of_machine);

constexpr int parts = 5;

class calculator : public chare<calculator> {
 public:
  task<int> compute() {
    int sum = 0;
    for (int part = 1; part <= parts; ++part) {
      sum += part;
      co_await give_way();
    }
    co_return sum;
  }
};

TEST_P(give_way_on, goes_on_after_each) {
  run([]() -> task<> {
    const auto all = make_array<calculator>(7);
    const int total = co_await all.reduce<&calculator::compute>(sum);
    EXPECT_EQ(total, 7 * parts * (parts + 1) / 2);
  });
}

/// The chares that compute (number) and that receive a message (-number - 1), in order.
std::vector<int> order;

class worker : public chare<worker> {
 public:
  task<> compute() {
    for (int part = 0; part < parts; ++part) {
      co_await give_way();
      order.push_back(where()[0]);
      send<&worker::hear>(self());
    }
  }
  void hear() { order.push_back(-where()[0] - 1); }
};

/// Four entries compute; a message waits for at most one piece of one computation.
TEST(give_way, lets_messages_go_before_the_other_computations) {
  order.clear();
  const int status = imbrex::run(options{.pes = 1}, []() -> task<> {
    co_await make_array<worker>(4).call<&worker::compute>();
    co_await quiescence();
  });
  EXPECT_EQ(status, 0);
  ASSERT_EQ(order.size(), std::size_t{4 * parts * 2});
  for (std::size_t i = 0; i < order.size(); i += 2) EXPECT_EQ(order[i + 1], -order[i] - 1) << i;
}

constexpr kernel<> nap{
    .name = "nap", .host = [] {}, .work = [] { return work_size{.time = nanoseconds(1'000'000)}; }};

/// Polls its device until an event is over.
class asker : public chare<asker> {
 public:
  task<int> ask(bool gives_way) {
    event_pool events(gpu());
    stream work(gpu());
    event end = events.take();
    work.launch(nap);
    work.record(end);
    int polls = 1;
    for (; !end.done(); ++polls)
      if (gives_way) co_await give_way();
    co_return polls;
  }
};

TEST(give_way, lets_time_pass_where_it_is_simulated) {
  for (const auto machine : {machine_kind::deterministic, machine_kind::simulated}) {
    options settings{.pes = 2, .machine = machine, .device = "emulated"};
    EXPECT_EQ(imbrex::run(settings,
                          []() -> task<> {
                            const int polls = co_await make_chare_on<asker>(1).call<&asker::ask>(true);
                            EXPECT_GT(polls, 1);
                          }),
              0);
  }
}

/// The streams of a chare that polls in vain are destroyed during stack unwinding.
TEST(give_way, is_asked_for_where_a_program_asks_in_vain) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(imbrex::run(options{.pes = 1, .machine = machine_kind::deterministic, .device = "emulated"},
                        []() -> task<> { co_await make_chare<asker>().call<&asker::ask>(false); }),
            1);
  const auto text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("a program polls its device in a loop"), std::string::npos) << text;
}

}  // namespace imbrex::give_way_test
