// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/balance/driver/enable.hpp>
#include <imbrex/balance/driver/rebalance.hpp>
#include <imbrex/balance/strategy.hpp>
#include <imbrex/core/array/balance_point.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/gpu/persistent_channel.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/testing/machines.hpp>

namespace imbrex::balance_device_test {

constexpr std::size_t cells = 1 << 18;

/// Reads and writes all cells so many times.
constexpr kernel<device_span<double>, int> sweep{
    .name = "sweep",
    .host = [](device_span<double>, int) {},
    .work = [](device_span<double> u,
               int times) { return work_size{.bytes = 16.0 * static_cast<double>(u.size()) * times}; }};

/// The seconds of a sweep on the whole device.
double seconds_of_sweep(int times) {
  return 16.0 * cells * times / static_cast<double>(find_device_model("v100").device.memory_bandwidth);
}

/// The seconds before a kernel takes anything of its device.
double kernel_start() {
  return static_cast<double>(find_device_model("v100").device.kernel_start.count()) * 1e-9;
}

options on_devices(int pes, const std::string& strategy, std::uint64_t every = 0) {
  options settings;
  settings.machine = machine_kind::simulated;
  settings.pes = pes;
  settings.device = "emulated";
  settings.device_model = "v100";
  settings.device_data = false;
  settings.balance.strategy = strategy;
  settings.balance.every_points = every;
  return settings;
}

/// A block whose work is on its device. In each step all blocks meet.
class block : public chare<block> {
 public:
  block() = default;
  explicit block(bool hot_blocks_are_together) : together_(hot_blocks_are_together) {}

  task<double> run(int steps) {
    while (step_ < steps) {
      if (u_.size() == 0) u_ = device_buffer<double>(gpu(), cells);
      if (!work_) work_.emplace(gpu());
      ++step_;
      work_->launch(sweep, u_.span(), is_hot() ? 80 : 20);
      co_await work_->done();
      co_await all_reduce(step_, max);
      co_await balance_point<&block::run>(steps);
    }
    co_return static_cast<double>(step_);
  }
  int on() const { return pe(); }
  void serialize(auto& ar) { ar(u_, together_, step_); }

 private:
  /// One block in six has four times the work.
  bool is_hot() const { return together_ ? where()[0] < 6 : where()[0] % 6 == 0; }

  device_buffer<double> u_;
  std::optional<stream> work_;  // does not migrate
  bool together_ = true;
  int step_ = 0;
};

/// The milliseconds that 36 blocks take for some steps on 6 devices.
double time_of_blocks(const options& settings, bool together) {
  double took = 0;
  const int status = run(settings, [&]() -> task<> {
    const auto blocks = make_array<block>({36}, together);
    const double begin = seconds();
    const double steps = co_await blocks.reduce<&block::run>(sum, 150);
    EXPECT_EQ(steps, 36 * 150);
    took = (seconds() - begin) * 1e3;
  });
  EXPECT_EQ(status, 0);
  return took;
}

TEST(balance_devices, distributes_work_on_devices) {
  const double best = time_of_blocks(on_devices(6, ""), false);
  const double none = time_of_blocks(on_devices(6, ""), true);
  EXPECT_GT(none, 2.5 * best);
  EXPECT_LE(time_of_blocks(on_devices(6, "auto"), true), 1.05 * best);
  options by_device = on_devices(6, "refine", 20);
  by_device.balance.by = balanced_loads::device;
  EXPECT_LE(time_of_blocks(by_device, true), 1.25 * best);
}

/// An element that counts the calls of its `serialize`.
class counted_block : public chare<counted_block> {
 public:
  static inline std::atomic<int> serialized = 0;

  task<int> run(int steps) {
    while (step_ < steps) {
      if (u_.size() == 0) u_ = device_buffer<double>(gpu(), 100);
      spend(std::chrono::microseconds(100));
      ++step_;
      co_await all_reduce(step_, max);
      co_await balance_point<&counted_block::run>(steps);
    }
    co_return step_;
  }
  void serialize(auto& ar) {
    ++serialized;
    ar(u_, step_);
  }

