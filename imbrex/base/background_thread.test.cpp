// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/background_thread.hpp>

#include <gtest/gtest.h>

namespace {

bool blocks(int signal) {
  sigset_t now;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
  return ::sigismember(&now, signal) == 1;
}

TEST(background_thread, takes_no_signals_and_leaves_them_to_others) {
  bool blocked = false;
  imbrex::background_thread([&blocked] { blocked = blocks(SIGTERM) && blocks(SIGPIPE); }).join();
  EXPECT_TRUE(blocked);
  EXPECT_FALSE(blocks(SIGTERM));
}

}  // namespace
