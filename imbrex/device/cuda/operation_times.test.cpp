// SPDX-License-Identifier: Apache-2.0
// The tests use a driver, defined below, whose streams work at the times that the test sets.
#include <imbrex/device/cuda/operation_times.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

// The objects behind the driver's handles.
struct CUevent_st {
  std::optional<imbrex::nanoseconds> time;  ///< recorded time; nothing before the first record
};
struct CUstream_st {
  imbrex::nanoseconds free{0};  ///< time at which all submitted work has ended
  bool captured = false;
  bool is_side = false;  ///< the stream of anchors
};

namespace imbrex {
namespace {

using namespace std::chrono_literals;

/// The host's clock; the device's has another zero. Each query takes a microsecond.
class test_clock final : public detail::clock {
 public:
  nanoseconds now() const noexcept override {
    const std::lock_guard hold(lock_);
    return time += 1us;
  }
  /// The time, for callers that share it with other threads.
  nanoseconds shown() const {
    const std::lock_guard hold(lock_);
    return time;
  }
  mutable nanoseconds time{5s};

 private:
  mutable std::mutex lock_;
};

struct driver {
  test_clock host;
  nanoseconds device_is_ahead{777s};
  nanoseconds side_delay{2us};            ///< delay of an event in the stream of anchors
  std::deque<nanoseconds> side_delays{};  ///< delays of the first such events
  std::mutex lock;
  std::set<CUevent_st*> events;
  bool refuses = false;
};
driver* now = nullptr;

class OperationTimes : public ::testing::Test, public operation_observer {
 protected:
  struct report {
    finished_operation::type what;
    std::string name;
    std::string owner;
    std::uint32_t stream;
    std::size_t bytes;
    nanoseconds begin;
    nanoseconds end;
  };

  OperationTimes() { now = &driver_; }
  ~OperationTimes() override { now = nullptr; }

  void finished(const finished_operation& operation) noexcept override {
    all.push_back({operation.what, std::string(operation.name), operation.owner, operation.stream,
                   operation.bytes, operation.begin, operation.end});
  }
  /// Submits an operation of that duration to a stream; returns its end.
  nanoseconds put(operation_times& into, CUstream_st& stream, std::uint32_t number, nanoseconds duration,
                  const std::string& name = "update") {
    const std::string owner = "block " + std::to_string(number);
    const operation_times::timed timed(into, &stream,
                                       {finished_operation::type::kernel, name, number, owner, 64});
    if (!stream.captured) stream.free = std::max(stream.free, driver_.host.shown()) + duration;
    return stream.free;
  }

