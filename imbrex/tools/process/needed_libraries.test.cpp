// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/process/needed_libraries.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace imbrex::tools {
namespace {

/// The file of this process' loader.
std::string loader() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (const auto at = line.find('/'); at != std::string::npos && line.find("/ld-", at) != std::string::npos)
      return line.substr(at);
  return {};
}

TEST(needed_libraries, are_those_that_the_loader_finds) {
  const auto names = needed_libraries(loader(), std::filesystem::read_symlink("/proc/self/exe"));
  EXPECT_NE(std::ranges::find(names, "libc.so.6"), names.end());
  EXPECT_NE(std::ranges::find(names, "libm.so.6"), names.end());  // the library of C++ needs it
}

TEST(needed_libraries, are_none_where_nobody_can_tell) {
  EXPECT_TRUE(needed_libraries("/no/such/loader", "/proc/self/exe").empty());
  EXPECT_TRUE(needed_libraries(loader(), "/etc/passwd").empty());
}

}  // namespace
}  // namespace imbrex::tools
