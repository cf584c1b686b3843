// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/read_file.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>
#include <imbrex/testing/error_of.hpp>

namespace {

using imbrex::read_file;
using imbrex::test::temporary_file;
using imbrex::testing::error_of;

std::string problem_of(const std::string& file, std::size_t most = 1000) {
  return error_of<imbrex::error>([&] { read_file(file, most); });
}

TEST(read_file, gives_all_bytes) {
  const std::string text(200'000, 'x');
  EXPECT_EQ(read_file(temporary_file(text).name(), text.size()), text);
  EXPECT_EQ(read_file(temporary_file("").name(), 0), "");
  EXPECT_FALSE(read_file("/proc/self/status", 100'000).empty());
}

TEST(read_file, says_why_not) {
  EXPECT_EQ(problem_of("/nowhere/at/all"), "No such file or directory");
  EXPECT_EQ(problem_of("/tmp"), "Is a directory");
  EXPECT_EQ(problem_of(temporary_file(std::string(1001, 'x')).name()), "it has more than 1000 bytes");
}

TEST(read_file, reads_nothing_that_may_never_end) {
  EXPECT_EQ(problem_of("/dev/zero"), "it is no regular file");
  const temporary_file place("");
  ::unlink(place.name().c_str());
  ASSERT_EQ(::mkfifo(place.name().c_str(), 0600), 0);
  EXPECT_EQ(problem_of(place.name()), "it is no regular file");
}

}  // namespace
