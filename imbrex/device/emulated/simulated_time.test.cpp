// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/emulated/simulated_time.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include <imbrex/device/error.hpp>
#include <imbrex/device/subject.test.hpp>

namespace imbrex::test {
namespace {

using namespace std::chrono_literals;

/// A model in which 1 byte takes 1 ns everywhere.
device_model round_model() {
  device_model model;
  model.name = "round";
  model.device.threads = 1000;
  model.device.memory_bandwidth = 1'000'000'000;
  model.device.kernel_start = 10ns;
  model.copy.to_device = 1'000'000'000;
  model.copy.from_device = 1'000'000'000;
  model.copy.latency = 5ns;
  return model;
}

class in_simulated_time : public ::testing::Test {
 protected:
  explicit in_simulated_time(device_model model = round_model())
      : in({.in_simulated_time = true}, std::move(model)) {}

  stream make(std::string owner, stream_priority priority = stream_priority::normal) {
    return {in.first(), priority, std::move(owner)};
  }
  event mark(stream& s) {
    event e = events.take();
    s.record(e);
    return e;
  }
  /// The end of the event, found by advancing from one moment to the next.
  nanoseconds end_of(const event& e) {
    EXPECT_TRUE(in.reach([&] { return e.done(); }));
    return in.time().now();
  }

  subject in;
  event_pool events{in.first()};
};

TEST_F(in_simulated_time, a_kernel_takes_the_time_of_its_bytes) {
  stream s = make("s");
  s.launch(move_bytes, 1000.0, 0U);
  const event e = mark(s);
  EXPECT_EQ(in.time().next(), 10ns);
  in.time().advance_to(1009ns);
  EXPECT_FALSE(e.done());
  EXPECT_EQ(in.time().now(), 1009ns);
  in.time().advance_to(1010ns);
  EXPECT_TRUE(e.done());
  EXPECT_FALSE(in.time().next());
}

TEST_F(in_simulated_time, kernels_that_fill_the_device_follow_each_other) {
  stream a = make("a");
  stream b = make("b");
  a.launch(move_bytes, 1000.0, 0U);
  b.launch(move_bytes, 500.0, 0U);
  const event first = mark(a);
  const event second = mark(b);
  EXPECT_EQ(end_of(first), 1010ns);
  EXPECT_EQ(end_of(second), 1510ns);  // the start-up overlapped the first kernel
}

TEST_F(in_simulated_time, small_kernels_share_the_device) {
  stream a = make("a");
  stream b = make("b");
  stream c = make("c");
  a.launch(move_bytes, 400.0, 400U);  // alone, each takes 1000 ns
  b.launch(move_bytes, 400.0, 400U);
  c.launch(move_bytes, 400.0, 400U);  // gets half of its share until the others end
  const event ends[] = {mark(a), mark(b), mark(c)};
  EXPECT_EQ(end_of(ends[0]), 1010ns);
  EXPECT_EQ(end_of(ends[1]), 1010ns);
  EXPECT_EQ(end_of(ends[2]), 1510ns);
}

TEST_F(in_simulated_time, many_small_kernels_leave_nothing_of_the_device) {
  device_model model = round_model();
  model.device.concurrent_kernels = 20;
  subject wide({.in_simulated_time = true}, model);
  event_pool marks(wide.first());
  std::vector<stream> streams;
  std::vector<event> ends;
  for (int i = 0; i < 11; ++i) {  // a tenth each; sums of tenths are not exact
    streams.emplace_back(wide.first(), stream_priority::normal, "s");
    streams.back().launch(move_bytes, 100.0, 100U);
    ends.push_back(marks.take());
    streams.back().record(ends.back());
  }
  EXPECT_TRUE(wide.reach([&] { return ends[9].done(); }));
  EXPECT_EQ(wide.time().now(), 1010ns);
  EXPECT_TRUE(wide.reach([&] { return ends[10].done(); }));
  EXPECT_EQ(wide.time().now(), 2010ns);
}

TEST_F(in_simulated_time, a_transfer_without_end_is_a_long_one) {
  device_model slowest = round_model();
  slowest.copy.to_device = 1;
  subject crawl({.in_simulated_time = true}, slowest);
  device_buffer<char> on(crawl.first(), 1U << 20U);
  pinned_buffer<char> off(crawl.first(), 1U << 20U);
  stream s(crawl.first(), stream_priority::normal, "s");
  s.launch(move_bytes, 1e300, 0U);
  s.copy(on.span(), off.span());
  s.synchronize();
  EXPECT_GT(crawl.time().now(), 24h);
}

TEST_F(in_simulated_time, a_kernel_of_higher_priority_goes_first_where_it_arrives_later) {
  stream low = make("low", stream_priority::low);
  stream high = make("high", stream_priority::high);
  low.launch(move_bytes, 1000.0, 0U);
  in.time().advance_to(200ns);
  high.launch(move_bytes, 100.0, 0U);
  const event late = mark(low);
  EXPECT_EQ(end_of(mark(high)), 310ns);
  EXPECT_EQ(end_of(late), 1110ns);
}

TEST_F(in_simulated_time, copies_share_an_engine_in_the_order_of_their_submission) {
  device_buffer<char> on(in.first(), 1000);
  pinned_buffer<char> off(in.first(), 1000);
  stream low = make("low", stream_priority::low);
  stream high = make("high", stream_priority::high);
  stream back = make("back");
  low.copy(on.span(), off.span());
  high.copy(on.span(), off.span());
  back.copy(off.span(), on.span());
  const event ends[] = {mark(low), mark(back), mark(high)};
  EXPECT_EQ(end_of(ends[0]), 1005ns);
  EXPECT_TRUE(ends[1].done());  // the other direction has an engine of its own
  EXPECT_EQ(end_of(ends[2]), 2010ns);
}

TEST_F(in_simulated_time, a_copy_within_the_device_reads_and_writes) {
  device_buffer<char> a(in.first(), 100);
  device_buffer<char> b(in.first(), 100);
  stream s = make("s");
  s.copy(a.span(), b.span());
  EXPECT_EQ(end_of(mark(s)), 210ns);
  s.fill(a.span(), std::byte{1});
  EXPECT_EQ(end_of(mark(s)), 320ns);
}

/// A model with two devices for each host: 1 byte takes 2 ns from one to the other.
device_model linked_model() {
  device_model model = round_model();
  model.node.devices = 2;
  model.link.device = 500'000'000;
  model.link.device_latency = 7ns;
  model.link.host = 1'000'000'000;
  model.link.socket = 1'000'000'000;
  model.link.card = 1'000'000'000;
  model.link.card_device = 250'000'000;
  model.link.card_latency = 1us;
  model.link.eager = 1U << 20U;
  return model;
}

/// Copies of 10,000 bytes between devices of two hosts, all submitted at the beginning.
class over_links {
 public:
  void copy(std::size_t from, std::size_t to) { copy_by(to, from, to); }
  /// Copies by a stream of device `which`, the source or the destination.
  void copy_by(std::size_t which, std::size_t from, std::size_t to) {
    auto& c = copies_.emplace_back(in_.at(from), in_.at(to), in_.at(which));
    c.order.copy(c.there.span(), c.here.span());
  }
  void copy_to_host(std::size_t from) {
    auto& c = copies_.emplace_back(in_.at(from), in_.at(from), in_.at(from));
    c.order.copy(c.off.span(), c.there.span());
  }
  /// The end times of all copies.
  std::vector<nanoseconds> ends() {
    std::vector<nanoseconds> moments(copies_.size(), nanoseconds(0));
    EXPECT_TRUE(in_.reach([&] {
      bool all = true;
      for (std::size_t i = 0; i < copies_.size(); ++i) {
        if (moments[i].count() == 0 && copies_[i].order.idle()) moments[i] = in_.time().now();
        all = all && moments[i].count() != 0;
      }
      return all;
    }));
    return moments;
  }

