// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/background_thread.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <system_error>

#include <imbrex/testing/error_of.hpp>

namespace {

using imbrex::testing::error_of;

bool blocks(int signal) {
  sigset_t now;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
  return ::sigismember(&now, signal) == 1;
}

TEST(background_thread, takes_no_signals_and_leaves_them_to_others) {
  bool blocked = false;
  imbrex::background_thread("of a test", [&blocked] { blocked = blocks(SIGTERM) && blocks(SIGPIPE); }).join();
  EXPECT_TRUE(blocked);
  EXPECT_FALSE(blocks(SIGTERM));
}

TEST(background_thread, says_what_it_was_for_if_there_can_be_none) {
  const std::string text = error_of<imbrex::error>([&] {
    imbrex::throw_no_thread("of PE 3", std::system_error(EAGAIN, std::generic_category()),
                            "lower --pes, or ");
  });
  EXPECT_TRUE(
      text.starts_with("cannot start the thread of PE 3: Resource temporarily unavailable; lower --pes, or "
                       "raise the limit of processes (ulimit -u"))
      << text;
}

}  // namespace
