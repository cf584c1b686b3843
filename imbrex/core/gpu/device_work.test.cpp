// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/device_work.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/gpu/stream_set.hpp>
#include <imbrex/core/gpu/work_request.hpp>
#include <imbrex/device/buffer.hpp>

namespace imbrex::device_work_test {

using namespace std::chrono_literals;

constexpr kernel<device_span<std::int64_t>, std::int64_t> add{
    .name = "add",
    .host =
        [](device_span<std::int64_t> to, std::int64_t number) {
          for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] += number;
        },
    .work = [](device_span<std::int64_t>,
               std::int64_t number) { return work_size{.time = nanoseconds(100 * (number % 7))}; }};
constexpr kernel<std::atomic<bool>*> wait_for{.name = "wait_for", .host = [](std::atomic<bool>* go) {
                                                while (!go->load()) std::this_thread::sleep_for(100us);
                                              }};
constexpr kernel<> rest{.name = "rest", .host = [] { std::this_thread::sleep_for(300ms); }};
constexpr kernel<> last_long{
    .name = "last_long", .host = [] {}, .work = [] { return work_size{.time = nanoseconds(200ms)}; }};
constexpr kernel<int> fault{
    .name = "fault", .host = [](int cell) { throw std::out_of_range("cell " + std::to_string(cell)); }};

constexpr std::size_t length = 257;

/// Has numbers on its device, and a host copy of results.
class block : public chare<block> {
 public:
  block() : block(gpu()) {}
  explicit block(device& of)
      : work_(of, stream_priority::low, "block " + std::to_string(where()[0])),
        numbers_(of, length),
        seen_(of, length) {
    work_.fill(numbers_.span(), std::byte(0));
  }

  task<std::int64_t> grow(int rounds) {
    for (int r = 1; r <= rounds; ++r) {
      work_.launch(add, numbers_.span(), r);
      work_.copy(seen_.span(), numbers_.span());
      co_await work_.done();
      const std::int64_t expected = std::int64_t{r} * (r + 1) / 2;
      for (const std::int64_t n : seen_.span())
        if (n != expected) throw error("after round " + std::to_string(r) + " there is " + std::to_string(n));
    }
    co_return seen_[0];
  }

  /// Grows without a coroutine: each round is a message from the device.
  void grow_by_messages(int rounds) { step(0, rounds); }
  void step(int done, int rounds) {
    if (done > 0 && seen_[length - 1] != std::int64_t{done} * (done + 1) / 2)
      throw error("wrong after message " + std::to_string(done));
    if (done == rounds) return send<&block::finished>(self(), done);
    work_.launch(add, numbers_.span(), done + 1);
    work_.copy(seen_.span(), numbers_.span());
    send_when_done<&block::step>(work_, self(), done + 1, rounds);
  }
  mailbox<int> finished;
  task<int> wait_until_finished() { co_return co_await finished.receive(finished_number_); }

