// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/gpu/counting_kernels.test.hpp>
#include <imbrex/core/gpu/device_argument.hpp>
#include <imbrex/core/gpu/device_channel.hpp>
#include <imbrex/core/gpu/device_loan.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/operation_observer.hpp>

namespace imbrex::device_paths_test {

using test::compare;

work_size slow_work(device_span<std::int64_t>, std::int64_t) { return {.time = nanoseconds(30'000)}; }
/// As the shared kernel, and slow: its buffer is sent before it ends.
constexpr kernel<device_span<std::int64_t>, std::int64_t> count_from{
    .name = "count_from", .host = test::count_from.host, .work = slow_work};

/// Counts of completed copies of a device.
struct copies {
  int down = 0, up = 0, within = 0;
  bool operator==(const copies&) const = default;
};

class copy_counter final : public operation_observer {
 public:
  void finished(const finished_operation& operation) noexcept override {
    using enum finished_operation::type;
    if (operation.what == from_device) ++down;
    if (operation.what == to_device) ++up;
    if (operation.what == within_device) ++within;
  }
  std::atomic<int> down = 0, up = 0, within = 0;
};

constexpr std::size_t room = (1U << 17U) + 3;

class node : public chare<node> {
 public:
  node() { work_.fill(wrong_.span(), std::byte(0)); }
  ~node() { gpu().backend().observe(nullptr); }

  device_channel<std::int64_t> line;
  mailbox<device_buffer<std::int64_t>> handed;

  void connect() { line.connect<&node::line>(peers()[1 - where()[0]]); }
  void begin_to_count() {
    counted_.down = counted_.up = counted_.within = 0;
    gpu().backend().observe(&counted_);
  }
  copies counted() {
    gpu().backend().observe(nullptr);
    return {counted_.down, counted_.up, counted_.within};
  }

  /// Shares by a channel; the memory changes as soon as that is allowed.
  task<> share(std::int64_t size) {
    const auto cells = out_.span().subspan(0, std::size_t(size));
    work_.launch(count_from, cells, size);
    const auto loan = line.send(cells, work_);
    co_await loan.done();
    work_.launch(count_from, cells, -1);
    co_await work_.done();
  }
  task<> take(std::int64_t size) {
    const auto cells = in_.span().subspan(0, std::size_t(size));
    co_await line.receive(cells, work_);
    work_.launch(compare, cells, size, wrong_.span());
    co_await work_.done();
  }
  /// Sends an owned buffer in a message.
  void hand_over(std::int64_t size) {
    device_buffer<std::int64_t> cells(gpu(), std::size_t(size));
    work_.launch(count_from, cells.span(), size);
    send<&node::handed>(peers()[1 - where()[0]], std::move(cells).ready_after(work_));
  }
  task<> keep(std::int64_t size) {
    const device_buffer<std::int64_t> cells = co_await handed.receive();
    EXPECT_EQ(cells.size(), std::size_t(size));
    work_.wait(cells);
    work_.launch(compare, cells.span(), size, wrong_.span());
    co_await work_.done();
  }
  task<std::int64_t> wrong() {
    pinned_buffer<std::int64_t> seen(gpu(), 1);
    work_.copy(seen.span(), std::as_const(wrong_).span());
    co_await work_.done();
    co_return seen[0];
  }
  std::int64_t blocks() { return std::int64_t(gpu().memory(memory_kind::device).counts().blocks_in_use); }

 private:
  stream work_{gpu(), stream_priority::normal, "a node"};
  device_buffer<std::int64_t> out_{gpu(), room}, in_{gpu(), room}, wrong_{gpu(), 1};
  copy_counter counted_;
};

/// Two processes of this host, each with a device.
class device_paths : public on_machine {
 protected:
  template <class Main>
  void run_by(device_path path, const Main& main) {
    for (options settings : GetParam().runs) {
      settings.device = "emulated";
      settings.gpu_path = path;
      EXPECT_EQ(run_once(settings, main), 0);
    }
  }
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(device_paths);
INSTANTIATE_TEST_SUITE_P(on, device_paths, ::testing::ValuesIn(machines({"processes_2"})), name_of_machine);

task<> expect_copies(std::vector<std::int64_t> sizes, copies of_sender, copies of_receiver) {
  auto nodes = make_array<node>({2});
  co_await nodes.call<&node::connect>();
  for (const std::int64_t size : sizes) {
    co_await nodes.call<&node::begin_to_count>();
    co_await when_all(nodes[0].call<&node::share>(size), nodes[1].call<&node::take>(size));
    EXPECT_EQ((co_await nodes[0].call<&node::counted>()), of_sender) << size;
    EXPECT_EQ((co_await nodes[1].call<&node::counted>()), of_receiver) << size;
    co_await nodes.call<&node::begin_to_count>();
    send<&node::hand_over>(nodes[1], size);
    co_await nodes[0].call<&node::keep>(size);
    EXPECT_EQ((co_await nodes[1].call<&node::counted>()), of_sender) << size;
    EXPECT_EQ((co_await nodes[0].call<&node::counted>()), of_receiver) << size;
  }
  EXPECT_EQ((co_await nodes.reduce<&node::wrong>(sum)), 0);
}

TEST_P(device_paths, between_processes_of_a_host_copy_once) {
  for (const device_path path : {device_path::any, device_path::shared})
    run_by(path, [] { return expect_copies({1, 4096, room}, {}, {.within = 1}); });
}
/// Longer arrays are sent in pieces (message_in_pieces.test.cpp).
TEST_P(device_paths, through_the_host_copy_down_and_up) {
  run_by(device_path::host, [] { return expect_copies({1, 4000}, {.down = 1}, {.up = 1}); });
}
TEST_P(device_paths, give_memory_back_that_was_read_elsewhere) {
  run_by(device_path::any, []() -> task<> {
    auto nodes = make_array<node>({2});
    co_await nodes.call<&node::connect>();
    const std::int64_t before = co_await nodes.reduce<&node::blocks>(sum);
    for (int i = 0; i < 30; ++i) {
      send<&node::hand_over>(nodes[i % 2], i);
      co_await nodes[1 - i % 2].call<&node::keep>(i);
    }
    send<&node::hand_over>(nodes[0], 0);
    co_await nodes[1].call<&node::keep>(0);
    co_await quiescence();
    EXPECT_EQ((co_await nodes.reduce<&node::blocks>(sum)), before);
    EXPECT_EQ((co_await nodes.reduce<&node::wrong>(sum)), 0);
  });
}

/// The numbers of open descriptors and of mappings of this process.
std::pair<int, int> descriptors_and_mappings() {
  int descriptors = 0, mappings = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd"))
    ++descriptors;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) ++mappings;
  return {descriptors, mappings};
}

TEST_P(device_paths, need_no_more_descriptors_and_mappings_for_more_transfers) {
  for (const device_path path : {device_path::shared, device_path::host})
    run_by(path, []() -> task<> {
      auto nodes = make_array<node>({2});
      co_await nodes.call<&node::connect>();
      std::pair<int, int> before;
      std::int64_t blocks_before = 0;
      for (int i = 0; i < 900; ++i) {
        if (i == 300) {
          co_await quiescence();
          before = descriptors_and_mappings();
          blocks_before = co_await nodes.reduce<&node::blocks>(sum);
        }
        const std::int64_t size = 1 + i % 999;
        co_await when_all(nodes[0].call<&node::share>(size), nodes[1].call<&node::take>(size));
        send<&node::hand_over>(nodes[i % 2], size);
        co_await nodes[1 - i % 2].call<&node::keep>(size);
      }
      co_await quiescence();
      const auto after = descriptors_and_mappings();
      EXPECT_LE(after.first, before.first);
      EXPECT_LE(after.second, before.second + 16);  // mappings by the heaps of threads
      EXPECT_EQ((co_await nodes.reduce<&node::blocks>(sum)), blocks_before);
      EXPECT_EQ((co_await nodes.reduce<&node::wrong>(sum)), 0);
    });
}

}  // namespace imbrex::device_paths_test
