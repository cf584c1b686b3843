// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/gpu/device_choice.hpp>
#include <imbrex/core/gpu/device_reduction.hpp>
#include <imbrex/core/gpu/shared_device_buffer.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/operation_observer.hpp>

namespace imbrex::device_reduction_test {

/// Numbers whose sum and product depend on the bracket order.
double noise(int element, int round, std::size_t i) {
  random dice(std::uint64_t(element) * 1'000'003 + std::uint64_t(round) * 7919 + i);
  return std::bit_cast<double>((dice() >> 12U) | 0x3ff0000000000000U) * (element % 2 == 0 ? 1e9 : -1e-3);
}
std::vector<double> noises(int element, int round, std::size_t size) {
  std::vector<double> all(size);
  for (std::size_t i = 0; i < size; ++i) all[i] = noise(element, round, i);
  return all;
}

constexpr kernel<device_span<double>, int, int> fill{
    .name = "fill",
    .host =
        [](device_span<double> to, int element, int round) {
          for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = noise(element, round, i);
        },
    .work = [](device_span<double>, int element,
               int) { return work_size{.time = nanoseconds(700 * (element % 5))}; }};
/// Whole numbers, whose sum does not depend on the bracket order.
constexpr kernel<device_span<double>, int, int> fill_whole{
    .name = "fill_whole", .host = [](device_span<double> to, int element, int round) {
      for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = double(element) + double(round) * double(i);
    }};
/// Neither commutative nor associative.
constexpr kernel<device_span<double>, device_span<const double>> mix{
    .name = "mix", .host = [](device_span<double> to, device_span<const double> from) {
      for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = 0.75 * to.data()[i] - from.data()[i];
    }};
/// The operation of `mix` for values.
struct mixture {
  double operator()(const double& a, const double& b) const { return 0.75 * a - b; }
};

/// Counts a device's copies by their source.
class copy_counter final : public operation_observer {
 public:
  void finished(const finished_operation& operation) noexcept override {
    using enum finished_operation::type;
    if (operation.what == from_device || operation.what == to_device) ++with_host;
    if (operation.what == within_device) ++within;
    if (operation.what == within_device) bytes += operation.bytes;
  }
  std::atomic<int> with_host = 0, within = 0;
  std::atomic<std::size_t> bytes = 0;
};

enum class operation { sum, product, min, max, lambda, kernel, end };

bool equal_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, {}, std::bit_cast<std::uint64_t, double>,
                            std::bit_cast<std::uint64_t, double>);
}

class member : public chare<member> {
 public:
  mailbox<shared_device_buffer<double>> brought;