  task<> wait_in_vain() {
    co_await work_.done();
    co_await finished.receive(-1);
  }
  task<> hold_up(std::uintptr_t go) {
    work_.launch(wait_for, reinterpret_cast<std::atomic<bool>*>(go));
    co_await work_.done();
  }
  task<> break_device() {
    work_.launch(fault, 42);
    co_await work_.done();
  }
  void break_device_and_forget() { work_.launch(fault, 43); }
  /// The number of reported faults of its device: by the stream itself, by another stream, and once more.
  task<int> outlive_device(nanoseconds before_it_asks) {
    stream other(gpu(), stream_priority::high, "other");
    other.launch(last_long);
    work_.launch(fault, 46);
    co_await sleep_for(before_it_asks);
    int notices = 0;
    for (stream* const s : {&other, &work_, &other}) try {
        co_await s->done();
      } catch (const device_error& e) {
        if (std::string(e.what()).find("cell 46") != std::string::npos) ++notices;
      }
    co_return notices;
  }
  task<int> wait_beside() {
    try {
      work_.launch(last_long);
      co_await work_.done();
    } catch (const device_error&) {
      co_return 1;
    }
    co_return 0;
  }
  void break_device_and_send() {
    work_.launch(fault, 47);
    send_when_done<&block::finished>(work_, self(), finished_number_, 1);
  }
  task<int> capture() {
    int refused = 0;
    work_.begin_capture();
    work_.launch(add, numbers_.span(), 1);
    try {
      co_await work_.done();
    } catch (const device_error&) {
      ++refused;
    }
    auto replayed = work_.end_capture();
    work_.launch(replayed);
    co_await work_.done();
    co_return refused;
  }
  /// Awaits two streams at once, and one stream against a late timer.
  task<int> wait_for_several() {
    stream other(gpu(), stream_priority::high, "other");
    work_.launch(add, numbers_.span(), 1);
    co_await when_all(work_.done(), other.done());
    const auto first = co_await when_any(other.done(), sleep_for(10s));
    co_return static_cast<int>(first.index);
  }
  task<std::int64_t> grow_by_requests(int rounds) {
    co_await work_.done();  // requests use other streams
    for (int r = 1; r <= rounds; ++r) {
      std::ranges::fill(seen_.span(), where()[0] + r);
      work_request work;
      work.copy(seen_.span(), std::as_const(numbers_).span());  // runs last
      work.launch(add, numbers_.span(), r);
      work.launch(add, numbers_.span(), 1);
      work.copy(numbers_.span(), std::as_const(seen_).span());  // runs first
      co_await offload(std::move(work));
      for (const std::int64_t n : seen_.span())
        if (n != where()[0] + 2 * r + 1)
          throw error("after round " + std::to_string(r) + " there is " + std::to_string(n));
    }
    co_await offload({});
    co_return seen_[0];
  }
  task<> break_device_by_request() {
    work_request work;
    work.launch(fault, 44);
    co_await offload(std::move(work));
  }
  task<> rest_for_a_while() {
    work_.launch(rest);
    co_await work_.done();
  }
  task<int> many(int count) {
    device_buffer<std::int64_t> numbers(gpu(), static_cast<std::size_t>(count));
    std::vector<stream> streams;
    std::vector<task<int>> all;
    for (int i = 0; i < count; ++i) streams.emplace_back(gpu(), stream_priority::normal, "many");
    for (std::size_t i = 0; i < streams.size(); ++i)
      all.push_back(end_of(streams[i], numbers.span().subspan(i, 1)));
    const auto ones = co_await when_all(std::move(all));
    co_return std::accumulate(ones.begin(), ones.end(), 0);
  }
  task<int> end_of(stream& s, device_span<std::int64_t> number) {
    s.fill(number, std::byte(0));
    s.launch(add, number, 1);
    co_await s.done();
    co_return 1;
  }

 private:
  static constexpr int finished_number_ = 0;
  stream work_;
  device_buffer<std::int64_t> numbers_;
  pinned_buffer<std::int64_t> seen_;
};

std::string name_of(completion_method m) {
  std::string text(option_word(m));
  std::ranges::replace(text, '-', '_');
  return text;
}

constexpr completion_method methods[] = {completion_method::synchronous, completion_method::user_polling,
                                         completion_method::polling,     completion_method::callback,
                                         completion_method::flag,        completion_method::work_request};

options with_device(options settings, completion_method m) {
  settings.device = "emulated";
  settings.completion = m;
  return settings;
}

class device_work : public ::testing::TestWithParam<std::tuple<testing::machine, completion_method>> {
 protected:
  /// Runs in all variants of the machine, or in the first `most` ones.
  template <class Main>
  void run(const Main& main, std::ptrdiff_t most = std::numeric_limits<std::ptrdiff_t>::max()) {
    const auto& [machine, method] = GetParam();
    for (options settings : machine.runs | std::views::take(most)) {
      settings = with_device(settings, method);
      if (settings.pes > 2) settings.devices = 2;
      EXPECT_EQ(run_in_processes(machine.processes, settings, main), 0);
      if (HasFailure()) {
        ADD_FAILURE() << "with " << text_of(settings);
        return;
      }
    }
  }
};

std::vector<testing::machine> some_machines() {
  std::vector<testing::machine> some =
      machines({"threads_1", "threads_2", "threads_5", "shuffled", "deterministic_50", "processes_2",
                "processes_2x2_comm_thread"});
  const testing::settings_list of_host = machine_by_name("simulated").runs;
  std::vector<options> with_models(of_host.begin(), of_host.end());
  for (options settings : of_host) {
    settings.device_model = "v100";
    with_models.push_back(settings);
  }
  some.push_back({"simulated", std::move(with_models)});
  return some;
}

