// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/message_in_pieces.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/gpu/device_argument.hpp>
#include <imbrex/core/gpu/device_channel.hpp>
#include <imbrex/core/gpu/device_loan.hpp>
#include <imbrex/core/gpu/persistent_channel.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/run/runtime.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/device/backends/devices.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/operation_observer.hpp>

namespace imbrex::message_in_pieces_test {

using byte = unsigned char;

/// Bytes with a prime period, so that no two pieces are equal.
const std::vector<byte>& pattern() {
  static const std::vector<byte> all = [] {
    std::vector<byte> buffer(65521);
    for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<byte>(i * 31 + i / 251);
    return buffer;
  }();
  return all;
}
/// Calls visit(offset, bytes, length) for runs of the pattern's contents of this size; `first` identifies the
/// contents.
template <class Visit>
void for_each_run(std::size_t size, std::size_t first, const Visit& visit) {
  first %= pattern().size();
  for (std::size_t at = 0; at < size; first = 0) {
    const std::size_t run = std::min(size - at, pattern().size() - first);
    visit(at, pattern().data() + first, run);
    at += run;
  }
}

constexpr kernel<device_span<byte>, std::size_t> write_bytes{
    .name = "write_bytes",
    .host =
        [](device_span<byte> to, std::size_t first) {
          for_each_run(to.size(), first, [&](std::size_t at, const byte* bytes, std::size_t count) {
            std::memcpy(to.data() + at, bytes, count);
          });
        },
    .work = [](device_span<byte>, std::size_t) { return work_size{.time = nanoseconds(20'000)}; }};
constexpr kernel<device_span<const byte>, std::size_t, device_span<std::int64_t>> compare{
    .name = "compare",
    .host = [](device_span<const byte> of, std::size_t first, device_span<std::int64_t> wrong) {
      for_each_run(of.size(), first, [&](std::size_t at, const byte* bytes, std::size_t count) {
        if (std::memcmp(of.data() + at, bytes, count) != 0) ++wrong.data()[0];
      });
    }};
constexpr kernel<device_span<const byte>, std::size_t, device_span<std::int64_t>> find_poison{
    .name = "find_poison",
    .host = [](device_span<const byte> all, std::size_t margin, device_span<std::int64_t> wrong) {
      for (std::size_t i = 0; i < margin; ++i)
        if (all.data()[i] != 0xee || all.data()[all.size() - 1 - i] != 0xee) ++wrong.data()[0];
    }};

/// Chares on two hosts that send and receive in turn, with a margin of memory around received arrays.
class end : public chare<end> {
 public:
  static constexpr std::size_t margin = 5;

  device_channel<byte> line;
  persistent_channel<byte> bound;
  mailbox<device_buffer<byte>> handed;
  mailbox<std::pair<device_buffer<byte>, device_buffer<byte>>> two;
  mailbox<std::vector<device_buffer<byte>>> several;
  mailbox<std::size_t> landed;

  void connect(int other) {
    other_ = other;
    line.connect<&end::line>(peers()[other]);
    bound.connect<&end::bound>(peers()[other]);
    work_.fill(wrong_.span(), std::byte(0));
  }

  task<> share(std::size_t size) {
    device_buffer<byte> from(gpu(), size + margin);
    const auto bytes = from.span().subspan(margin, size);
    work_.launch(write_bytes, bytes, size);
    const auto by_channel = line.send(bytes, work_);
    const auto by_message = zero_copy(bytes, work_);
    send<&end::take>(peers()[other_], size, by_message);
    co_await by_channel.done();
    co_await by_message.done();
    work_.fill(from.span(), std::byte(0x11));  // at once, as is now allowed
    co_await work_.done();
  }
  task<> take_by_channel(std::size_t size) {
    prepare(size);
    co_await line.receive(place_->span().subspan(margin, size), work_);
    look(size);
    co_await work_.done();
  }
  device_place<byte> place(std::size_t, std::size_t count) {
    prepare(count);
    return {place_->span().subspan(margin, count), work_};
  }
  void take(std::size_t size, device_argument<byte, &end::place>) {
    look(size);
    send<&end::landed>(self(), std::int64_t(size), size);
  }
  task<> wait_for(std::size_t size) {
    co_await landed.receive(std::int64_t(size));
    co_await work_.done();
  }

  /// Sends the same array repeatedly to one place.
  task<> share_often(std::size_t size, int times) {
    const device_buffer<byte> from(gpu(), size);
    const auto loan = zero_copy(from.span(), work_);
    for (int i = 0; i < times; ++i) send<&end::put_on_shelf>(peers()[other_], loan);
    co_await loan.done();
  }
  device_place<byte> shelf(std::size_t count) {
    most_ = std::max(most_, bytes_in_use());
    if (!shelf_) shelf_.emplace(gpu(), count);
    return {shelf_->span(), work_};
  }
  void put_on_shelf(device_argument<byte, &end::shelf> came) {
    send<&end::landed>(self(), std::int64_t(came.size()), came.size());
  }
  /// The largest increase of the device's memory in use.
  task<std::uint64_t> fill_shelf(std::size_t size, int times) {
    most_ = 0;
    const std::uint64_t before = bytes_in_use();
    for (int i = 0; i < times; ++i) co_await landed.receive(std::int64_t(size));
    co_await work_.done();
    shelf_.reset();
    co_return most_ - before;
  }

  void hand_over(std::size_t size) {
    device_buffer<byte> bytes(gpu(), size);
    work_.launch(write_bytes, bytes.span(), size);
    send<&end::handed>(peers()[other_], std::move(bytes).ready_after(work_));
  }
  task<> keep(std::size_t size) {
    const device_buffer<byte> bytes = co_await handed.receive();
    EXPECT_EQ(bytes.size(), size);
    work_.wait(bytes);
    work_.launch(compare, bytes.span(), size, wrong_.span());
    co_await work_.done();
  }
  void hand_two_over(std::size_t size) {
    device_buffer<byte> one(gpu(), size), other(gpu(), 3);
    work_.launch(write_bytes, one.span(), size);
    work_.launch(write_bytes, other.span(), size + 1);
    send<&end::two>(peers()[other_],
                    std::pair(std::move(one).ready_after(work_), std::move(other).ready_after(work_)));
  }
  task<> keep_two(std::size_t size) {
    const auto both = co_await two.receive();
    work_.wait(both.first);
    work_.wait(both.second);
    work_.launch(compare, both.first.span(), size, wrong_.span());
    work_.launch(compare, both.second.span(), size + 1, wrong_.span());
    co_await work_.done();
  }

  /// Lengths from `size` on, with an empty buffer first.
  void hand_several_over(std::size_t size, std::size_t count) {
    std::vector<device_buffer<byte>> all;
    all.emplace_back(gpu(), 0);
    for (std::size_t i = 1; i < count; ++i) {
      device_buffer<byte>& buffer = all.emplace_back(gpu(), size + i);
      work_.launch(write_bytes, buffer.span(), size * i);
      buffer.ready_after(work_);
    }
    send<&end::several>(peers()[other_], std::move(all));
  }
  task<> keep_several(std::size_t size, std::size_t count) {
    const std::vector<device_buffer<byte>> all = co_await several.receive();
    EXPECT_EQ(all.size(), count);
    EXPECT_EQ(all.front().size(), 0U);
    for (std::size_t i = 1; i < all.size(); ++i) {
      EXPECT_EQ(all[i].size(), size + i);
      work_.wait(all[i]);
      work_.launch(compare, all[i].span(), size * i, wrong_.span());
    }
    co_await work_.done();
  }

  void hand_over_to(int receiver, std::size_t size) {
    device_buffer<byte> bytes(gpu(), size);
    work_.launch(write_bytes, bytes.span(), size);
    send<&end::handed>(peers()[receiver], std::move(bytes).ready_after(work_));
  }

  task<> bind(std::size_t size) {
    out_.emplace(gpu(), size);
    in_.emplace(gpu(), size);
    co_await bound.bind({std::as_const(*out_).span()}, {in_->span()});
  }
  task<> exchange(std::size_t size, int rounds) {
    for (int round = 0; round < rounds; ++round) {
      work_.launch(write_bytes, out_->span(), size + std::size_t(round));
      co_await bound.send(work_);
      work_.launch(compare, co_await bound.receive(work_), size + std::size_t(round), wrong_.span());
      bound.release(work_);
    }
    co_await work_.done();
  }

  task<> send_bound(std::size_t size) {
    work_.launch(write_bytes, out_->span(), size);
    co_await bound.send(work_);
  }
  task<> receive_bound(std::size_t size) {
    work_.launch(compare, co_await bound.receive(work_), size, wrong_.span());
    bound.release(work_);
    co_await work_.done();
  }

  task<std::int64_t> wrong() {
    pinned_buffer<std::int64_t> seen(gpu(), 1);
    work_.copy(seen.span(), std::as_const(wrong_).span());
    co_await work_.done();
    co_return seen[0];
  }
  /// Leaves `rest` bytes of the device's memory free.
  void fill_up(std::size_t rest) {
    gpu().memory(memory_kind::device).trim();
    filler_.emplace(gpu(), gpu().free_memory() - rest);
  }
  void give_up() { filler_.reset(); }
  /// Leaves `rest` bytes of the device's pinned memory free.
  void fill_pinned(std::size_t may_have, std::size_t rest) {
    auto& pool = gpu().memory(memory_kind::pinned);
    pool.trim();
    const std::size_t step = 1U << 16U;  // granularity of the pool
    pinned_filler_.emplace(gpu(), (may_have - pool.counts().bytes_held - rest) / step * step);
  }
  void give_pinned_up() { pinned_filler_.reset(); }

  std::vector<std::uint64_t> memory() {
    place_.reset();
    const auto of_device = gpu().memory(memory_kind::device).counts();
    const auto pinned = gpu().memory(memory_kind::pinned).counts();
    return {of_device.blocks_in_use, pinned.blocks_in_use, of_device.bytes_held, pinned.bytes_held};
  }

 private:
  void prepare(std::size_t size) {
    place_.emplace(gpu(), size + 2 * margin);
    work_.fill(place_->span(), std::byte(0xee));
  }
  void look(std::size_t size) {
    work_.launch(compare, std::as_const(*place_).span().subspan(margin, size), size, wrong_.span());
    work_.launch(find_poison, std::as_const(*place_).span(), margin, wrong_.span());
  }

  static std::uint64_t bytes_in_use() { return gpu().memory(memory_kind::device).counts().bytes_in_use; }

  stream work_{gpu(), stream_priority::normal, "an end"};
  device_buffer<std::int64_t> wrong_{gpu(), 1};
  std::optional<device_buffer<byte>> place_, out_, in_, shelf_, filler_;
  std::optional<pinned_buffer<byte>> pinned_filler_;
  std::uint64_t most_ = 0;
  int other_ = 0;
};

/// Two processes with memory sent through the host, and two hosts of six GPUs each in simulated time.
class message_in_pieces : public on_machine {
 protected:
  template <class Main>
  void run_ends(const Main& main, device_path path = device_path::host, const std::string& model = {}) {
    for (options settings : GetParam().runs) {
      settings.device = "emulated";
      if (!model.empty()) settings.device_model = model;
      settings.gpu_path = path;
      EXPECT_EQ(run_once(settings,
                         [&]() -> task<> {
                           const int distance = num_pes() / 2;
                           auto ends = make_array<end>({num_pes()});
                           for (int i = 0; i < num_pes(); ++i)
                             co_await ends[i].template call<&end::connect>((i + distance) % num_pes());
                           co_await main(ends, distance);
                           EXPECT_EQ((co_await ends.template reduce<&end::wrong>(sum)), 0);
                         }),
                0);
    }
  }
};

options two_hosts_of_the_model() {
  options settings;
  settings.machine = machine_kind::simulated;
  settings.device_model = "summit";
  settings.pes = 12;
  return settings;
}

std::vector<testing::machine> ways() {
  std::vector<testing::machine> some = machines({"processes_2", "processes_2x2_comm_thread"});
  some.push_back({"simulated", {two_hosts_of_the_model(), serializing(two_hosts_of_the_model())}});
  return some;
}

INSTANTIATE_TEST_SUITE_P(on, message_in_pieces, ::testing::ValuesIn(ways()), name_of_machine);

/// Sizes around the limit for pieces, and around the smallest piece.
constexpr std::array<std::size_t, 12> sizes{
    0,
    1,
    7,
    4096,
    (1U << 14U) - 1,
    1U << 14U,
    (1U << 14U) + 1,
    (1U << 15U) - 1,
    1U << 15U,
    (1U << 15U) + 1,
    (1U << 20U) + 3,
    64U << 20U,
};

task<> send_in_all_ways(array<end> ends, int distance) {
  for (const std::size_t size : sizes) {
    co_await when_all(ends[0].call<&end::share>(size), ends[distance].call<&end::take_by_channel>(size),
                      ends[distance].call<&end::wait_for>(size));
    send<&end::hand_over>(ends[distance], size);
    co_await ends[0].call<&end::keep>(size);
    send<&end::hand_two_over>(ends[0], size);
    co_await ends[distance].call<&end::keep_two>(size);
    if (size <= 1U << 20U) {
      send<&end::hand_several_over>(ends[0], size, std::size_t{5});
      co_await ends[distance].call<&end::keep_several>(size, std::size_t{5});
    }
    co_await when_all(ends[0].call<&end::bind>(size), ends[distance].call<&end::bind>(size));
    co_await when_all(ends[0].call<&end::exchange>(size, 2), ends[distance].call<&end::exchange>(size, 2));
  }
}

TEST_P(message_in_pieces, brings_what_was_sent_in_all_ways) { run_ends(&send_in_all_ways); }

/// Memory of emulated devices is host memory, which each network accepts.
TEST_P(message_in_pieces, brings_the_same_by_the_network_itself) {
  if (GetParam().processes > 1) run_ends(&send_in_all_ways, device_path::network);
}

/// Counts a device's copies to the host; written by the device's threads.
class copies_by_host final : public operation_observer {
 public:
  void finished(const finished_operation& operation) noexcept override {
    if (operation.what == finished_operation::type::from_device) ++number;
  }
  std::atomic<int> number = 0;
};

class counter : public chare<counter> {
 public:
  ~counter() { gpu().backend().observe(nullptr); }
  void begin() { gpu().backend().observe(&copies_); }
  int copies() { return copies_.number; }

 private:
  copies_by_host copies_;
};

TEST_P(message_in_pieces, copies_nothing_to_the_host_where_the_network_reads_devices) {
  if (GetParam().processes == 1) return;
  run_ends(
      [](array<end> ends, int distance) -> task<> {
        const auto counters = make_group<counter>();
        co_await counters.call<&counter::begin>();
        for (const std::size_t size : {std::size_t{8192}, std::size_t{1} << 20U}) {
          co_await when_all(ends[0].call<&end::share>(size), ends[distance].call<&end::take_by_channel>(size),
                            ends[distance].call<&end::wait_for>(size));
          send<&end::hand_over>(ends[distance], size);
          co_await ends[0].call<&end::keep>(size);
        }
        EXPECT_EQ((co_await counters.reduce<&counter::copies>(sum)), 0);
      },
      device_path::network);
}

TEST_P(message_in_pieces, keeps_no_more_memory_for_more_transfers) {
  run_ends([](array<end> ends, int distance) -> task<> {
    constexpr std::size_t size = (1U << 18U) + 1;
    std::vector<std::uint64_t> before;
    for (int i = 0; i < 120; ++i) {
      if (i == 60) {
        co_await quiescence();
        before = co_await ends[distance].call<&end::memory>();
      }
      co_await when_all(ends[0].call<&end::share>(size), ends[distance].call<&end::take_by_channel>(size),
                        ends[distance].call<&end::wait_for>(size));
    }
    co_await quiescence();
    const auto after = co_await ends[distance].call<&end::memory>();
    EXPECT_EQ(after[0], before[0]);
    EXPECT_EQ(after[1], before[1]);
    // Some blocks may be in quarantine; one block for each transfer since then would be 120.
    EXPECT_LE(after[2], before[2] + 40 * size);
    EXPECT_LE(after[3], before[3] + 40 * size);
  });
}

TEST_P(message_in_pieces, takes_memory_of_few_messages_at_once) {
  run_ends([](array<end> ends, int distance) -> task<> {
    constexpr std::size_t size = 1U << 20U;
    constexpr int times = 60;
    auto most = ends[distance].call<&end::fill_shelf>(size, times);
    co_await ends[0].call<&end::share_often>(size, times);
    EXPECT_LE(co_await std::move(most), 12 * size);
  });
}

TEST_P(message_in_pieces, brings_many_at_once) {
  run_ends([](array<end> ends, int distance) -> task<> {
    constexpr std::size_t size = (1U << 19U) + 9;
    for (int i = 0; i < 12; ++i) send<&end::hand_over>(ends[distance], size + std::size_t(i % 2));
    for (int i = 0; i < 12; ++i) co_await ends[0].call<&end::keep>(size + std::size_t(i % 2));
  });
}

constexpr std::size_t small_memory = std::size_t{64} << 20U;

/// A device that takes almost no time, with little memory, of which little may be pinned.
class small_device {
 public:
  small_device() {
    std::ofstream(path_) << "name = \"small\"\n[device]\nmemory = " << small_memory
                         << "\nconcurrent_kernels = 16\nthreads = 1000\nmemory_bandwidth = \"900GB/s\"\n"
                            "flops = 1e15\nkernel_start = \"1ns\"\ngraph_kernel_start = \"1ns\"\n[copy]\n"
                            "engines_to_device = 1\nengines_from_device = 1\nto_device = \"900GB/s\"\n"
                            "from_device = \"900GB/s\"\nlatency = \"1ns\"\n[host]\nlaunch = \"1ns\"\n"
                            "call = \"1ns\"\nquery = \"1ns\"\nsynchronize = \"1ns\"\n"
                            "graph_launch = \"1ns\"\ngraph_operation = \"1ns\"\nhost_function = \"1ns\"\n"
                            "copy_bandwidth = \"900GB/s\"\npinned = "
                         << small_memory
                         << "\n[message]\nsend = \"1ns\"\nreceive = \"1ns\"\ncallback = \"1ns\"\n"
                            "latency = \"1ns\"\nbandwidth = \"900GB/s\"\n";
  }
  ~small_device() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = ::testing::TempDir() + "small_device." + std::to_string(::getpid()) + ".toml";
};

TEST_P(message_in_pieces, come_by_memory_that_is_not_pinned_where_there_is_no_other) {
  if (GetParam().processes == 1) return;
  const small_device model;
  run_ends(
      [](array<end> ends, int distance) -> task<> {
        constexpr std::size_t size = (1U << 20U) + 3;
        co_await ends[distance].call<&end::fill_pinned>(small_memory, std::size_t{0});
        for (int i = 0; i < 20; ++i) {
          send<&end::hand_over>(ends[0], size);
          co_await ends[distance].call<&end::keep>(size);
        }
        co_await when_all(ends[0].call<&end::share>(size), ends[distance].call<&end::take_by_channel>(size),
                          ends[distance].call<&end::wait_for>(size));
        co_await ends[distance].call<&end::give_pinned_up>();
      },
      device_path::host, model.path());
}

TEST_P(message_in_pieces, gather_on_the_host_where_the_device_has_no_room) {
  if (GetParam().processes == 1) return;
  const small_device model;
  run_ends(
      [](array<end> ends, int distance) -> task<> {
        constexpr std::size_t size = (1U << 20U) + 3;
        co_await when_all(ends[0].call<&end::bind>(size), ends[distance].call<&end::bind>(size));
        co_await ends[distance].call<&end::fill_up>(std::size_t{1} << 19U);
        for (int i = 0; i < 20; ++i)
          co_await when_all(ends[0].call<&end::send_bound>(size + std::size_t(i)),
                            ends[distance].call<&end::receive_bound>(size + std::size_t(i)));
        co_await ends[distance].call<&end::give_up>();
      },
      device_path::host, model.path());
}

/// The first of two messages takes all pinned memory, and goes to another PE than the second.
TEST_P(message_in_pieces, wait_for_pinned_memory_of_those_to_other_pes) {
  if (GetParam().processes == 1 || GetParam().runs.begin()->pes < 2) return;
  const small_device model;
  run_ends(
      [](array<end> ends, int distance) -> task<> {
        constexpr std::size_t size = (1U << 18U) + 3;
        co_await ends[0].call<&end::fill_pinned>(small_memory, std::size_t{400'000});
        for (int i = 0; i < 20; ++i) send<&end::hand_over_to>(ends[0], distance + i % 2, size);
        for (int i = 0; i < 20; ++i) co_await ends[distance + i % 2].call<&end::keep>(size);
        co_await ends[0].call<&end::give_pinned_up>();
      },
      device_path::host, model.path());
}

TEST(sending_by_the_network, is_refused_with_the_reason) {
  options settings;
  settings.device = "cuda";
  const auto devices = imbrex::devices("emulated");
  const std::string not_requested = "only --gpu-path network sends memory of devices by the network";
  const std::string first = detail::why_network_takes_none(settings, devices);
  settings.gpu_path = device_path::network;
  const std::string why = detail::why_network_takes_none(settings, devices);
  if (why.empty())  // UCX supports CUDA
    EXPECT_EQ(first, not_requested);
  else
    EXPECT_EQ(first, why);
  if (!why.empty() && why != "this build has no network")
    EXPECT_TRUE(why.starts_with("UCX takes no memory of cuda devices here (it says: host")) << why;
  settings.device = "emulated";
  EXPECT_EQ(detail::why_network_takes_none(settings, devices), "");
  settings.gpu_path = device_path::any;
  EXPECT_EQ(detail::why_network_takes_none(settings, devices), not_requested);
}

/// The time of a round of exchanges by a persistent channel, of `size` bytes each way, between the model's
/// two hosts.
nanoseconds modelled(std::size_t size) {
  options settings = two_hosts_of_the_model();
  settings.device = "emulated";
  settings.gpu_path = device_path::host;
  settings.device_data = false;
  nanoseconds took{0};
  const int status = detail::runtime(settings).run([&]() -> task<int> {
    auto ends = make_array<end>({num_pes()});
    for (const int i : {0, 6}) co_await ends[i].call<&end::connect>(6 - i);
    co_await when_all(ends[0].call<&end::bind>(size), ends[6].call<&end::bind>(size));
    for (int i = 0; i < 2; ++i) {
      const auto begun = now();
      co_await when_all(ends[0].call<&end::exchange>(size, 4), ends[6].call<&end::exchange>(size, 4));
      took = (now() - begun) / 4;
    }
    co_return 0;
  });
  EXPECT_EQ(status, 0);
  return took;
}

TEST(modelled_pieces, take_what_the_models_formula_says) {
  const auto steps = detail::piece_steps(find_device_model("summit"));
  const nanoseconds beside = modelled(1) - detail::time_in_pieces(1, 1, steps);  // kernels, messages, etc.
  for (const std::size_t size : {std::size_t{1} << 20U, std::size_t{1} << 22U, std::size_t{1} << 24U}) {
    const std::size_t best = detail::best_pieces(size, steps);
    const auto in_pieces = static_cast<double>(detail::time_in_pieces(size, best, steps).count());
    const auto whole = static_cast<double>(detail::time_in_pieces(size, 1, steps).count());
    const auto took = static_cast<double>((modelled(size) - beside).count());
    std::printf("%zu bytes: %.0f us, by the formula %.0f in %zu pieces and %.0f whole\n", size, took / 1e3,
                in_pieces / 1e3, best, whole / 1e3);
    EXPECT_LT(took, whole);
    EXPECT_NEAR(whole / took, whole / in_pieces, 0.07 * whole / in_pieces);
  }
}

}  // namespace imbrex::message_in_pieces_test
