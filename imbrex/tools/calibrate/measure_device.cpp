// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/calibrate/measure_device.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/gpu/pe_device.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/event.hpp>
#include <imbrex/device/stream.hpp>

namespace imbrex::calibrate {
namespace {

constexpr int calls = 100;
constexpr std::size_t block = std::size_t{8} << 20U;
constexpr std::size_t large_block = std::size_t{64} << 20U;

double device_nanoseconds_since(nanoseconds moment) { return static_cast<double>((now() - moment).count()); }

/// The time until the work of a stream is done that `submit` submits: ns.
template <class Submit>
task<double> time_of(stream& work, Submit submit) {
  co_await work.done();
  const nanoseconds begin = now();
  submit();
  co_await work.done();
  co_return device_nanoseconds_since(begin);
}

/// A rate, by the times of two sizes: bytes a second.
template <class Submit>
task<double> rate_of(stream& work, double bytes_a_byte, Submit submit) {
  const double less = co_await time_of(work, [&] { submit(block); });
  const double more = co_await time_of(work, [&] { submit(large_block); });
  co_return bytes_a_byte* static_cast<double>(large_block - block) * 1e9 / std::max(1.0, more - less);
}

/// The time of a call, by the time of a hundred: ns.
template <class Call>
double time_of_call(Call call) {
  const nanoseconds begin = now();
  for (int i = 0; i < calls; ++i) call();
  return device_nanoseconds_since(begin) / calls;
}

struct samples {
  std::vector<double> all{};
  void operator()(double value) { all.push_back(value); }
};

}  // namespace

task<> measure_device(int rounds, measurement& into) {
  stream work(gpu(), stream_priority::normal, "calibration");
  device_buffer<std::byte> one(gpu(), large_block), two(gpu(), large_block);
  pinned_buffer<std::byte> host(gpu(), large_block);
  event_pool events(gpu());
  event mark = events.take();
  const auto here = [](auto& buffer, std::size_t size) { return buffer.span().subspan(0, size); };
  samples launches, records, queries, to_device, from_device, memory;
  for (int round = 0; round < rounds; ++round) {
    co_await work.done();
    launches(time_of_call([&] { work.fill(here(one, 1), std::byte(0)); }));
    co_await work.done();
    records(time_of_call([&] { work.record(mark); }));
    co_await work.done();
    queries(time_of_call([&] { static_cast<void>(mark.done()); }));
    to_device.all.push_back(co_await rate_of(
        work, 1, [&](std::size_t n) { work.copy(here(one, n), here(std::as_const(host), n)); }));
    from_device.all.push_back(co_await rate_of(
        work, 1, [&](std::size_t n) { work.copy(here(host, n), here(std::as_const(one), n)); }));
    memory.all.push_back(co_await rate_of(
        work, 2, [&](std::size_t n) { work.copy(here(two, n), here(std::as_const(one), n)); }));
  }
  into.numbers["host.launch"] = summary_of(std::move(launches.all));
  into.numbers["host.call"] = summary_of(std::move(records.all));
  into.numbers["host.query"] = summary_of(std::move(queries.all));
  into.numbers["copy.to_device"] = summary_of(std::move(to_device.all));
  into.numbers["copy.from_device"] = summary_of(std::move(from_device.all));
  into.numbers["device.memory_bandwidth"] = summary_of(std::move(memory.all));
  into.reasons["device.flops"] = "a rate of operations takes a kernel of the machine's own";
  into.reasons["copy.latency"] = "the submission of a copy hides it";
}

}  // namespace imbrex::calibrate
