// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/top_page.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/record/process_report.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/tools/report_metrics.hpp>
#include <imbrex/tools/top_command.hpp>
#include <imbrex/tools/who_command.hpp>

namespace imbrex::tools {
namespace {

using namespace std::chrono_literals;
using testing::error_of;

/// The report of a process with a PE that sleeps, one that works, and one that does not answer.
std::string example() {
  detail::process_report report{.process = 1, .processes = 2, .pid = 4711};
  report.pes.push_back({.pe = 2, .answers = true, .sleeps = true});
  report.pes.push_back({.pe = 3,
                        .answers = true,
                        .runs = "block::step",
                        .queued = 5,
                        .chares = 12,
                        .heaviest = {{"block(4)", 0.25}},
                        .waits = {{"block(0)", "halo", ""}, {"block(1)", "halo", ""}, {"a sentence", "", ""}},
                        .more_waits = 7});
  report.pes.push_back({.pe = 4, .runs = "block::spin", .busy = 1040ms});
  return report.json();
}

TEST(top_pages, show_pes_entries_and_waits) {
  top_page page;
  page.begin();
  page.add(example());
  page.begin();
  page.add(example());
  EXPECT_EQ(page.text(),
            "    PE    queued    chares  runs\n"
            "     2         0         0  sleeps\n"
            "     3         5        12  block::step\n"
            "     4         ?         ?  busy with block::spin\n"
            "\nfound running\n"
            "   33.3 %  block::spin\n"
            "   33.3 %  block::step\n"
            "\nheaviest chares, and their share of the work of their PE\n"
            "   25.0 %  block(4) on PE 3\n"
            "\nawaited by the first entries of each PE\n"
            "        2  halo\n");
}

TEST(report_metrics, are_figures_for_prometheus) {
  report_metrics metrics;
  metrics.add(example());
  const std::string text = metrics.text();
  const std::string labels = "{pid=\"4711\",process=\"1\",pe=";
  for (const std::string& line :
       {"# TYPE imbrex_pe_answers gauge\nimbrex_pe_answers" + labels + "\"2\"} 1\n",
        "imbrex_pe_answers" + labels + "\"4\"} 0\n", "imbrex_pe_sleeps" + labels + "\"2\"} 1\n",
        "imbrex_pe_queued_items" + labels + "\"3\"} 5\n", "imbrex_pe_waits" + labels + "\"3\"} 10\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  EXPECT_EQ(text.find("imbrex_pe_waits" + labels + "\"4\"}"), std::string::npos) << text;
}

TEST(report_metrics, refuse_what_is_no_report) {
  for (const std::string text : {"", "[]", "{\"pes\": [{}]}", "{\"pes\": [{\"pe\": 1, \"answers\": 3}]}"}) {
    report_metrics metrics;
    EXPECT_NE(error_of<error>([&] { metrics.add(text); }).find("no JSON that this imbrex knows"),
              std::string::npos);
    top_page page;
    EXPECT_NE(error_of<error>([&] { page.add(text); }).find("no JSON that this imbrex knows"),
              std::string::npos);
  }
}

TEST(commands_of_reports, refuse_what_is_no_process_id) {
  const auto refusal = [](auto parse, std::vector<std::string> words) {
    return error_of<usage_error>([&] { parse(words); });
  };
  EXPECT_EQ(refusal(&parse_who, {"x"}), "\"x\" is no process id, such as 4711");
  EXPECT_EQ(refusal(&parse_metrics, {"0"}), "\"0\" is no process id, such as 4711");
  EXPECT_EQ(refusal(&parse_top, {"1", "2"}), "give one process id, or none for all of your runs");
  EXPECT_EQ(refusal(&parse_top, {"-n", "0"}), "-n 0: give a number of pages from 1 on");
  EXPECT_EQ(std::get<who_settings>(parse_who(std::vector<std::string>{"--json", "4711"})).process, 4711);
}

}  // namespace
}  // namespace imbrex::tools