 private:
  device_buffer<double> u_;
  int step_ = 0;
};

TEST(balance_devices, seldom_serialises_elements_to_know_their_memory) {
  options settings = on_devices(2, "segments", 1);
  counted_block::serialized = 0;
  const int status = run(settings, []() -> task<> {
    const auto blocks = make_array<counted_block>({8});
    EXPECT_EQ(co_await blocks.reduce<&counted_block::run>(sum, 40), 8 * 40);
  });
  EXPECT_EQ(status, 0);
  EXPECT_GT(counted_block::serialized, 0);
  EXPECT_LE(counted_block::serialized, 8 * 40 / 4);
}

TEST(balance_devices, leaves_them_out_where_only_pes_are_balanced) {
  bool has_devices = true;
  const balance::strategy looks("looks", [&](const balance::problem& p) {
    has_devices = !p.device_load.empty() || !p.on.device.empty();
    return std::vector<int>(p.pe.begin(), p.pe.end());
  });
  options by_cpu = on_devices(6, "looks", 5);
  by_cpu.balance.by = balanced_loads::cpu;
  time_of_blocks(by_cpu, true);
  EXPECT_FALSE(has_devices);
}

TEST(balance_devices, measures_what_the_model_says) {
  std::vector<double> loads, elapsed;
  std::vector<std::uint64_t> bytes, free;
  std::vector<int> device;
  const balance::strategy looks("looks", [&](const balance::problem& p) {
    loads.assign(p.device_load.begin(), p.device_load.end());
    elapsed.assign(p.device_elapsed.begin(), p.device_elapsed.end());
    bytes.assign(p.device_bytes.begin(), p.device_bytes.end());
    free.assign(p.on.free_memory.begin(), p.on.free_memory.end());
    device.assign(p.on.device.begin(), p.on.device.end());
    return std::vector<int>(p.pe.begin(), p.pe.end());
  });
  for (const int devices : {6, 3}) {
    options settings = on_devices(6, "looks", 10);
    settings.devices = devices;
    time_of_blocks(settings, true);
    ASSERT_EQ(loads.size(), 36U);
    for (std::size_t i = 0; i < loads.size(); ++i) {
      const double expected = seconds_of_sweep(i < 6 ? 80 : 20);
      EXPECT_NEAR(loads[i], expected, 1e-3 * expected) << i;  // operations are timed in nanoseconds
      EXPECT_GE(elapsed[i], loads[i]) << i;
      EXPECT_NEAR(elapsed[i], expected + kernel_start(), 1e-3 * expected) << i;
      EXPECT_EQ(bytes[i], cells * sizeof(double));
    }
    ASSERT_EQ(free.size(), static_cast<std::size_t>(devices));
    for (int pe = 0; pe < 6; ++pe) EXPECT_EQ(device[static_cast<std::size_t>(pe)], pe * devices / 6);
    const std::uint64_t all = find_device_model("v100").device.memory;
    for (const std::uint64_t each : free) EXPECT_LE(each, all - 36 / std::uint64_t(devices) * cells * 8);
  }
}

/// An element that does nothing.
class idle_block : public chare<idle_block> {
 public:
  void serialize(auto&) {}
};

TEST(balance_devices, are_one_where_processes_share_them) {
  static std::vector<int> seen;
  const balance::strategy looks("looks", [](const balance::problem& p) {
    seen.assign(p.on.device.begin(), p.on.device.end());
    return std::vector<int>(p.pe.begin(), p.pe.end());
  });
  for (const bool share : {false, true}) {
    if (share) ::setenv("IMBREX_SHARE_EMULATED", "1", 1);
    options settings = testing::threads(3);
    settings.device = "emulated";
    settings.devices = 2;
    settings.balance.strategy = "looks";
    const std::vector<int> expected = share ? std::vector{0, 0, 1, 0, 0, 1} : std::vector{0, 0, 1, 2, 2, 3};
    EXPECT_EQ(testing::run_in_processes(2, settings,
                                        [&]() -> task<> {
                                          const auto all = make_array<idle_block>({6});
                                          co_await all.created();
                                          co_await rebalance(all);
                                          EXPECT_EQ(seen, expected);
                                        }),
              0)
        << share;
  }
  ::unsetenv("IMBREX_SHARE_EMULATED");
}

/// A block with much memory; the one on PE 1 works little, and leaves no room beside it.
class large_block : public chare<large_block> {
 public:
  task<> run(int steps) {
    while (step_ < steps) {
      if (u_.size() == 0)
        u_ = device_buffer<std::byte>(gpu(), std::size_t{where()[0] == 2 ? 12U : 6U} << 30U);
      if (!work_) work_.emplace(gpu());
      ++step_;
      work_->launch(sweep, scratch(), where()[0] == 2 ? 1 : 50);
      co_await work_->done();
      co_await all_reduce(step_, max);
      co_await balance_point<&large_block::run>(steps);
    }
  }
  int on() const { return pe(); }
  void serialize(auto& ar) { ar(u_, small_, step_); }

