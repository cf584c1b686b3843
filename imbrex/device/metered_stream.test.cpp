// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/metered_stream.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <imbrex/device/backends/devices.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/device/stream.hpp>

namespace imbrex::metered_stream_test {

using detail::work_estimate;

constexpr kernel<device_span<double>, int> work{.name = "work",
                                                .host = [](device_span<double>, int) {},
                                                .work =
                                                    [](device_span<double> u, int threads) {
                                                      return work_size{
                                                          .bytes = 1e6 * static_cast<double>(u.size()),
                                                          .threads = static_cast<std::uint64_t>(threads)};
                                                    }};
constexpr kernel<> undeclared{.name = "undeclared", .host = [] {}};

class sum final : public work_meter {
 public:
  void submitted(stream_backend& to, std::string_view name, const device_work& its) noexcept override {
    seconds_ += its.seconds();
    elapsed_ += its.elapsed;
    names += std::string(name) + ";";
    numbers.insert(to.number());
  }
  double take() { return std::exchange(seconds_, 0); }
  double take_elapsed() { return std::exchange(elapsed_, 0); }
  std::string names;
  std::set<std::uint32_t> numbers;

 private:
  double seconds_ = 0;
  double elapsed_ = 0;
};

TEST(metered_stream, reports_the_work_of_each_operation) {
  const device_model model = find_device_model("v100");
  sum meter;
  const auto all = devices("emulated", {.model = model, .data = false});
  device& d = *all.front();
  d.meter_by(meter);
  {
    stream s(d);
    device_buffer<double> u(d, 100);
    pinned_buffer<double> copy(d, 100);
    const double start = static_cast<double>(model.device.kernel_start.count()) * 1e-9;
    const double seconds = 1e8 / static_cast<double>(model.device.memory_bandwidth);
    s.launch(work, u.span(), 0);
    EXPECT_NEAR(meter.take(), seconds, 1e-9);
    // Few threads take as much of the device, for longer.
    s.launch(work, u.span(), 1024);
    const double elapsed = seconds * static_cast<double>(model.device.threads) / 1024;
    EXPECT_NEAR(meter.take(), std::max(seconds, elapsed / model.device.concurrent_kernels), 1e-6);
    EXPECT_NEAR(meter.take_elapsed(), seconds + elapsed + 2 * start, 1e-9);
    s.launch(undeclared);
    EXPECT_NEAR(meter.take(), start / model.device.concurrent_kernels, 1e-12);
    s.copy(copy.span(), std::as_const(u).span());
    const double latency = static_cast<double>(model.copy.latency.count()) * 1e-9;
    EXPECT_NEAR(meter.take(), latency + 800 / static_cast<double>(model.copy.from_device), 1e-12);

    s.begin_capture();
    s.launch(work, u.span(), 0);
    s.launch(work, u.span(), 0);
    graph both = s.end_capture();
    EXPECT_EQ(meter.take(), 0);
    s.launch(both);
    EXPECT_NEAR(meter.take(), 2 * seconds, 1e-9);
    s.synchronize();
    EXPECT_EQ(meter.names, "work;work;undeclared;copy from the device;work;work;");
    EXPECT_EQ(meter.numbers.size(), 1U);
  }
}

TEST(metered_stream, has_estimates_for_devices_of_unknown_rates) {
  const work_estimate estimate{device_rates{}};
  EXPECT_GT(estimate.of_kernel({.bytes = 2e9}).elapsed, 1.9 * estimate.of_kernel({.bytes = 1e9}).elapsed);
  EXPECT_GT(estimate.of_kernel({}).seconds(), 0);
}

}  // namespace imbrex::metered_stream_test