  /// The number of reductions that differ from the same reductions of values on the host.
  task<int> differences(int rounds, std::vector<std::size_t> sizes) {
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
      const std::size_t size = sizes[std::size_t(round) % sizes.size()];
      const auto what = operation(round % int(operation::end));
      const bool equal = co_await is_as_on_host(what, round, size);
      wrong += equal ? 0 : 1;
    }
    co_return wrong;
  }
  task<int> several_at_once() {
    auto first = all_reduce(filled(5, 0), sum);
    auto second = all_reduce(filled(9, 1), imbrex::max);
    auto third = all_reduce(noises(index(), 2, 3), sum);
    auto fourth = all_reduce(filled(3, 2), sum);
    const auto by_device = co_await fourth;
    const auto by_host = co_await third;
    const auto most = co_await second;
    const auto total = co_await first;
    const auto is = co_await contents(by_device);
    co_return (equal_bits(is, by_host) && most.size() == 9 && total.size() == 5) ? 0 : 1;
  }
  task<std::string> error_of_lengths() {
    const std::string text =
        co_await awaited_error_of<error>([&] { return all_reduce(filled(index() == 2 ? 8 : 7, 0), sum); });
    co_return text;
  }
  task<int> over(section<member> some, int members) {
    const auto on_device = co_await all_reduce(some, filled(11, members), sum);
    const auto on_host = co_await all_reduce(some, noises(index(), members, 11), sum);
    const auto is = co_await contents(on_device);
    co_return equal_bits(is, on_host) ? 0 : 1;
  }

  device_buffer<double> give(int round, std::size_t size) { return filled(size, round); }
  task<device_buffer<double>> give_later(int round, std::size_t size) {
    co_await sleep_for(nanoseconds(index() % 3));
    co_return filled(size, round);
  }
  std::vector<double> tell(int round, std::size_t size) { return noises(index(), round, size); }

  /// Reduces over all or some members, and compares the results.
  template <class To>
  task<int> compare_reduce(const To& to, int round, std::size_t size) {
    auto now = to.template reduce<&member::give>(sum, round, size);
    auto later = to.template reduce<&member::give_later>(by_kernel<mix>, round, size);
    auto sums = to.template reduce<&member::tell>(sum, round, size);
    auto mixed = to.template reduce<&member::tell>(mixture{}, round, size);
    const auto sum_there = co_await now;
    const auto mix_there = co_await later;
    const auto sum_here = co_await sums;
    const auto mix_here = co_await mixed;
    const auto first = co_await contents(sum_there);
    const auto second = co_await contents(mix_there);
    co_return (equal_bits(first, sum_here) ? 0 : 1) + (equal_bits(second, mix_here) ? 0 : 1);
  }
  task<int> reduce_all(std::size_t size) {
    const int wrong = co_await compare_reduce(peers(), 3, size);
    co_return wrong;
  }
  task<int> reduce_some(section<member> some, std::size_t size) {
    const int wrong = co_await compare_reduce(some, 4, size);
    co_return wrong;
  }
  task<int> ask_one() {
    const auto its = co_await peers()[(index() + 1) % size()].call<&member::give>(5, std::size_t{6});
    work_.wait(its);
    pinned_buffer<double> copy(gpu(), its.size());
    work_.copy(copy.span(), its.span());
    co_await work_.done();
    co_return equal_bits({copy.span().begin(), copy.span().end()}, noises((index() + 1) % size(), 5, 6)) ? 0
                                                                                                         : 1;
  }

  // Broadcasts.

  void take(int from, int round, const shared_device_buffer<double>& values) {
    const auto copy = values;
    check(copy, from, round);
  }
  task<> take_later(int from, int round, shared_device_buffer<double> values) {
    co_await sleep_for(nanoseconds(index() % 4));
    check(values, from, round);
  }
  task<> bring(int rounds, std::size_t size) {
    for (int round = 0; round < rounds; ++round) {
      const shared_device_buffer<double> values(filled(size, round));
      auto now = peers().call<&member::take>(index(), round, values);
      auto later = peers().call<&member::take_later>(index(), round, values);
      co_await when_all(std::move(now), std::move(later));
      send<&member::brought>(peers(), 100 * index() + round, values);
      const auto received = co_await brought.receive(100 * index() + round);
      check(received, index(), round);
    }
  }
  task<> receive_brought(int rounds) {
    for (int from = 0; from < size(); ++from)
      for (int round = 0; round < rounds; ++round)
        if (from != index()) {
          const auto received = co_await brought.receive(100 * from + round);
          check(received, from, round);
        }
  }
  task<> bring_to_some(section<member> some, std::size_t size) {
    const shared_device_buffer<double> values(filled(size, 0));
    co_await some.call<&member::take>(index(), 0, values);
    co_await some.call<&member::take_later>(index(), 0, values);
  }
  task<std::uint64_t> address_of_sum() {
    const auto all = co_await all_reduce(filled(3, 0), sum);
    check_device(all);
    kept_ = all;
    co_return std::bit_cast<std::uintptr_t>(all.span().data());
  }
  std::uint64_t note_address(const shared_device_buffer<double>& values) {
    kept_ = values;
    return std::bit_cast<std::uintptr_t>(values.span().data());
  }
  task<std::vector<std::uint64_t>> addresses() {
    const shared_device_buffer<double> values(filled(3, 0));
    std::vector<std::uint64_t> seen = co_await peers().reduce<&member::note_address>(gather, values);
    co_return seen;
  }
  /// True if the result arrives before its contents are complete.
  task<bool> knows_before_it_is_there(nanoseconds time) {
    device_buffer<double> buffer(gpu(), 4);
    work_.launch(take_time, buffer.span(), time);
    const auto all = co_await all_reduce(std::move(buffer).ready_after(work_), sum);
    co_return !all.ready().done();
  }

  void begin_to_count() {
    counted_.with_host = counted_.within = 0;
    gpu().backend().observe(&counted_);
  }
  task<std::vector<int>> counted() {
    co_await work_.done();
    gpu().backend().observe(nullptr);
    co_return std::vector<int>{counted_.with_host, counted_.within};
  }
  task<> sum_once() {
    const auto all = co_await all_reduce(filled(1000, 0), sum);
    work_.wait(all.ready());
    co_await work_.done();
  }
  /// Bytes that this device receives for a sum.
  task<std::size_t> bytes_of_sum(std::size_t size) {
    device_buffer<double> buffer = filled(size, 0);
    co_await work_.done();
    counted_.bytes = 0;
    gpu().backend().observe(&counted_);
    const auto all = co_await all_reduce(std::move(buffer), sum);
    co_await work_.done();
    co_await all_reduce(0, sum);
    gpu().backend().observe(nullptr);
    co_return std::size_t(counted_.bytes);
  }
  /// The error if one device has no memory for the result.
  task<std::string> error_of_memory(std::size_t size) {
    device_buffer<double> buffer = filled(size, 0);
    co_await all_reduce(0, sum);
    std::optional<device_buffer<std::byte>> rest;
    if (index() == 1) rest.emplace(gpu(), gpu().free_memory() - size * sizeof(double) / 2);
    const std::string text =
        co_await awaited_error_of<error>([&] { return all_reduce(std::move(buffer), sum); });
    co_return text;
  }
  std::int64_t blocks() { return std::int64_t(gpu().memory(memory_kind::device).counts().blocks_in_use); }

  task<int> wrong() {
    pinned_buffer<int> seen(gpu(), 1);
    work_.copy(seen.span(), std::as_const(wrong_).span());
    co_await work_.done();
    co_return seen[0];
  }

 private:
  static constexpr kernel<device_span<const double>, int, int, device_span<int>> compare{
      .name = "compare",
      .host = [](device_span<const double> values, int element, int round, device_span<int> wrong) {
        for (std::size_t i = 0; i < values.size(); ++i)
          if (values.data()[i] != noise(element, round, i)) ++wrong.data()[0];
      }};
  static constexpr kernel<device_span<double>, nanoseconds> take_time{
      .name = "take_time",
      .host =
          [](device_span<double> to, nanoseconds) {
            for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = 1;
          },
      .work = [](device_span<double>, nanoseconds time) { return work_size{.time = time}; }};

  int index() const { return where()[0]; }
  int size() const { return int(peers().size()); }
  device_buffer<double> filled(std::size_t size, int round) {
    device_buffer<double> values(gpu(), size);
    work_.launch(fill, values.span(), index(), round);
    return std::move(values).ready_after(work_);
  }
  void check_device(const shared_device_buffer<double>& values) {
    if (values.size() != 0) {
      EXPECT_EQ(values.device(), gpu().info().id);
    }
  }
  void check(const shared_device_buffer<double>& values, int element, int round) {
    check_device(values);
    work_.wait(values.ready());
    work_.launch(compare, values.span(), element, round, wrong_.span());
  }
  task<std::vector<double>> contents(const shared_device_buffer<double>& values) {
    check_device(values);
    pinned_buffer<double> copy(gpu(), values.size());
    work_.wait(values.ready());
    if (values.size() != 0) work_.copy(copy.span(), values.span());
    co_await work_.done();
    co_return std::vector<double>(copy.span().begin(), copy.span().end());
  }
  template <class OnDevice, class OnHost>
  task<bool> compare_all_reduce(OnDevice on_device, OnHost on_host, int round, std::size_t size) {
    auto there = all_reduce(filled(size, round), on_device);
    auto here = all_reduce(noises(index(), round, size), on_host);
    const auto of_device = co_await there;
    const auto of_host = co_await here;
    const auto is = co_await contents(of_device);
    co_return equal_bits(is, of_host);
  }
  task<bool> is_as_on_host(operation what, int round, std::size_t size) {
    using enum operation;
    switch (what) {
      case operation::sum: return compare_all_reduce(imbrex::sum, imbrex::sum, round, size);
      case product: return compare_all_reduce(imbrex::product, imbrex::product, round, size);
      case operation::min: return compare_all_reduce(imbrex::min, imbrex::min, round, size);
      case operation::max: return compare_all_reduce(imbrex::max, imbrex::max, round, size);
      case lambda: return compare_all_reduce(mixture{}, mixture{}, round, size);
      default: return compare_all_reduce(by_kernel<mix>, mixture{}, round, size);
    }
  }

  stream work_{gpu(), stream_priority::normal, "a member"};
  device_buffer<int> wrong_ = [this] {
    device_buffer<int> none(gpu(), 1);
    work_.fill(none.span(), std::byte(0));
    return none;
  }();
  copy_counter counted_;
  shared_device_buffer<double> kept_;
};