  driver driver_;
  std::vector<report> all;
};

TEST_F(OperationTimes, TellsWhatEndedWhenInOrder) {
  std::mt19937 random(3);
  std::vector<std::pair<nanoseconds, nanoseconds>> expected;  // end, duration
  {
    operation_times times(0, driver_.host);
    ASSERT_TRUE(times.observe(this));
    std::array<CUstream_st, 3> streams;
    for (int k = 0; k < 2'000; ++k) {
      const auto which = random() % streams.size();
      const nanoseconds duration{1'000 + random() % 300'000};
      const auto end = put(times, streams[which], static_cast<std::uint32_t>(which), duration);
      expected.emplace_back(end, duration);
      driver_.host.time += nanoseconds(random() % 200'000);
    }
    EXPECT_GT(all.size(), 1'000U);  // reported while it runs
    for (const auto& stream : streams) driver_.host.time = std::max(driver_.host.time, stream.free);
    times.observe(nullptr);
  }
  EXPECT_TRUE(driver_.events.empty());
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(all.size(), expected.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    EXPECT_NEAR(static_cast<double>((all[k].end - expected[k].first).count()), 0, 5'000) << k;
    if (k > 0) {
      EXPECT_GE(all[k].end, all[k - 1].end);
    }
    EXPECT_GE(all[k].end - all[k].begin, expected[k].second - 3us);
    EXPECT_EQ(all[k].owner, "block " + std::to_string(all[k].stream));
    EXPECT_EQ(all[k].bytes, 64U);
    EXPECT_EQ(all[k].name, "update");
  }
}

TEST_F(OperationTimes, FollowsAClockOfTheDeviceThatDrifts) {
  operation_times times(0, driver_.host);
  ASSERT_TRUE(times.observe(this));
  CUstream_st stream;
  std::vector<nanoseconds> ends;
  for (int k = 0; k < 1'000; ++k) {
    ends.push_back(put(times, stream, 0, 10us));
    driver_.host.time += 100ms;
    driver_.device_is_ahead += 5us;  // 50 millionths: 5 ms in the end
  }
  times.observe(nullptr);
  ASSERT_EQ(all.size(), ends.size());
  for (std::size_t k = 0; k < all.size(); ++k)
    EXPECT_NEAR(static_cast<double>((all[k].end - ends[k]).count()), 0, 100'000) << k;
}

TEST_F(OperationTimes, TakesNoAnchorThatHadToWait) {
  operation_times times(0, driver_.host);
  ASSERT_TRUE(times.observe(this));
  driver_.side_delay = 1h;
  CUstream_st stream;
  std::vector<nanoseconds> ends;
  for (int k = 0; k < 50; ++k) {
    const auto before = driver_.host.time;
    ends.push_back(put(times, stream, 0, 10us));
    EXPECT_LT(driver_.host.time - before, 200us);  // no call waits for it
    driver_.host.time += 100ms;
  }
  times.observe(nullptr);
  ASSERT_EQ(all.size(), ends.size());
  for (std::size_t k = 0; k < all.size(); ++k)
    EXPECT_NEAR(static_cast<double>((all[k].end - ends[k]).count()), 0, 5'000) << k;
}

TEST_F(OperationTimes, TellsNothingOfCapturesAndOfWhatHasNotEnded) {
  operation_times times(0, driver_.host);
  CUstream_st stream;
  put(times, stream, 0, 10us, "before");
  EXPECT_TRUE(driver_.events.empty());  // no observer
  ASSERT_TRUE(times.observe(this));
  stream.captured = true;
  put(times, stream, 0, 10us, "captured");
  stream.captured = false;
  put(times, stream, 0, 10us, "over");
  put(times, stream, 0, 1h, "still running");
  driver_.host.time += 1s;
  times.observe(nullptr);
  put(times, stream, 0, 10us, "after");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].name, "over");
  EXPECT_TRUE(driver_.events.empty());
}

TEST_F(OperationTimes, TellsOnDemand) {
  operation_times times(0, driver_.host);
  ASSERT_TRUE(times.observe(this));
  CUstream_st stream;
  const auto end = put(times, stream, 0, 10us);
  put(times, stream, 0, 1h);
  times.catch_up();
  EXPECT_TRUE(all.empty());
  driver_.host.time = end;
  times.catch_up();
  EXPECT_EQ(all.size(), 1U);
  times.catch_up();
  EXPECT_EQ(all.size(), 1U);
}

TEST_F(OperationTimes, TellsNothingOfWhatWasRefused) {
  operation_times times(0, driver_.host);
  ASSERT_TRUE(times.observe(this));
  CUstream_st stream;
  const std::string owner = "block";
  try {
    const operation_times::timed timed(times, &stream,
                                       {finished_operation::type::kernel, "update", 0, owner});
    throw 1;
  } catch (int) {
  }
  driver_.host.time += 1s;
  times.observe(nullptr);
  EXPECT_TRUE(all.empty());
  EXPECT_TRUE(driver_.events.empty());
}

TEST_F(OperationTimes, NeverOverlapsOperationsOfAStream) {
  operation_times times(0, driver_.host);
  ASSERT_TRUE(times.observe(this));
  CUstream_st stream;
  for (int k = 0; k < 20'000; ++k) {
    driver_.host.time = put(times, stream, 0, 100us);  // each begins when the one before ends
    driver_.device_is_ahead += nanoseconds(k / 1'000 % 2 == 0 ? 10 : -10);
  }
  driver_.host.time += 1ms;
  times.observe(nullptr);
  ASSERT_EQ(all.size(), 20'000U);
  for (std::size_t k = 1; k < all.size(); ++k) EXPECT_GE(all[k].begin, all[k - 1].end) << k;
}

TEST_F(OperationTimes, TakesTheBestOfItsFirstAnchors) {
  driver_.side_delays = {5ms, 90us, 2us, 40ms, 700us};
  operation_times times(0, driver_.host);
  ASSERT_TRUE(times.observe(this));
  CUstream_st stream;
  const auto end = put(times, stream, 0, 10us);
  driver_.host.time += 1ms;
  times.catch_up();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_NEAR(static_cast<double>((all[0].end - end).count()), 0, 5'000);
}

TEST_F(OperationTimes, HearsManyThreads) {
  constexpr std::uint32_t threads = 4;
  constexpr std::size_t operations = 500;
  operation_times times(0, driver_.host);
  ASSERT_TRUE(times.observe(this));
  {
    std::vector<std::jthread> pes;
    for (std::uint32_t pe = 0; pe < threads; ++pe)
      pes.emplace_back([&, pe] {
        CUstream_st stream;
        for (std::size_t k = 0; k < operations; ++k) put(times, stream, pe, 1us);
        for (int k = 0; k < 5; ++k) times.catch_up();
      });
  }
  driver_.host.time += 1s;
  times.observe(nullptr);
  std::array<std::size_t, threads> records{};
  for (const auto& op : all) ++records.at(op.stream);
  for (const std::size_t count : records) EXPECT_EQ(count, operations);
  EXPECT_TRUE(
      std::is_sorted(all.begin(), all.end(), [](const auto& l, const auto& r) { return l.end < r.end; }));
}

TEST_F(OperationTimes, GivesUpWhereTheDriverRefuses) {
  operation_times times(0, driver_.host);
  driver_.refuses = true;
  EXPECT_FALSE(times.observe(this));
  driver_.refuses = false;
  ASSERT_TRUE(times.observe(this));
  CUstream_st stream;
  put(times, stream, 0, 10us);
  driver_.refuses = true;
  put(times, stream, 0, 10us);
  driver_.refuses = false;
  put(times, stream, 0, 10us);
  EXPECT_TRUE(driver_.events.empty());
  EXPECT_TRUE(all.empty());
}

}  // namespace
}  // namespace imbrex

using imbrex::now;

extern "C" {

cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new CUstream_st{.is_side = true};
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t s) {
  delete s;
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus* status) {
  *status = s->captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  if (now->refuses) return cudaErrorMemoryAllocation;
  *event = new CUevent_st;
  const std::lock_guard hold(now->lock);
  now->events.insert(*event);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t e) {
  const std::lock_guard hold(now->lock);
  now->events.erase(e);
  delete e;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
  if (now->refuses) return cudaErrorUnknown;
  auto at = std::max(s->free, now->host.shown());
  if (s->is_side && now->side_delays.empty()) at += now->side_delay;
  if (s->is_side && !now->side_delays.empty()) {
    at += now->side_delays.front();
    now->side_delays.pop_front();
  }
  e->time = at + now->device_is_ahead;
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t e) {
  return *e->time <= now->host.shown() + now->device_is_ahead ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  *milliseconds = static_cast<float>(static_cast<double>((*to->time - *from->time).count()) / 1e6);
  return cudaSuccess;
}
}