INSTANTIATE_TEST_SUITE_P(
    on, device_work, ::testing::Combine(::testing::ValuesIn(some_machines()), ::testing::ValuesIn(methods)),
    [](const auto& info) { return std::get<0>(info.param).name + "_" + name_of(std::get<1>(info.param)); });

TEST_P(device_work, is_awaited_by_many_chares) {
  run([]() -> task<> {
    auto blocks = make_array<block>({11});
    EXPECT_EQ(co_await blocks.reduce<&block::grow>(sum, 12), 11 * 78);
  });
}

TEST_P(device_work, sends_messages_when_it_is_done) {
  run([]() -> task<> {
    auto blocks = make_array<block>({5});
    send<&block::grow_by_messages>(blocks, 9);
    EXPECT_EQ(co_await blocks.reduce<&block::wait_until_finished>(sum), 45);
  });
}

TEST_P(device_work, is_done_by_requests) {
  run([]() -> task<> {
    auto blocks = make_array<block>({7});
    EXPECT_EQ(co_await blocks.reduce<&block::grow_by_requests>(sum, 9), 21 + 7 * 19);
  });
}

TEST_P(device_work, may_be_in_flight_when_the_run_ends) {
  run([]() -> task<> {
    auto blocks = make_array<block>({6});
    send<&block::grow>(blocks, 1000);
    send<&block::wait_in_vain>(blocks);
    auto others = make_array<block>({1});
    co_await others[0].call<&block::grow>(3);
  });
}

TEST_P(device_work, is_no_deadlock_and_no_quiescence) {
  run([]() -> task<> {
    auto blocks = make_array<block>({4});
    send<&block::grow_by_messages>(blocks, 20);
    co_await quiescence();
    auto finished = blocks.reduce<&block::wait_until_finished>(min);
    EXPECT_EQ(co_await finished, 20);
  });
}

TEST_P(device_work, is_awaited_with_other_things) {
  run([]() -> task<> {
    auto blocks = make_array<block>({3});
    EXPECT_EQ(co_await blocks.reduce<&block::wait_for_several>(sum), 0);
  });
}

TEST_P(device_work, of_a_captured_stream_is_not_awaited) {
  run([]() -> task<> {
    auto blocks = make_array<block>({2});
    EXPECT_EQ(co_await blocks.reduce<&block::capture>(sum), 2);
  });
}

TEST_P(device_work, may_be_pending_a_thousandfold) {
  run(
      []() -> task<> {
        auto blocks = make_array<block>({1});
        EXPECT_EQ(co_await blocks[0].call<&block::many>(1000), 1000);
      },
      10);  // each run takes up to half a second with a sanitizer
}

class on_threads : public ::testing::TestWithParam<completion_method> {};
INSTANTIATE_TEST_SUITE_P(by, on_threads, ::testing::ValuesIn(methods),
                         [](const auto& info) { return name_of(info.param); });

TEST_P(on_threads, a_stream_that_is_held_up_holds_up_no_other) {
  if (GetParam() == completion_method::synchronous)
    GTEST_SKIP() << "it blocks the PE, which is what is wrong with it";
  std::atomic<bool> go = false;
  EXPECT_EQ(run(with_device(threads(1), GetParam()),
                [&go]() -> task<> {
                  auto blocks = make_array<block>({4});
                  auto held = blocks[0].call<&block::hold_up>(reinterpret_cast<std::uintptr_t>(&go));
                  for (int i = 1; i < 4; ++i) EXPECT_EQ(co_await blocks[i].call<&block::grow>(10), 55);
                  go = true;
                  co_await held;
                }),
            0);
}

TEST_P(on_threads, a_fault_ends_the_run_and_names_kernel_and_stream) {
  for (const options& machine : {threads(2), seeded(2, 1), seeded(1, 2), seeded(3, 3),
                                 options{.pes = 2, .machine = machine_kind::simulated}}) {
    ::testing::internal::CaptureStderr();
    const int status = run(with_device(machine, GetParam()), []() -> task<> {
      auto blocks = make_array<block>({3});
      send<&block::wait_in_vain>(blocks);
      co_await blocks[1].call<&block::break_device>();
    });
    const std::string output = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(status, 1) << text_of(machine);
    EXPECT_NE(output.find("fault"), std::string::npos) << output;
    EXPECT_NE(output.find("block 1"), std::string::npos) << output;
    EXPECT_NE(output.find("cell 42"), std::string::npos) << output;
  }
}