 private:
  struct one_copy {
    one_copy(device& from, device& to, device& by)
        : here(from, 10'000), there(to, 10'000), off(to, 10'000), order(by, stream_priority::normal, "s") {}
    device_buffer<char> here, there;
    pinned_buffer<char> off;
    stream order;
  };

  subject in_{{.in_simulated_time = true}, linked_model(), 4};
  std::deque<one_copy> copies_;
};

TEST(links_between_devices, take_the_time_of_their_bytes_and_no_part_of_the_devices) {
  over_links near;
  near.copy(0, 1);
  EXPECT_EQ(near.ends(), (std::vector<nanoseconds>{20'007ns}));
  over_links both;
  both.copy(0, 1);
  both.copy(1, 0);
  both.copy(2, 3);
  EXPECT_EQ(both.ends(), (std::vector<nanoseconds>(3, 20'007ns)));
}

TEST(links_between_devices, are_shared_where_copies_begin_and_end) {
  over_links from_one;
  from_one.copy(0, 2);
  from_one.copy(0, 3);
  EXPECT_EQ(from_one.ends(), (std::vector<nanoseconds>{41us, 81us}));
  over_links to_one;
  to_one.copy(0, 2);
  to_one.copy(1, 2);
  EXPECT_EQ(to_one.ends(), (std::vector<nanoseconds>{41us, 81us}));
  over_links card;  // the card carries both, and is not the slowest link on the path
  card.copy(0, 2);
  card.copy(1, 3);
  EXPECT_EQ(card.ends(), (std::vector<nanoseconds>{41us, 51us}));
}

TEST(links_between_devices, take_the_same_by_streams_of_either_device) {
  over_links near;
  near.copy_by(0, 0, 1);
  EXPECT_EQ(near.ends(), (std::vector<nanoseconds>{20'007ns}));
  over_links from_one;
  from_one.copy_by(0, 0, 2);
  from_one.copy(0, 3);
  EXPECT_EQ(from_one.ends(), (std::vector<nanoseconds>{41us, 81us}));
}

TEST(links_between_devices, are_shared_with_copies_to_the_host) {
  over_links copies;
  copies.copy_to_host(0);
  copies.copy(0, 2);  // the link between device 0 and its host is busy for 10 us
  EXPECT_EQ(copies.ends(), (std::vector<nanoseconds>{10'005ns, 51us}));
}

TEST_F(in_simulated_time, host_functions_see_the_clock) {
  stream s = make("s");
  nanoseconds seen{0};
  auto look = [&]() noexcept { seen = in.time().now(); };
  s.launch(move_bytes, 90.0, 0U);
  s.host(look);
  in.time().advance_to(5us);
  EXPECT_EQ(seen, 100ns);
}

TEST_F(in_simulated_time, what_is_never_written_is_said_and_not_waited_for) {
  flag_array flags(in.first(), 1);
  stream s = make("waiter");
  s.wait(flags[0], 1);
  try {
    s.synchronize();
    FAIL();
  } catch (const device_error& e) {
    EXPECT_EQ(e.owner(), "waiter");
    EXPECT_NE(std::string(e.what()).find("flag that was never written"), std::string::npos) << e.what();
  }
}

TEST(memory, behind_a_wait_that_does_not_end_is_not_handed_out_even_if_there_is_no_other) {
  constexpr std::size_t most = 40U << 20U;  // the device has 64 MiB
  device_model small = round_model();
  small.device.memory = 64U << 20U;
  subject tight({.in_simulated_time = true}, small);
  flag_array flags(tight.first(), 1);
  stream s(tight.first(), stream_priority::normal, "waiter");
  {
    device_buffer<char> used(tight.first(), most);
    s.wait(flags[0], 1);
    s.fill(used.span(), std::byte{1});
  }
  EXPECT_THROW(device_buffer<char>(tight.first(), most), device_out_of_memory);
  flags.store(0, 1);
  EXPECT_NO_THROW(device_buffer<char>(tight.first(), most));
}

TEST_F(in_simulated_time, there_is_one_set_of_devices) {
  emulated_options emulation_options;
  emulation_options.time = &in.time();
  EXPECT_THROW(devices("emulated", emulation_options), error);
}

device_model costly_model() {
  device_model model = round_model();
  model.host.launch = 100ns;
  model.host.call = 20ns;
  model.host.query = 3ns;
  model.host.graph_launch = 50ns;
  model.host.graph_operation = 1ns;
  model.device.graph_kernel_start = 4ns;
  return model;
}

class with_a_caller : public in_simulated_time {
 protected:
  with_a_caller() : in_simulated_time(costly_model()) { in.time().charge_to(&pe); }
  detail::local_clock pe{in.shared_clock()};
};

TEST_F(with_a_caller, calls_are_charged_and_work_starts_when_they_return) {
  stream s = make("s");
  pe.charge(1us);
  s.launch(move_bytes, 90.0, 0U);
  EXPECT_EQ(pe.now(), 1100ns);
  EXPECT_EQ(in.time().now(), 0ns);
  const event e = mark(s);
  EXPECT_EQ(pe.now(), 1120ns);
  EXPECT_FALSE(e.done());
  EXPECT_EQ(pe.now(), 1123ns);
  in.time().charge_to(nullptr);
  EXPECT_EQ(end_of(e), 1200ns);
}

TEST_F(with_a_caller, a_graph_costs_less_than_its_operations) {
  stream s = make("s");
  s.begin_capture();
  for (int i = 0; i < 10; ++i) s.launch(move_bytes, 10.0, 0U);
  graph g = s.end_capture();
  const nanoseconds before = pe.now();
  s.launch(g);
  EXPECT_EQ(pe.now() - before, 60ns);
  const nanoseconds start = pe.now();
  in.time().charge_to(nullptr);
  EXPECT_EQ(end_of(mark(s)), start + 140ns);
}

/// The result of a program of several streams: the marks in their order, and the end time.
std::vector<int> trace(std::uint64_t seed) {
  subject in({.in_simulated_time = true, .seed = seed});
  mark_log log(in);
  std::vector<stream> streams;
  for (int i = 0; i < 4; ++i) streams.emplace_back(in.first(), stream_priority::normal, "s");
  for (int i = 0; i < 12; ++i) streams[static_cast<std::size_t>(i) % 4].launch(append, log.span(), i, 1000);
  for (stream& s : streams) s.synchronize();
  std::vector<int> all = log.read();
  all.push_back(static_cast<int>(in.time().now().count()));
  return all;
}

TEST(seeds, decide_all) {
  std::set<std::vector<int>> different;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<int> once = trace(seed);
    EXPECT_EQ(once, trace(seed)) << seed;
    different.insert({once.begin(), once.end() - 1});
  }
  EXPECT_GT(different.size(), 10U);
}

/// The host's view of a kernel's result and of its event, at the first moment at which either is visible.
TEST(seeds, show_effects_early_and_events_late) {
  int early = 0;
  int late = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    subject in({.in_simulated_time = true, .seed = seed});
    event_pool events(in.first());
    device_buffer<int> cell(in.first(), 1);
    pinned_buffer<int> value(in.first(), 1);
    stream s(in.first(), stream_priority::normal, "s");
    s.fill(cell.span(), std::byte{0});
    s.synchronize();
    value[0] = 1;
    bool called = false;
    auto call = [&]() noexcept { called = true; };
    s.copy(value.span(), cell.span());
    event e = events.take();
    s.record(e);
    s.host(call);
    nanoseconds seen{0};
    while (!e.done()) {
      if (value[0] == 0 && seen.count() == 0) seen = in.time().now();
      EXPECT_FALSE(called) << "a host function tells of what cannot be asked for yet";
      in.time().advance_to(*in.time().next());
    }
    if (seen.count() != 0) ++early;
    const nanoseconds done = in.time().now();
    in.reach([&] { return called; });
    if (in.time().now() > done) ++late;
  }
  EXPECT_GT(early, 5);
  EXPECT_LT(early, 40);
  EXPECT_GT(late, 5);
}

TEST(without_data, memory_is_only_counted) {
  device_model model = round_model();
  model.device.memory = std::size_t{1} << 40U;
  detail::simulated_clock clock;
  simulated_time time(clock);
  const auto all = devices("emulated", {.model = model, .time = &time, .data = false});
  device& d = *all.front();
  stream s(d, stream_priority::normal, "s");
  const std::size_t large = std::size_t{1} << 38U;
  device_buffer<double> grid(d, large / sizeof(double));
  pinned_buffer<double> face(d, large / sizeof(double));
  EXPECT_EQ(d.free_memory(), (std::size_t{1} << 40U) - large);
  face[1000] = 1;
  s.copy(grid.span(), face.span());
  s.launch(faulty, 1);  // not executed
  s.fill(grid.span(), std::byte{1});
  int calls = 0;
  auto count = [&]() noexcept { ++calls; };
  s.host(count);
  s.synchronize();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(time.now(), nanoseconds(2 * large) + 5ns + 10ns + 10ns);
  EXPECT_THROW(device_buffer<char>(d, std::size_t{1} << 40U), device_out_of_memory);
}

/// A process may map 65,530 pieces of memory on most systems.
TEST(without_data, there_may_be_more_buffers_than_the_system_gives_pieces) {
  device_model model = round_model();
  model.device.memory = std::size_t{1} << 40U;
  detail::simulated_clock clock;
  simulated_time time(clock);
  const auto all = devices("emulated", {.model = model, .time = &time, .data = false});
  std::vector<device_buffer<char>> on_device;
  std::vector<pinned_buffer<char>> pinned;
  for (int i = 0; i < 70'000; ++i) on_device.emplace_back(*all.front(), std::size_t{1} << 20U);
  for (int i = 0; i < 70'000; ++i) pinned.emplace_back(*all.front(), 1000);
  std::set<const void*> places;
  for (auto& buffer : on_device) places.insert(buffer.span().data());
  for (auto& buffer : pinned) {
    buffer[999] = 1;
    places.insert(buffer.span().data());
  }
  EXPECT_EQ(places.size(), 140'000U);
  EXPECT_LE(all.front()->free_memory(), (std::size_t{1} << 40U) - (std::size_t{70'000} << 20U));
}

TEST(host_functions, must_not_use_the_device) {
  subject in({.in_simulated_time = true});
  stream s(in.first(), stream_priority::normal, "s");
  auto misuse = [&]() noexcept { s.idle(); };
  EXPECT_DEATH(
      {
        s.host(misuse);
        s.synchronize();
      },
      "host function uses a device");
}

}  // namespace
}  // namespace imbrex::test