/// Takes part in a sum after each of some moves, with an array on its current device.
class walker : public chare<walker> {
 public:
  explicit walker(std::size_t size) : size_(size) {}
  walker() = default;

  task<> walk(int steps) {
    for (;; --steps) {
      const bool right = co_await sum_is_right(steps);
      wrong_ += right ? 0 : 1;
      if (steps == 0) co_return;
      migrate_to((pe() + 1 + where()[0] % 2) % num_pes());
      co_await balance_point<&walker::walk>(steps - 1);
    }
  }
  int wrong() const { return wrong_; }
  void serialize(auto& ar) { ar(wrong_, size_); }

 private:
  task<bool> sum_is_right(int round) {
    stream work(gpu(), stream_priority::normal, "a walker");
    device_buffer<double> buffer(gpu(), size_);
    work.launch(fill_whole, buffer.span(), where()[0], round);
    const auto all = co_await all_reduce(std::move(buffer).ready_after(work), sum);
    pinned_buffer<double> copy(gpu(), all.size());
    work.wait(all.ready());
    work.copy(copy.span(), all.span());
    co_await work.done();
    const double members = double(peers().size());
    bool right = true;
    for (std::size_t i = 0; i < copy.size(); ++i)
      right = right && copy[i] == members * (members - 1) / 2 + members * round * double(i);
    co_return right;
  }

