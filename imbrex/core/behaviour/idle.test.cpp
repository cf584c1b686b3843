// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <chrono>

#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::idle_test {

std::chrono::microseconds processor_time() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return std::chrono::seconds(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         std::chrono::microseconds(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

TEST(idle, a_waiting_program_uses_under_one_percent_of_a_core) {
  for (const int pes : {1, 4}) {
    std::chrono::microseconds used{};
    EXPECT_EQ(run(threads(pes),
                  [&used]() -> task<> {
                    co_await sleep_for(std::chrono::milliseconds(20));  // the other PEs sleep by now
                    const auto before = processor_time();
                    co_await sleep_for(std::chrono::seconds(1));
                    used = processor_time() - before;
                  }),
              0);
    EXPECT_LT(used, std::chrono::milliseconds(10)) << "with " << pes << " PEs";
  }
}

}  // namespace imbrex::idle_test
