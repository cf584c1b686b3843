// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/emulated/thread_emulation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <set>
#include <thread>
#include <vector>

#include <imbrex/device/subject.test.hpp>

namespace imbrex::test {
namespace {

std::ptrdiff_t threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

TEST(thread_emulation, has_few_threads_however_many_streams) {
  std::thread([] {}).join();  // sanitizers start a thread of their own with the first thread
  const auto before = threads_of_this_process();
  subject in({});
  std::vector<stream> streams;
  device_buffer<int> cells(in.first(), 200);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    streams.emplace_back(in.first(), stream_priority::normal, "s");
    streams.back().fill(cells.span().subspan(i, 1), std::byte{0});
  }
  EXPECT_LE(threads_of_this_process(), before + 5);  // two of them for kernels
  for (stream& s : streams) s.synchronize();
}

/// The thread that frees and allocates takes no part in the captures.
TEST(thread_emulation, keeps_memory_in_use_while_another_thread_captures) {
  constexpr std::size_t count = 500;
  subject in({});
  stream user(in.first(), stream_priority::normal, "user");
  flag_array gate(in.first(), 1);
  user.wait(gate[0], 1);
  std::vector<device_buffer<int>> used;
  std::set<const int*> places;
  for (std::size_t i = 0; i < count; ++i) {
    user.fill(used.emplace_back(in.first(), 1000).span(), std::byte{7});
    places.insert(used.back().span().data());
  }
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over) {
      user.begin_capture();
      static_cast<void>(user.end_capture());
    }
  });
  std::vector<device_buffer<int>> fresh;
  std::size_t handed_out = 0;
  while (!used.empty()) {
    used.pop_back();
    handed_out += places.count(fresh.emplace_back(in.first(), 1000).span().data());
  }
  over = true;
  other.join();
  EXPECT_EQ(handed_out, 0U);
  gate.store(0, 1);
  user.synchronize();
}

/// Four PEs, each with streams of its own and some shared by all.
TEST(thread_emulation, serves_several_threads) {
  constexpr int pes = 4;
  constexpr int rounds = 100;
  subject in({});
  stream shared(in.first(), stream_priority::low, "shared");
  device_buffer<int> log(in.first(), pes * rounds + 1);
  shared.fill(log.span(), std::byte{0});
  std::atomic<int> notices{0};
  auto notify = [&]() noexcept { ++notices; };
  std::vector<int> wrong(pes, 0);
  std::vector<std::thread> threads;
  for (int pe = 0; pe < pes; ++pe)
    threads.emplace_back([&, pe] {
      event_pool events(in.first());
      stream own(in.first(), stream_priority::high, "pe " + std::to_string(pe));
      pinned_buffer<int> value(in.first(), 1);
      for (int i = 0; i < rounds; ++i) {
        device_buffer<int> cell(in.first(), 1);
        event done = events.take();
        value[0] = i;
        own.copy(cell.span(), value.span());
        own.launch(add, cell.span(), cell.span(), pe);
        own.copy(value.span(), cell.span());
        own.record(done);
        shared.wait(done);
        shared.launch(append, log.span(), pe, 0);
        shared.host(notify);
        while (!done.done()) std::this_thread::yield();
        if (value[0] != i + pe) ++wrong[static_cast<std::size_t>(pe)];
      }
    });
  for (std::thread& t : threads) t.join();
  shared.synchronize();
  EXPECT_EQ(notices, pes * rounds);
  EXPECT_EQ(wrong, std::vector<int>(pes, 0));
}

/// All kernels start at the same moment, and only one has a thread at a time.
TEST(thread_emulation, serves_higher_priority_first) {
  const auto all = devices("emulated", {.model = slow_model(), .workers = 1});
  device& d = *all.front();
  device_buffer<int> log(d, 10);
  pinned_buffer<int> marks(d, 10);
  flag_array gate(d, 1);
  event_pool events(d);
  stream last(d, stream_priority::normal, "last");
  last.fill(log.span(), std::byte{0});
  last.synchronize();
  std::vector<stream> streams;
  for (int i = 0; i < 4; ++i) {
    streams.emplace_back(d, static_cast<stream_priority>(i % 3), "s");
    streams.back().wait(gate[0], 1);
    streams.back().launch(append, log.span(), i, 0);
    event e = events.take();
    streams.back().record(e);
    last.wait(e);
  }
  last.copy(marks.span(), log.span());
  gate.store(0, 1);
  last.synchronize();
  EXPECT_EQ(std::vector(marks.span().begin(), marks.span().begin() + 5), (std::vector{4, 2, 1, 0, 3}));
}

TEST(thread_emulation, ends_with_work_in_flight) {
  subject in({});
  flag_array never(in.first(), 1);
  device_buffer<int> log(in.first(), 10);
  stream s(in.first(), stream_priority::normal, "s");
  s.launch(append, log.span(), 1, 3'600'000'000'000);  // an hour
  stream t(in.first(), stream_priority::normal, "t");
  t.wait(never[0], 1);
  t.launch(append, log.span(), 2, 0);
}

}  // namespace
}  // namespace imbrex::test