  int wrong_ = 0;
  std::size_t size_ = 6;
};

class device_reduction : public on_machine {
 protected:
  template <class Main>
  void run_with(int devices, const Main& main) {
    for (options settings : GetParam().runs) {
      settings.device = "emulated";
      settings.devices = devices;
      EXPECT_EQ(run_once(settings, main), 0);
      if (!HasFailure()) continue;
      ADD_FAILURE() << "with " << text_of(settings);
      return;
    }
  }
  /// Runs `work` with `count` members on one device, or on two.
  template <class Work>
  void check(int count, const Work& work) {
    for (const int devices : {1, 2})
      run_with(devices, [&]() -> task<> {
        auto members = make_array<member>({count});
        co_await work(members);
        EXPECT_EQ((co_await members.template reduce<&member::wrong>(sum)), 0);
      });
  }
};

INSTANTIATE_TEST_SUITE_P(on, device_reduction,
                         ::testing::ValuesIn(machines({"threads_1", "threads_2", "threads_5", "shuffled",
                                                       "delayed", "deterministic_10", "simulated",
                                                       "processes_2", "processes_3",
                                                       "processes_2x2_comm_thread"})),
                         name_of_machine);

TEST_P(device_reduction, comes_to_what_the_host_comes_to) {
  const std::vector<std::size_t> sizes{7, 0, 1, 33, 257};
  for (const int count : {1, 7})
    check(count, [&](auto& members) -> task<> {
      const int wrong =
          co_await members.template reduce<&member::differences>(sum, 2 * int(operation::end), sizes);
      EXPECT_EQ(wrong, 0);
    });
}
TEST_P(device_reduction, of_long_arrays) {
  check(5, [](auto& members) -> task<> {
    const std::vector<std::size_t> sizes{(1U << 20U) / sizeof(double) + 3};
    const int wrong = co_await members.template reduce<&member::differences>(sum, 1, sizes);
    EXPECT_EQ(wrong, 0);
  });
}
TEST_P(device_reduction, of_long_arrays_in_pieces) {
  for (const int devices : {2, 5})
    run_with(devices, []() -> task<> {
      auto members = make_array<member>({7});
      constexpr std::size_t size = (1U << 19U) / sizeof(double);
      const std::vector<std::size_t> sizes{size + 7};
      EXPECT_EQ((co_await members.template reduce<&member::differences>(sum, int(operation::end), sizes)), 0);
      EXPECT_EQ((co_await members.template reduce<&member::wrong>(sum)), 0);
    });
}
TEST_P(device_reduction, of_long_arrays_of_members_that_migrate) {
  run_with(3, []() -> task<> {
    auto walkers = make_array<walker>({6}, std::size_t{1} << 16U);
    co_await walkers.call<&walker::walk>(4);
    EXPECT_EQ((co_await walkers.reduce<&walker::wrong>(sum)), 0);
  });
}
TEST_P(device_reduction, may_overtake_others) {
  check(6, [](auto& members) -> task<> {
    EXPECT_EQ((co_await members.template reduce<&member::several_at_once>(sum)), 0);
  });
}
TEST_P(device_reduction, of_members_that_migrate) {
  for (const int devices : {1, 2})
    run_with(devices, []() -> task<> {
      auto walkers = make_array<walker>({6}, std::size_t{6});
      co_await walkers.call<&walker::walk>(4);
      EXPECT_EQ((co_await walkers.reduce<&walker::wrong>(sum)), 0);
    });
}
TEST_P(device_reduction, tells_all_that_lengths_differ) {
  check(5, [](auto& members) -> task<> {
    for (const std::string& text : co_await members.template reduce<&member::error_of_lengths>(gather))
      EXPECT_NE(text.find("a reduction of device_buffers got one of "), std::string::npos) << text;
  });
}
TEST_P(device_reduction, of_what_an_entry_returns) {
  check(5, [](auto& members) -> task<> {
    for (const std::size_t size : {std::size_t{0}, std::size_t{13}})
      EXPECT_EQ((co_await members[3].template call<&member::reduce_all>(size)), 0);
    EXPECT_EQ((co_await members.template reduce<&member::ask_one>(sum)), 0);
  });
}
TEST_P(device_reduction, over_sections) {
  check(7, [](auto& members) -> task<> {
    const auto some = members.section({1, 2, 5, 6});
    EXPECT_EQ((co_await some.template reduce<&member::over>(sum, some, 4)), 0);
    EXPECT_EQ((co_await members[1].template call<&member::reduce_some>(some, std::size_t{9})), 0);
    co_await members[2].template call<&member::bring_to_some>(some, std::size_t{9});
  });
}
TEST_P(device_reduction, brings_one_array_to_all) {
  check(6, [](auto& members) -> task<> {
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{100}}) {
      auto bringing = members.template call<&member::bring>(3, size);
      auto receiving = members.template call<&member::receive_brought>(3);
      co_await when_all(std::move(bringing), std::move(receiving));
    }
  });
}
TEST_P(device_reduction, gives_memory_back) {
  run_with(2, []() -> task<> {
    auto members = make_array<member>({5});
    const auto blocks = [&]() -> task<std::int64_t> {
      co_await members.template call<&member::sum_once>();  // so that earlier broadcasts are forgotten
      co_await quiescence();
      const std::int64_t all = co_await members.template reduce<&member::blocks>(sum);
      co_return all;
    };
    const std::int64_t before = co_await blocks();
    for (int i = 0; i < 10; ++i) {
      co_await members.template call<&member::sum_once>();
      auto bringing = members.template call<&member::bring>(1, std::size_t{50});
      auto receiving = members.template call<&member::receive_brought>(1);
      co_await when_all(std::move(bringing), std::move(receiving));
    }
    const std::int64_t after = co_await blocks();
    EXPECT_EQ(after, before);
  });
}