TEST_P(on_threads, a_fault_that_nobody_awaits_is_told_too) {
  ::testing::internal::CaptureStderr();
  const int status = run(with_device(threads(1), GetParam()), []() -> task<> {
    auto blocks = make_array<block>({1});
    co_await blocks[0].call<&block::break_device_and_forget>();
  });
  const std::string output = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, 1);
  EXPECT_NE(output.find("cell 43"), std::string::npos) << output;
}

TEST_P(on_threads, a_fault_is_told_to_whoever_awaits_and_ends_the_run_at_its_end) {
  for (const nanoseconds before_it_asks : {0ns, nanoseconds(5ms)})
    for (const options& machine : {threads(1), threads(2), seeded(2, 1), seeded(1, 2), seeded(3, 3),
                                   options{.pes = 2, .machine = machine_kind::simulated}}) {
      ::testing::internal::CaptureStderr();
      int notices = 0;
      int notified_beside = 0;
      options settings = with_device(machine, GetParam());
      settings.devices = 1;
      const int status = run(settings, [&]() -> task<> {
        auto blocks = make_array<block>({4});
        auto beside = blocks[0].call<&block::wait_beside>();
        auto also_beside = blocks[1].call<&block::wait_beside>();
        notices = co_await blocks[3].call<&block::outlive_device>(before_it_asks);
        notified_beside += co_await beside;
        notified_beside += co_await also_beside;
      });
      const std::string output = ::testing::internal::GetCapturedStderr();
      EXPECT_EQ(status, 1) << text_of(settings);
      EXPECT_EQ(notices, 3) << text_of(settings) << output;
      // With a blocking PE or virtual time, these waits may complete before the fault occurs.
      if (GetParam() != completion_method::synchronous && settings.machine == machine_kind::threads) {
        EXPECT_EQ(notified_beside, 2) << text_of(settings) << output;
      }
      EXPECT_NE(output.find("cell 46"), std::string::npos) << output;
    }
}

TEST_P(on_threads, a_fault_before_a_message_of_the_device_ends_the_run) {
  ::testing::internal::CaptureStderr();
  const int status = run(with_device(threads(1), GetParam()), []() -> task<> {
    auto blocks = make_array<block>({1});
    send<&block::break_device_and_send>(blocks[0]);
    co_await blocks[0].call<&block::wait_until_finished>();
  });
  const std::string output = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, 1);
  EXPECT_NE(output.find("cell 47"), std::string::npos) << output;
}

TEST_P(on_threads, a_fault_of_a_stream_that_is_gone_is_told_too) {
  for (const options& machine : {threads(1), options{.pes = 1, .machine = machine_kind::deterministic},
                                 options{.pes = 1, .machine = machine_kind::simulated}}) {
    ::testing::internal::CaptureStderr();
    const int status = run(with_device(machine, GetParam()), []() -> task<> {
      stream(gpu(), stream_priority::normal, "short-lived").launch(fault, 45);
      co_return;
    });
    const std::string output = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(status, 1) << text_of(machine);
    EXPECT_NE(output.find("short-lived"), std::string::npos) << output;
    EXPECT_NE(output.find("cell 45"), std::string::npos) << output;
  }
}

TEST_P(on_threads, a_fault_of_a_work_request_names_the_device) {
  ::testing::internal::CaptureStderr();
  const int status = run(with_device(threads(2), GetParam()), []() -> task<> {
    auto blocks = make_array<block>({2});
    co_await blocks[1].call<&block::break_device_by_request>();
  });
  const std::string output = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, 1);
  EXPECT_NE(output.find("stream of the work requests to emulated device 0"), std::string::npos) << output;
  EXPECT_NE(output.find("cell 44"), std::string::npos) << output;
}

