// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/metrics/metrics_address.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::tools {
namespace {

TEST(metrics_address, has_a_host_and_a_port) {
  const auto own = parse_metrics_address("localhost:9100");
  EXPECT_EQ(own.host, "localhost");
  EXPECT_EQ(own.port, 9100);
  EXPECT_EQ(parse_metrics_address("[::1]:0").host, "::1");
  for (const std::string text : {"localhost:9100", "[::1]:0", "127.0.0.1:65535"})
    EXPECT_EQ(parse_metrics_address(text).text(), text);
}

TEST(metrics_address, says_what_is_wrong) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"", "the port is missing"},
      {"localhost", "the port is missing"},
      {"localhost:", "the port must be a number"},
      {"localhost:http", "the port must be a number"},
      {"localhost:65536", "the port must be a number"},
      {"localhost:-1", "the port must be a number"},
      {":9100", "the host is missing"},
      {"[]:9100", "the host is missing"},
      {"::1:9100", "stands in brackets, as in [::1]:9100"}};
  for (const auto& [text, expected] : wrong) {
    const std::string complaint = testing::error_of<usage_error>([&] { parse_metrics_address(text); });
    EXPECT_TRUE(complaint.starts_with("--metrics " + text + ": ")) << complaint;
    EXPECT_NE(complaint.find(expected), complaint.npos) << complaint;
    EXPECT_TRUE(complaint.ends_with("write HOST:PORT, such as --metrics 127.0.0.1:9100")) << complaint;
  }
}

}  // namespace
}  // namespace imbrex::tools
