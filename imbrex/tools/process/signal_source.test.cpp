// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

#include <imbrex/tools/process/signal_source.hpp>

namespace imbrex::tools {

TEST(signal_source_death_test, ignores_warnings_that_come_too_late) {
  const auto warn = [] {
    {
      const signal_source all({}, {SIGUSR2});
      ::raise(SIGUSR2);
    }
    ::raise(SIGUSR2);
    ::_exit(0);
  };
  EXPECT_EXIT(warn(), ::testing::ExitedWithCode(0), "");
}

}  // namespace imbrex::tools