TEST(streams_of_all, are_captured_only_where_no_other_pe_uses_them) {
  for (const int pes : {1, 2}) {
    options settings = with_device(threads(pes), completion_method::polling);
    settings.streams = stream_policy::five;
    settings.devices = 1;
    std::string refused;
    const int status = run(settings, [&]() -> task<> {
      stream_set all("one");
      device_buffer<std::int64_t> number(gpu(), 1);
      refused = error_of<device_error>([&] {
        all.compute().begin_capture();
        all.compute().fill(number.span(), std::byte(0));
        graph zero = all.compute().end_capture();
        all.compute().launch(zero);
      });
      co_await all.compute().done();
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(refused.find("--streams single, two or four") != std::string::npos, pes > 1) << refused;
  }
}

/// A PE that polls its device is never idle.
TEST(device_work_by_asking, lets_timers_come_in_time) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const options settings{.pes = 1, .machine = machine_kind::deterministic, .seed = seed};
    EXPECT_EQ(run(with_device(settings, completion_method::user_polling),
                  []() -> task<> {
                    stream s(gpu(), stream_priority::normal, "slow");
                    s.launch(last_long);
                    co_await when_all(s.done(), sleep_for(2ms));
                  }),
              0)
        << "seed " << seed;
  }
}

TEST(device_work_by_callback, lets_the_pe_sleep) {
  std::chrono::microseconds used{};
  EXPECT_EQ(run(with_device(threads(1), completion_method::callback),
                [&used]() -> task<> {
                  auto blocks = make_array<block>({1});
                  const auto time = [] {
                    rusage u{};
                    ::getrusage(RUSAGE_SELF, &u);
                    return std::chrono::seconds(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                           std::chrono::microseconds(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
                  };
                  const auto before = time();
                  co_await blocks[0].call<&block::rest_for_a_while>();
                  used = time() - before;
                }),
            0);
  EXPECT_LT(used, 60ms);
}

TEST(device_work_errors, a_run_without_device_says_how_to_get_one) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(threads(1),
                []() -> task<> {
                  auto blocks = make_array<block>({1});
                  co_await blocks[0].call<&block::grow>(1);
                }),
            1);
  const std::string output = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(output.find("PE 0 has no device: start the program with --device cuda"), std::string::npos)
      << output;
}

TEST(device_work_errors, options_that_contradict_each_other_are_refused) {
  const auto nothing_to_do = []() -> task<> { co_return; };
  for (options wrong : {options{.pes = 1, .device = "emulatd"}, options{.pes = 1, .devices = 2},
                        options{.pes = 1, .device_model = "v100"},
                        options{.pes = 1, .device = "emulated", .device_model = "no such model"},
                        options{.pes = 1, .machine = machine_kind::deterministic, .device = "cuda"},
                        options{.pes = 1, .machine = machine_kind::simulated, .device = "cuda"},
                        options{.pes = 1, .machine = machine_kind::simulated, .devices = 2},
                        options{.pes = 1, .device_data = false},
                        options{.pes = 1, .source = {.device_words = "--completion flag"}}}) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run(wrong, nothing_to_do), 2);
    EXPECT_NE(::testing::internal::GetCapturedStderr(), "");
  }
}

TEST(device_work_errors, a_program_may_choose_for_devices_that_are_not_there) {
  EXPECT_EQ(run({.pes = 1, .completion = completion_method::callback, .streams = stream_policy::five},
                []() -> task<> { co_return; }),
            0);
}

