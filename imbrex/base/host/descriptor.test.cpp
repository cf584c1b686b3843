// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/descriptor.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <filesystem>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace {

using imbrex::testing::error_of;

std::string link_target(int number) {
  std::error_code is_closed;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(number), is_closed).string();
}

TEST(descriptor, standard_ones_that_are_closed_are_opened_on_nothing) {
  constexpr std::array standard{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  for (const int only : {-1, STDIN_FILENO, STDOUT_FILENO}) {  // the closed one; -1: all of them
    std::array<int, 3> saved{};
    std::array<std::string, 3> before;
    std::array<std::string, 3> after;
    for (const int number : standard) {
      const auto i = static_cast<std::size_t>(number);
      saved[i] = ::fcntl(number, F_DUPFD_CLOEXEC, 10);
      before[i] = link_target(number);
    }
    for (const int number : standard)
      if (only < 0 || only == number) ::close(number);
    imbrex::open_standard_descriptors();
    for (const int number : standard) after[static_cast<std::size_t>(number)] = link_target(number);
    for (const int number : standard) {
      const int kept = saved[static_cast<std::size_t>(number)];
      ::dup2(kept, number);
      ::close(kept);
    }
    for (const int number : standard) {
      const auto i = static_cast<std::size_t>(number);
      EXPECT_EQ(after[i], only < 0 || only == number ? "/dev/null" : before[i]) << number;
    }
  }
}

TEST(descriptor, too_few_are_an_error_that_names_the_limit) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{64, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  EXPECT_NO_THROW(imbrex::require_descriptors(10, "it is a test"));
  const std::string text = error_of<imbrex::error>([&] { imbrex::require_descriptors(64, "it is a test"); });
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_NE(text.find("it is a test, and this process may have 64, of which "), text.npos) << text;
  EXPECT_NE(text.find("(ulimit -n)"), text.npos) << text;
}

}  // namespace
