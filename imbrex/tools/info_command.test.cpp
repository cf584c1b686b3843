// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/info_command.hpp>

#include <gtest/gtest.h>

#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::tools {
namespace {

using words = std::vector<std::string>;

info_settings settings(const words& line) { return std::get<info_settings>(parse_info(line)); }

std::string complaint(const words& line) {
  return testing::error_of<usage_error>([&] { parse_info(line); });
}

TEST(info_command, takes_the_options_of_the_runtime) {
  const info_settings request = settings(
      {"--pes", "3", "--json", "--device=emulated", "--device-map", "near", "--device-model", "v100"});
  EXPECT_TRUE(request.json);
  EXPECT_EQ(request.how.pes, 3);
  EXPECT_EQ(request.how.device, "emulated");
  EXPECT_EQ(request.how.map, device_map::near);
  EXPECT_EQ(request.how.device_model, "v100");
  EXPECT_FALSE(request.paths);
  EXPECT_FALSE(settings({}).json);
  EXPECT_TRUE(settings({"--paths"}).paths);
}

TEST(info_command, says_what_is_wrong_and_what_to_write) {
  const std::vector<std::pair<words, const char*>> wrong{
      {{"--jsn"}, "unknown option --jsn; did you mean --json?"},
      {{"--path"}, "unknown option --path; did you mean --paths?"},
      {{"--pse", "2"}, "did you mean --pes?"},
      {{"--pes", "0"}, "--pes 0: the number of PEs"},
      {{"--device-map", "far"}, "--device-map far: the value must be one of block, round-robin, near, none"},
      {{"--verbose"}, "unknown option --verbose; see imbrex info --help"},
      {{"--json", "./app"}, "unknown argument './app': imbrex info takes options only"},
      {{"--json=1"}, "--json=1: --json takes no value"},
      {{"--", "run"}, "unknown argument 'run'"},
  };
  for (const auto& [line, expected] : wrong)
    EXPECT_NE(complaint(line).find(expected), std::string::npos) << expected << ", got: " << complaint(line);
}

TEST(info_command, gives_help) {
  for (const char* ask : {"--help", "-h"}) {
    const auto help = std::get<std::string>(parse_info(words{"--pes", "2", ask}));
    EXPECT_NE(help.find("--json"), std::string::npos);
    EXPECT_NE(help.find("--device-map"), std::string::npos);
  }
}

}  // namespace
}  // namespace imbrex::tools