TEST(device_map, gives_each_pe_a_device) {
  const auto all = [](device_map map, int pes, int devices) {
    std::vector<int> of;
    for (int p = 0; p < pes; ++p) of.push_back(detail::device_of(map, {p, pes}, devices));
    return of;
  };
  EXPECT_EQ(all(device_map::block, 6, 3), (std::vector{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(all(device_map::block, 5, 2), (std::vector{0, 0, 0, 1, 1}));
  EXPECT_EQ(all(device_map::block, 2, 4), (std::vector{0, 2}));
  EXPECT_EQ(all(device_map::round_robin, 5, 2), (std::vector{0, 1, 0, 1, 0}));
}

/// The device of each PE of a process; other processes of the host come first.
std::vector<std::optional<int>> chosen(const options& settings, const host_share& host = own_host(4, 0)) {
  return detail::run_devices(settings, nullptr, false).choose(host);
}

using choices = std::vector<std::optional<int>>;

TEST(device_map, near_is_block_for_devices_that_are_nowhere) {
  EXPECT_EQ(chosen({.device = "emulated", .devices = 2, .map = device_map::near}), (choices{0, 0, 1, 1}));
}

TEST(device_map, is_of_the_processes_that_see_the_same_devices) {
  host_share host;
  host.pes = 2;
  host.processes = {{0, 3, {0}, "a"}, {3, 1, {0}, "b"}, {9, 2, {0}, "a"}, {11, 5, {0}, "a"}};
  host.self = 2;
  const auto together = detail::sharers_of_devices(host, false);
  EXPECT_EQ(together.processes.size(), 3U);
  EXPECT_EQ(together.processes[1].first_pe, 9);
  EXPECT_EQ(together.first_pe, 3);
  EXPECT_EQ(together.pes, 10);
  const auto alone = detail::sharers_of_devices(host, true);
  EXPECT_EQ(alone.processes.size(), 1U);
  EXPECT_EQ(alone.first_pe, 0);
  EXPECT_EQ(alone.pes, 2);
  // Emulated devices belong to one process each.
  EXPECT_EQ(chosen({.device = "emulated", .devices = 2}, host), (choices{0, 1}));
}

TEST(device_map, knows_by_a_launchers_choice_who_sees_the_same) {
  const options settings{.device = "emulated"};
  const std::string before = detail::run_devices(settings, nullptr, false).seen();
  ::setenv("HIP_VISIBLE_DEVICES", "3", 1);
  const std::string then = detail::run_devices(settings, nullptr, false).seen();
  ::unsetenv("HIP_VISIBLE_DEVICES");
  EXPECT_NE(before, then);
  EXPECT_EQ(before, detail::run_devices(settings, nullptr, false).seen());
}

TEST(device_map, none_gives_none) {
  EXPECT_EQ(chosen({.device = "emulated", .map = device_map::none}), choices(4));
  EXPECT_EQ(chosen({}), choices(4));
}

TEST(device_map, may_be_the_programs_own) {
  options settings{.device = "emulated", .devices = 3, .map = device_map::none};
  std::vector<int> pes;
  settings.choose_device = [&](const device_choice& pe) -> std::optional<int> {
    EXPECT_EQ(pe.devices.size(), 3U);
    EXPECT_EQ(pe.devices[2].label(), "emulated device 2 (instant)");
    EXPECT_EQ(pe.process_pes, 2);
    EXPECT_EQ(pe.host_pes, 9);
    EXPECT_EQ(pe.place_on_host, 5 + pe.place_in_process);
    pes.push_back(pe.pe);
    if (pe.place_in_process == 0) return std::nullopt;
    return 2;
  };
  host_share second;
  second.pes = 2;
  second.first_pe = 5;
  second.host_pes = 9;
  second.processes = {{25, 2, {0}}};
  EXPECT_EQ(chosen(settings, second), (choices{std::nullopt, 2}));
  EXPECT_EQ(pes, (std::vector{25, 26}));
}

TEST(device_map, of_the_program_must_name_a_device_that_is_there) {
  for (const int wrong : {-1, 2}) {
    options settings{.pes = 1, .device = "emulated", .devices = 2};
    settings.choose_device = [wrong](const device_choice&) { return wrong; };
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run(settings, []() -> task<> { co_return; }), usage_error::exit_status);
    const std::string output = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(output.find("gave PE 0 the device " + std::to_string(wrong) +
                          ", but this process has devices 0 to 1"),
              std::string::npos)
        << output;
  }
}

/// Reports the device of its PE.
class teller : public chare<teller> {
 public:
  int device_here() { return gpu().info().index; }
};

TEST(device_map, leaves_a_pe_without_device_to_work_beside_those_that_have_one) {
  for (const machine_kind machine : {machine_kind::threads, machine_kind::deterministic}) {
    options settings{.pes = 2, .machine = machine, .device = "emulated", .devices = 3};
    settings.choose_device = [](const device_choice& pe) {
      return pe.pe == 0 ? std::optional(2) : std::nullopt;
    };
    ::testing::internal::CaptureStderr();
    int there = -1;
    std::string missing;
    EXPECT_EQ(run(settings,
                  [&]() -> task<> {
                    auto tellers = make_group<teller>();
                    there = co_await tellers[0].call<&teller::device_here>();
                    missing = co_await awaited_error_of(tellers[1].call<&teller::device_here>());
                  }),
              0);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(there, 2);
    EXPECT_EQ(
        missing,
        "PE 1 has no device: the run has some, but --device-map none or options::choose_device gives it "
        "none");
  }
}

}  // namespace imbrex::device_work_test
