// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/symmetric_heap.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <imbrex/resident/cells.test.hpp>
#include <imbrex/resident/devices.test.hpp>
#include <imbrex/resident/program.hpp>

namespace imbrex::resident::test {
namespace {

/// Tests with a parameter: the number of GPUs.
class resident_heap : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  settings chosen() const {
    settings s;
    s.pes = 2 * GetParam();
    return s;
  }

 private:
  const std::vector<std::unique_ptr<device>> devices_ = devices_here("emulated");

 protected:
  const symmetric_heap heap_{*devices_.front(), GetParam(), std::size_t{1} << 22U};
};
INSTANTIATE_TEST_SUITE_P(gpus, resident_heap, ::testing::Values(1U, 2U));

/// The next user of the program's memory in the heap must not meet its PEs there.
TEST_P(resident_heap, waits_for_the_run_of_a_program_that_is_destroyed) {
  constexpr std::uint64_t time = 200'000'000;
  const std::uint64_t begin = native_memory::now();
  {
    std::atomic<bool> is_there = false;
    program<teller> p(heap_, chosen(), {3});
    p.on<short_news>([&](std::uint32_t, std::uint32_t) {
      is_there = true;
      is_there.notify_one();
    });
    p.start<&teller::linger>(2, time);
    is_there.wait(false);
  }
  EXPECT_GE(native_memory::now() - begin, time);
  program<ring> q(heap_, chosen(), {5});
  EXPECT_EQ(q.run<&ring::token>(2, std::uint64_t{100}).value, 7U);
}

TEST_P(resident_heap, keeps_memory_that_is_destroyed_until_no_run_goes_on) {
  std::optional<symmetric_buffer<int>> first = heap_.make<int>(100);
  const std::uint64_t place = first->what().offset;
  program<teller> p(heap_, chosen(), {3});
  p.open();
  p.start<&teller::rest>(0);
  first.reset();
  EXPECT_NE(heap_.make<int>(100).what().offset, place);
  p.close();
  p.stream().synchronize();
  p.end();
  EXPECT_EQ(heap_.make<int>(100).what().offset, place);
}

}  // namespace
}  // namespace imbrex::resident::test
