// SPDX-License-Identifier: Apache-2.0
// Objects of a run's devices that outlive the run.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/flag.hpp>

namespace imbrex::device_end_test {

constexpr std::size_t length = 100;

struct leftovers {
  explicit leftovers(device& of)
      : work(of, stream_priority::normal, "a program"),
        pool(of),
        mark(pool.take()),
        numbers(of, length),
        seen(of, length),
        flags(of, 1) {
    numbers_of = &of;
    work.fill(numbers.span(), std::byte(1));
    work.copy(seen.span(), numbers.span());
    work.record(mark);
    work.begin_capture();
    work.fill(numbers.span(), std::byte(2));
    steps.emplace(work.end_capture());
  }

  device* numbers_of;
  stream work;
  event_pool pool;
  event mark;
  device_buffer<int> numbers;
  pinned_buffer<int> seen;
  flag_array flags;
  std::optional<graph> steps;
};

class what_is_left : public ::testing::TestWithParam<machine_kind> {
 protected:
  options how() const { return {.pes = 2, .machine = GetParam(), .device = "emulated", .devices = 1}; }

  /// Makes the objects in one run.
  std::unique_ptr<leftovers> left_by_a_run() {
    std::unique_ptr<leftovers> remains;
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run(how(),
                  [&]() -> task<> {
                    remains = std::make_unique<leftovers>(gpu());
                    co_await remains->work.done();
                  }),
              0);
    warning = ::testing::internal::GetCapturedStderr();
    return remains;
  }

  std::string warning;
};

TEST_P(what_is_left, is_named_and_can_be_destroyed) {
  auto left = left_by_a_run();
  EXPECT_TRUE(warning.starts_with(
      "imbrex: warning: the run has ended and leaves 1 stream, 1 event pool, 1 graph, 3 buffers of "))
      << warning;
  EXPECT_NE(warning.find(" bytes of emulated device 0 "), std::string::npos) << warning;
  EXPECT_EQ(left->seen[length - 1], 0x01010101);
}

TEST_P(what_is_left, is_moved_as_it_is) {
  auto left = left_by_a_run();
  const device_buffer<int> numbers(std::move(left->numbers));
  const stream work(std::move(left->work));
  const graph steps(std::move(*left->steps));
  EXPECT_EQ(numbers.size(), length);
}

TEST_P(what_is_left, refuses_every_use_in_the_next_run) {
  auto left = left_by_a_run();
  const std::pair<const char*, std::function<void()>> uses[]{
      {"copy", [&] { left->work.copy(left->seen.span(), left->numbers.span()); }},
      {"idle", [&] { static_cast<void>(left->work.idle()); }},
      {"synchronize", [&] { left->work.synchronize(); }},
      {"record", [&] { left->work.record(left->mark); }},
      {"wait", [&] { left->work.wait(left->mark); }},
      {"capture", [&] { left->work.begin_capture(); }},
      {"graph", [&] { left->work.launch(*left->steps); }},
      {"done", [&] { static_cast<void>(left->mark.done()); }},
      {"event", [&] { left->pool.take(); }},
      {"store", [&] { left->flags.store(0, 1); }},
      {"buffer", [&] { device_buffer<int>(*left->numbers_of, 1); }},
      {"stream", [&] { stream(*left->numbers_of, stream_priority::normal, "another"); }},
      {"memory", [&] { static_cast<void>(left->numbers_of->free_memory()); }},
  };
  EXPECT_EQ(run(how(),
                [&]() -> task<> {
                  for (const auto& [name, use] : uses) {
                    const std::string text = error_of<error>(use);
                    EXPECT_TRUE(text.starts_with("something of emulated device 0 ")) << name << ": " << text;
                    EXPECT_TRUE(
                        text.ends_with(" is used after the run that it was made in has ended; make it "
                                       "anew in each run"))
                        << name << ": " << text;
                  }
                  const std::string text = co_await awaited_error_of<error>(left->work.done());
                  EXPECT_TRUE(text.starts_with("something of emulated device 0 ")) << text;
                }),
            0);
}

TEST_P(what_is_left, is_nothing_of_a_program_that_tidies_up) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(how(),
                []() -> task<> {
                  leftovers remains(gpu());
                  co_await remains.work.done();
                }),
            0);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

INSTANTIATE_TEST_SUITE_P(machines, what_is_left,
                         ::testing::Values(machine_kind::threads, machine_kind::deterministic,
                                           machine_kind::simulated),
                         [](const auto& of) {
                           return of.param == machine_kind::threads         ? "threads"
                                  : of.param == machine_kind::deterministic ? "deterministic"
                                                                            : "simulated_time";
                         });

}  // namespace imbrex::device_end_test
