// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/report.hpp>

#include <gtest/gtest.h>

#include <sstream>

#include <imbrex/tools/overlap/examples.test.hpp>

namespace imbrex::overlap {
namespace {

using nlohmann::ordered_json;

/// The cells after `beginning` in the report's line that starts with it.
std::vector<std::string> cells(const std::string& report, const std::string& beginning) {
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(beginning)) continue;
    std::istringstream rest(line.substr(beginning.size()));
    std::vector<std::string> found;
    for (std::string one; rest >> one;) found.push_back(one);
    return found;
  }
  return {};
}

TEST(report, has_the_tables_of_the_paper) {
  const std::string report = report_text(test::paper_programs(), {});
  using words = std::vector<std::string>;
  EXPECT_EQ(cells(report, "  POP          Q      2.13"),
            (words{"3.36", "0", "8.9", "2.2", "0", "2.8", "19.39"}));
  EXPECT_EQ(cells(report, "  HYCOM        ubavg  independent work"),
            (words{"0.043", "314.58", "483.04", "229.3", "98.585", "2.326"}));
  EXPECT_EQ(cells(report, "  Sweep3D      phijb  pipelined, out of pace"),
            (words{"0.045", "0", "0", "0", "4.0842", "0.000"}));
  EXPECT_EQ(cells(report, "  Sweep3D      phiib  4 "), (words{"5.25", "0", "4.2", "9.45"}));
  EXPECT_EQ(cells(report, "  Sweep3D                8"),
            (words{"2.590", "1.795", "16.874", "none", "38.6", "61.4", "0.0"}));
  for (const char* const title :
       {"table 3", "table 5", "figure 6", "figure 7", "figure 8", "figure 9", "figure 10"})
    EXPECT_NE(report.find(title), std::string::npos) << title;
}

TEST(report, has_all_in_json) {
  const survey over{.latencies = {microseconds(4)}, .bandwidths = {400, 5000}};
  const ordered_json report = report_json(test::paper_programs(), over);
  EXPECT_EQ(ordered_json::parse(report.dump()), report);  // all numbers are valid in JSON
  EXPECT_EQ(report["testbed"]["bandwidth_MBs"], 950);
  ASSERT_EQ(report["applications"].size(), 5U);
  const auto& hycom = report["applications"][0];
  EXPECT_EQ(hycom["name"], "HYCOM");
  EXPECT_EQ(hycom["data"][1]["independent_work_us"]["total"], 833);
  ASSERT_EQ(hycom["networks"].size(), 2U);
  EXPECT_EQ(hycom["networks"][0]["normalised_time_overlapped"], 1);
  EXPECT_NEAR(hycom["networks"][0]["normalised_time"].get<double>(), 1.265039, 1e-6);
  EXPECT_EQ(hycom["networks"][0]["hardest"], "ubavg");
  EXPECT_NEAR(hycom["testbed"]["normalised_overlap"].get<double>(), 2.325905, 1e-6);
  ASSERT_EQ(hycom["needs"].size(), 1U);
  EXPECT_NEAR(hycom["needs"][0]["hiding_bandwidth_MBs"].get<double>(), 398.828, 1e-3);
  EXPECT_EQ(hycom["data"][0]["elements"].size(), 100U);
  const auto& sweep = report["applications"][4];
  EXPECT_TRUE(sweep["needs"][0]["hiding_bandwidth_MBs"].is_null());
  ASSERT_EQ(sweep["data"][0]["elements"].size(), 10U);
  for (const auto& element : sweep["data"][0]["elements"])
    EXPECT_NEAR(element["t_us"].get<double>(), 9.45, 1e-12);
  EXPECT_EQ(sweep["data"][1]["keeps_pace"], false);
}

}  // namespace
}  // namespace imbrex::overlap