 private:
  device_span<double> scratch() {
    if (small_.size() == 0) small_ = device_buffer<double>(gpu(), cells);
    return small_.span();
  }

  device_buffer<std::byte> u_;
  device_buffer<double> small_;
  std::optional<stream> work_;  // does not migrate
  int step_ = 0;
};

TEST(balance_devices, moves_no_memory_to_where_there_is_no_room) {
  for (const char* const strategy : {"auto", "refine", "greedy"})
    EXPECT_EQ(run(on_devices(2, strategy, 3),
                  []() -> task<> {
                    const auto blocks = make_array<large_block>(dense({3}).placed(
                        [](const index<1>& i, const index<1>&, int) { return i[0] == 2 ? 1 : 0; }));
                    co_await blocks.call<&large_block::run>(20);
                    const auto on = co_await blocks.reduce<&large_block::on>(gather);
                    EXPECT_EQ(on[0], 0);
                    EXPECT_EQ(on[1], 0);
                  }),
              0)
        << strategy;
}

/// Adds to all cells.
constexpr kernel<device_span<std::int64_t>, std::int64_t> add{
    .name = "add",
    .host =
        [](device_span<std::int64_t> to, std::int64_t number) {
          for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] += number;
        },
    .work = [](device_span<std::int64_t>, std::int64_t) { return work_size{.time = nanoseconds(20'000)}; }};

/// A chare that sends its cells on in each step, while it has work in progress on others, and counts in both.
class counter : public chare<counter> {
 public:
  mailbox<device_buffer<std::int64_t>> letters;
  static inline std::atomic<int> moves = 0;

  void arrived() { ++moves; }
  task<std::int64_t> run(int steps) {
    while (step_ < steps) {
      if (own_.size() == 0) {
        own_ = zeros();
        passed_ = zeros();
      }
      ++step_;
      work().launch(add, own_.span(), 1);
      work().launch(add, passed_.span(), 1);
      const int next = (where()[0] + 1) % peers().shape()[0];
      send<&counter::letters>(peers()[next], step_, std::move(passed_).ready_after(work()));
      passed_ = co_await letters.receive(step_);
      work().wait(passed_);
      co_await balance_point<&counter::run>(steps);
    }
    std::int64_t wrong = 0;
    for (const auto* const each : {&own_, &passed_}) {
      pinned_buffer<std::int64_t> seen(gpu(), each->size());
      work().copy(seen.span(), std::as_const(*each).span());
      co_await work().done();
      for (const std::int64_t n : seen.span()) wrong += n == steps ? 0 : 1;
    }
    co_return wrong;
  }
  void serialize(auto& ar) { ar(letters, own_, passed_, step_); }

 private:
  stream& work() {
    if (!work_) work_.emplace(gpu());
    return *work_;
  }
  device_buffer<std::int64_t> zeros() {
    device_buffer<std::int64_t> all(gpu(), 500);
    work().fill(all.span(), std::byte(0));
    return all;
  }

  device_buffer<std::int64_t> own_, passed_;
  std::optional<stream> work_;  // does not migrate
  int step_ = 0;
};

class balance_devices_on : public ::testing::TestWithParam<testing::machine> {};
INSTANTIATE_TEST_SUITE_P(on, balance_devices_on,
                         ::testing::ValuesIn(testing::machines({"threads_4", "serialized", "shuffled",
                                                                "deterministic_40", "simulated",
                                                                "processes_2x2"})),
                         [](const auto& info) { return info.param.name; });

TEST_P(balance_devices_on, keeps_the_contents_of_members_and_messages) {
  counter::moves = 0;
  for (const char* const strategy : {"random", "rotate"})
    for (options settings : GetParam().runs) {
      SCOPED_TRACE(std::string(strategy) + " " + testing::text_of(settings));
      settings.device = "emulated";
      settings.devices = 2;
      settings.balance.strategy = strategy;
      settings.balance.every_points = 1;
      const int before = counter::moves;
      EXPECT_EQ(
          testing::run_in_processes(GetParam().processes, settings,
                                    [before]() -> task<> {
                                      const auto all = make_array<counter>({6});
                                      // PEs that wait for processors may be done before the first step.
                                      int steps = 0;
                                      do {
                                        steps += 12;
                                        const auto wrong = co_await all.reduce<&counter::run>(sum, steps);
                                        EXPECT_EQ(wrong, 0);
                                      } while (num_pes() > 1 && counter::moves == before && steps < 1200);
                                    }),
          0);
      if (HasFailure()) return;
    }
  EXPECT_GT(counter::moves, 0);
}

/// A chare with an end of a channel that is bound to memory of its device.
class bound_end : public chare<bound_end> {
 public:
  persistent_channel<double> line;

  task<int> run(int steps) {
    stream work(gpu());
    device_buffer<double> out(gpu(), 4), in(gpu(), 4);
    line.connect<&bound_end::line>(peers()[where()[0] ^ 1]);
    const std::vector<device_span<const double>> from{std::as_const(out).span()};
    const std::vector<device_span<double>> to{in.span()};
    co_await line.bind(from, to);
    for (; step_ < steps; ++step_) {
      co_await line.send(work);
      const auto got = co_await line.receive(work);
      line.release(work);
      EXPECT_EQ(got.size(), 4U);
      spend(std::chrono::microseconds(100));
      co_await balance_point<&bound_end::run>(steps);
    }
    co_return pe();
  }
  void serialize(auto& ar) { ar(line, step_); }

 private:
  int step_ = 0;
};

TEST(balance_devices, leaves_chares_where_their_channels_are_bound) {
  EXPECT_EQ(run(on_devices(2, "rotate", 1),
                []() -> task<> {
                  const auto ends = make_array<bound_end>({4});
                  const auto on = co_await ends.reduce<&bound_end::run>(gather, 50);
                  EXPECT_EQ(on, (std::vector{0, 0, 1, 1}));
                }),
            0);
}

/// A chare with an end of a channel that is bound to its own buffers.
class member_end : public chare<member_end> {
 public:
  persistent_channel<std::int64_t> line;
  static inline std::atomic<int> moves = 0;

  void arrived() { ++moves; }
  task<std::int64_t> run(int steps) {
    stream work(gpu());
    if (out_.size() == 0) {
      out_ = device_buffer<std::int64_t>(gpu(), 40);
      in_ = device_buffer<std::int64_t>(gpu(), 40);
      line.connect<&member_end::line>(peers()[where()[0] ^ 1]);
      const std::vector<device_span<const std::int64_t>> from{std::as_const(out_).span()};
      const std::vector<device_span<std::int64_t>> to{in_.span()};
      co_await line.bind(from, to);
      work.fill(out_.span(), std::byte(0));
    }
    while (step_ < steps) {
      work.launch(add, out_.span(), 1);
      co_await line.send(work);
      const device_span<std::int64_t> got = co_await line.receive(work);
      pinned_buffer<std::int64_t> seen(gpu(), got.size());
      work.copy(seen.span(), got);
      line.release(work);
      co_await work.done();
      ++step_;
      for (const std::int64_t n : seen.span()) wrong_ += n == step_ ? 0 : 1;
      spend(std::chrono::microseconds(100));
      co_await balance_point<&member_end::run>(steps);
    }
    co_return wrong_;
  }
  void serialize(auto& ar) { ar(out_, in_, line, step_, wrong_); }

 private:
  device_buffer<std::int64_t> out_, in_;
  int step_ = 0;
  std::int64_t wrong_ = 0;
};

TEST_P(balance_devices_on, moves_chares_whose_channels_are_bound_to_members) {
  member_end::moves = 0;
  for (options settings : GetParam().runs) {
    SCOPED_TRACE(testing::text_of(settings));
    settings.device = "emulated";
    settings.devices = 2;
    settings.balance.strategy = "rotate";
    settings.balance.every_points = 1;
    const int before = member_end::moves;
    EXPECT_EQ(
        testing::run_in_processes(GetParam().processes, settings,
                                  [before]() -> task<> {
                                    const auto ends = make_array<member_end>({6});
                                    // PEs that wait for processors may be done before the first step.
                                    int steps = 0;
                                    do {
                                      steps += 12;
                                      const auto wrong = co_await ends.reduce<&member_end::run>(sum, steps);
                                      EXPECT_EQ(wrong, 0);
                                    } while (num_pes() > 1 && member_end::moves == before && steps < 1200);
                                  }),
        0);
    if (HasFailure()) return;
  }
  EXPECT_GT(member_end::moves, 0);
}

}  // namespace imbrex::balance_device_test