/// One process, in real or virtual time.
class device_reduction_here : public ::testing::Test {
 protected:
  static options simulated(int pes, int devices) {
    options settings{.pes = pes, .machine = machine_kind::simulated};
    settings.device = "emulated";
    settings.devices = devices;
    settings.device_model = "summit";
    return settings;
  }
};

TEST_F(device_reduction_here, waits_for_nothing_on_the_host) {
  EXPECT_EQ(
      imbrex::run(simulated(4, 2),
                  []() -> task<> {
                    auto members = make_array<member>({9});
                    const nanoseconds long_time{10'000'000'000};
                    EXPECT_TRUE((co_await members.reduce<&member::knows_before_it_is_there>(all, long_time)));
                  }),
      0);
}
TEST_F(device_reduction_here, shares_one_array_on_each_device) {
  EXPECT_EQ(imbrex::run(simulated(4, 2),
                        []() -> task<> {
                          auto members = make_array<member>({16});
                          auto of_sum = co_await members.reduce<&member::address_of_sum>(gather);
                          auto of_broadcast = co_await members[5].call<&member::addresses>();
                          for (auto* const seen : {&of_sum, &of_broadcast}) {
                            EXPECT_EQ(seen->size(), 16U);
                            std::ranges::sort(*seen);
                            const auto same = std::ranges::unique(*seen);
                            EXPECT_EQ(same.begin() - seen->begin(), 2);
                          }
                        }),
            0);
}
TEST_F(device_reduction_here, copies_once_for_each_device) {
  EXPECT_EQ(imbrex::run(simulated(4, 4),
                        []() -> task<> {
                          auto members = make_array<member>({4});
                          co_await members.call<&member::sum_once>();
                          co_await members.call<&member::begin_to_count>();
                          co_await members.call<&member::sum_once>();
                          int with_host = 0, within = 0;
                          for (const auto& of_one : co_await members.reduce<&member::counted>(gather)) {
                            with_host += of_one[0];
                            within += of_one[1];
                          }
                          EXPECT_EQ(with_host, 0);
                          EXPECT_EQ(within, 6);  // three to the root, three back
                        }),
            0);
}

TEST_F(device_reduction_here, copies_once_down_and_up_for_each_device_by_the_hosts) {
  options settings = simulated(12, 0);  // two hosts
  settings.gpu_path = device_path::host;
  EXPECT_EQ(imbrex::run(settings,
                        []() -> task<> {
                          auto members = make_array<member>({12});
                          co_await members.call<&member::sum_once>();
                          co_await members.call<&member::begin_to_count>();
                          co_await members.call<&member::sum_once>();
                          int with_host = 0;
                          for (const auto& of_one : co_await members.reduce<&member::counted>(gather))
                            with_host += of_one[0];
                          EXPECT_EQ(with_host, 2 * (11 + 11));  // eleven to the root, eleven back
                        }),
            0);
}

TEST_F(device_reduction_here, in_pieces_burdens_all_devices_alike) {
  EXPECT_EQ(imbrex::run(simulated(4, 4),
                        []() -> task<> {
                          auto members = make_array<member>({4});
                          constexpr std::size_t size = 1U << 19U;
                          const auto bytes = co_await members.reduce<&member::bytes_of_sum>(gather, size);
                          for (const std::size_t each : bytes) EXPECT_LE(each, 2 * size * sizeof(double));
                        }),
            0);
}
TEST_F(device_reduction_here, in_pieces_tells_all_that_a_device_has_no_room) {
  options settings = simulated(4, 4);
  settings.device_data = false;
  EXPECT_EQ(imbrex::run(settings,
                        []() -> task<> {
                          auto members = make_array<member>({4});
                          const std::size_t size = 1U << 20U;
                          for (const std::string& text :
                               co_await members.reduce<&member::error_of_memory>(gather, size))
                            EXPECT_NE(text.find("no device memory for"), std::string::npos) << text;
                        }),
            0);
}

/// Combines more arrays at once than one kernel takes.
template <class Op>
task<> combine_many(Op) {
  using math = detail::reduction<device_buffer<double>, Op, int>;
  stream work(gpu(), stream_priority::normal, "a test");
  constexpr std::size_t size = 5;
  constexpr int arrays = 21;
  std::vector<double> expected = noises(0, 0, size);
  std::vector<typename math::partial> all;
  for (int a = 0; a < arrays; ++a) {
    device_buffer<double> one(gpu(), size);
    work.launch(fill, one.span(), a, 0);
    all.emplace_back(std::move(one).ready_after(work));
    const auto values = noises(a, 0, size);
    for (std::size_t i = 0; a > 0 && i < size; ++i) expected[i] = mixture()(expected[i], values[i]);
  }
  std::optional<typename math::partial> into;
  math::merge_all(into, std::move(all));
  pinned_buffer<double> copy(gpu(), size);
  const shared_device_buffer<double> combined = math::finish(std::move(*into));
  work.wait(combined.ready());
  work.copy(copy.span(), combined.span());
  co_await work.done();
  EXPECT_TRUE(equal_bits({copy.span().begin(), copy.span().end()}, expected));
}
TEST_F(device_reduction_here, combines_many_one_after_the_other) {
  EXPECT_EQ(imbrex::run(simulated(1, 1),
                        []() -> task<> {
                          co_await combine_many(mixture());
                          co_await combine_many(by_kernel<mix>);
                        }),
            0);
}

/// A chare without a device.
class host_only : public chare<host_only> {
 public:
  void take(const shared_device_buffer<double>& values) { EXPECT_EQ(values.span().size(), 3U); }
};

TEST_F(device_reduction_here, needs_a_device_where_it_arrives) {
  options settings{.pes = 2};
  settings.device = "emulated";
  settings.choose_device = [](const device_choice& pe) {
    return pe.pe == 0 ? std::optional(0) : std::nullopt;
  };
  EXPECT_EQ(imbrex::run(settings,
                        []() -> task<> {
                          auto all = make_group<host_only>();
                          std::string text;
                          try {
                            shared_device_buffer<double> values(device_buffer<double>(gpu(), 3));
                            co_await all[1].call<&host_only::take>(std::move(values));
                          } catch (const error& e) {
                            text = e.what();
                          }
                          EXPECT_NE(text.find("PE 1 has no device"), std::string::npos) << text;
                        }),
            0);
}

}  // namespace imbrex::device_reduction_test
