// SPDX-License-Identifier: Apache-2.0
// Programs in simulated time, whose flows are recorded. An evaluation on the machine of the run must give its
// time, and on another machine the time of a run there.
#include <imbrex/tools/flow/evaluate.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>
#include <imbrex/base/random.hpp>
#include <imbrex/core/array/chare.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/mailbox.hpp>
#include <imbrex/core/array/proxy.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/gpu/device_argument.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/kernel.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::tools {
namespace {

using namespace std::chrono_literals;
using testing::error_of;

/// A kernel that reads and writes so many bytes.
constexpr kernel<std::int64_t> touch{
    .name = "touch",
    .host = [](std::int64_t) {},
    .work =
        [](std::int64_t bytes) { return work_size{.bytes = static_cast<double>(bytes), .threads = 30'000}; }};

/// The plan of a random program, known to all its chares.
struct plan {
  int cells = 8;
  int steps = 6;
  std::uint64_t seed = 1;
  bool is_ordered = false;  ///< each value has a reference number of its own, and cells do not call others
  bool on_devices = true;

  std::uint64_t dice(int step, int from, int to, int what, std::uint64_t sides) const {
    random r(seed * 1'000'003 + static_cast<std::uint64_t>(((step * 64 + from) * 64 + to) * 8 + what));
    return r.below(sides);
  }
  bool sends(int step, int from, int to) const { return dice(step, from, to, 0, 3) != 0; }
  std::size_t bytes(int step, int from, int to) const { return 1 + dice(step, from, to, 1, 200'000); }
  std::int64_t work(int step, int cell, int part) const {
    return static_cast<std::int64_t>(1'000 + dice(step, cell, part, 2, 400'000));
  }
  bool asks(int step, int cell) const { return !is_ordered && dice(step, cell, 0, 4, 3) == 0; }
  std::int64_t reference(int step, int from) const { return is_ordered ? step * 64 + from : step; }
};

/// A chare that works on its PE and device, sends to some chares, waits for some, and calls others.
struct cell : chare<cell> {
  explicit cell(const plan& what) : what_(what) {
    if (what.on_devices) stream_.emplace(gpu(), stream_priority::normal, "a cell");
  }
  mailbox<std::vector<char>> in;

  task<std::uint64_t> run() {
    const int me = static_cast<int>(where()[0]);
    std::uint64_t got = 0;
    for (int step = 0; step < what_.steps; ++step) {
      spend(nanoseconds(what_.work(step, me, 0)));
      if (stream_) stream_->launch(touch, 1'000 * what_.work(step, me, 5));
      for (int to = 0; to < what_.cells; ++to)
        if (what_.sends(step, me, to))
          send<&cell::in>(peers()[to], what_.reference(step, me),
                          std::vector<char>(what_.bytes(step, me, to)));
      spend_copy(what_.bytes(step, me, 1));
      if (stream_) device_buffer<char> freed(gpu(), 4'096);  // pools ask for events before they use it again
      if (stream_ && step % 2 == 0) co_await stream_->done();
      for (int from = 0; from < what_.cells; ++from) {
        if (!what_.sends(step, from, me)) continue;
        got += (co_await in.receive(what_.reference(step, from))).size();
        spend(nanoseconds(what_.work(step, me, 2 + from)));
        if (stream_ && from % 3 == 0) stream_->launch(touch, 300 * what_.work(step, me, from));
      }
      if (what_.asks(step, me)) got += co_await peers()[(me + 1) % what_.cells].call<&cell::answer>(step);
      if (step % 4 == 3) got = co_await all_reduce(got, imbrex::max);
    }
    if (stream_) co_await stream_->done();
    co_return got;
  }
  std::uint64_t answer(int step) {
    spend(nanoseconds(what_.work(step, static_cast<int>(where()[0]), 60)));
    return 1;
  }
  void shout() { spend(nanoseconds(what_.work(0, static_cast<int>(where()[0]), 61))); }

 private:
  plan what_;
  std::optional<stream> stream_;
};

task<> play(plan what) {
  const auto cells = make_array<cell>({what.cells}, what);
  co_await cells.call<&cell::shout>();
  co_await cells.reduce<&cell::run>(imbrex::sum);
}

options on(const std::string& machine, int pes) {
  return {.pes = pes, .machine = machine_kind::simulated, .device = "emulated", .device_model = machine};
}

trace::flow recorded(const plan& what, options how) {
  const test::temporary_file file("");
  how.flow = file.name();
  EXPECT_EQ(run(how, [&] { return play(what); }), 0);
  return trace::read_flow(file.name());
}

TEST(evaluation, of_a_flow_on_its_machine_gives_its_time) {
  for (const char* const machine : {"summit", "summit:mpi", "v100", "h200"})
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
      for (const bool on_devices : {true, false}) {
        const auto flow = recorded({.seed = seed, .on_devices = on_devices}, on(machine, 8));
        EXPECT_EQ(evaluate(flow, find_device_model(machine)).time.count(), flow.facts.time)
            << machine << " " << seed;
      }
}

TEST(evaluation, knows_the_options_of_the_network) {
  options how = on("summit", 6);
  how.net_latency = 30us;
  how.net_bandwidth = 100'000'000;
  how.net_injection_gap = 2us;
  const auto flow = recorded({.seed = 3}, how);
  EXPECT_EQ(evaluate(flow, find_device_model("summit")).time.count(), flow.facts.time);
}

TEST(evaluation, gives_the_time_of_a_run_on_another_machine) {
  for (const char* const change : {"link.card=x2", "message.latency=x8", "host.launch=x4",
                                   "device.memory_bandwidth=x0.5", "message.send=x3"})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const std::string other = std::string("summit,") + change;
      const plan ordered{.seed = seed, .is_ordered = true};
      const auto run_there = static_cast<double>(recorded(ordered, on(other, 8)).facts.time);
      const auto here = recorded(ordered, on("summit", 8));
      const auto there = static_cast<double>(evaluate(here, find_device_model(other)).time.count());
      EXPECT_NEAR(there, run_there, 0.001 * run_there) << change << " " << seed;
      // Values without a sender of their own may come in another order, and bring others' sizes.
      const plan mixed{.seed = seed};
      const auto mixed_there = static_cast<double>(recorded(mixed, on(other, 8)).facts.time);
      const auto mixed_time = static_cast<double>(
          evaluate(recorded(mixed, on("summit", 8)), find_device_model(other)).time.count());
      EXPECT_NEAR(mixed_time, mixed_there, 0.05 * mixed_there) << change << " " << seed;
    }
}

TEST(evaluation, refuses_a_flow_that_does_not_end) {
  auto flow = recorded({.cells = 2, .steps = 1}, on("summit", 2));
  for (auto& action : flow.actions)
    if (action.kind == trace::flow::action_kind::end) action.kind = trace::flow::action_kind::work;
  EXPECT_NE(error_of<error>([&] { evaluate(flow, find_device_model("summit")); }).find("does not end"),
            std::string::npos);
}

}  // namespace
}  // namespace imbrex::tools
