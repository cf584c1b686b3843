// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/backends/devices.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/device/subject.test.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::test {
namespace {

std::string refusal(std::string_view backend, const emulated_options& emulation_options = {}) {
  return testing::error_of<error>([&] { devices(backend, emulation_options); });
}

TEST(device_backends, are_found_by_name) {
  EXPECT_EQ(devices("emulated", {.devices = 3}).size(), 3U);
  EXPECT_NE(refusal("cudo").find("did you mean cuda?"), std::string::npos);
  EXPECT_THROW(devices(""), usage_error);
  EXPECT_NE(refusal("emulated", {.devices = 0}).find("must be 1 or more"), std::string::npos);
}

TEST(device_backends, without_a_gpu_name_the_remedy) {
  const std::string text = refusal("cuda");
  if (text.empty()) GTEST_SKIP() << "there is a GPU";
  EXPECT_NE(text.find("--device emulated"), std::string::npos) << text;
}

TEST(emulated_devices, say_what_they_are) {
  const auto all = devices("emulated", {.devices = 2, .model = find_device_model("v100")});
  const device_info& info = all[1]->info();
  EXPECT_EQ(info.label(), "emulated device 1 (v100)");
  EXPECT_NE(info.id, all[0]->info().id);
  EXPECT_EQ(info.memory, 16'000'000'000U);
  EXPECT_EQ(info.can.concurrent_kernels, 128);
  EXPECT_EQ(info.can.copy_engines, 2);
  EXPECT_TRUE(info.can.graphs && info.can.stream_values);
}

TEST(buffers, move) {
  subject in({.in_simulated_time = true});
  device_buffer<int> a(in.first(), 10);
  void* const place = a.span().data();
  device_buffer<int> b(std::move(a));
  EXPECT_EQ(b.span().data(), place);
  EXPECT_EQ(a.size(), 0U);  // NOLINT: it is empty
  device_buffer<int> c(in.first(), 20);
  c = std::move(b);
  EXPECT_EQ(c.span().data(), place);
  EXPECT_EQ(c.size(), 10U);
  EXPECT_EQ(in.first().memory(memory_kind::device).counts().blocks_in_use, 1U);
  c.release();
  EXPECT_EQ(c.size(), 0U);
  EXPECT_EQ(in.end(), std::vector<std::string>{});
}

TEST(buffers, hold_no_zeros_at_first) {
  subject in({.in_simulated_time = true});
  const device_buffer<int> a(in.first(), 10);
  const pinned_buffer<double> b(in.first(), 10);
  EXPECT_EQ(a.span().data()[9], -1);  // emulated device memory is host memory
  EXPECT_TRUE(b[9] != b[9]);
}

TEST(buffers, of_too_many_elements_are_refused) {
  subject in({.in_simulated_time = true});
  EXPECT_THROW(device_buffer<double>(in.first(), SIZE_MAX / 4), device_out_of_memory);
}

TEST(misuse, an_event_pool_does_not_go_before_its_events) {
  EXPECT_DEATH(
      {
        auto all = devices("emulated");
        std::optional<event_pool> pool(*all.front());
        const event left = pool->take();
        pool.reset();
      },
      "an event pool is destroyed before events of it");
}

#ifndef NDEBUG
TEST(misuse, of_what_was_moved_from_aborts) {
  subject in({.in_simulated_time = true});
  device_buffer<int> a(in.first(), 10);
  const device_buffer<int> b(std::move(a));
  EXPECT_DEATH(a.span(), "after it was moved from");  // NOLINT: that is the test
}

TEST(misuse, a_subspan_does_not_end_outside_of_its_span) {
  subject in({.in_simulated_time = true});
  device_buffer<int> a(in.first(), 10);
  pinned_buffer<int> b(in.first(), 10);
  EXPECT_EQ(a.span().subspan(10, 0).size() + b.span().subspan(3, 7).size(), 7U);
  EXPECT_DEATH(a.span().subspan(5, 6), "the subspan ends outside of the span");
  EXPECT_DEATH(b.span().subspan(11, 0), "the subspan ends outside of the span");
  EXPECT_DEATH(b.span().subspan(1, SIZE_MAX), "the subspan ends outside of the span");
}

TEST(misuse, a_device_does_not_go_before_its_events) {
  EXPECT_DEATH(
      {
        auto all = devices("emulated");
        const event_pool events(*all.front());
        all.clear();
      },
      "destroyed before event pools");
}

TEST(misuse, a_device_does_not_go_before_its_streams) {
  EXPECT_DEATH(
      {
        auto all = devices("emulated");
        const stream s(*all.front(), stream_priority::normal, "s");
        all.clear();
      },
      "destroyed before streams");
}
#endif

}  // namespace
}  // namespace imbrex::test
