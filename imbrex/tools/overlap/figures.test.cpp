// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/figures.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>

#include <imbrex/tools/overlap/examples.test.hpp>
#include <imbrex/tools/overlap/panel.hpp>

namespace imbrex::overlap {
namespace {

std::size_t count(const std::string& in, const std::string& what) {
  std::size_t found = 0;
  for (auto at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) ++found;
  return found;
}

/// The first fault of a picture (unmatched tags, invalid numbers); empty if there is none.
std::string flaw(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    const std::size_t end = svg.find('>', at);
    if (end == std::string::npos || svg.find('<', at + 1) < end) return "a tag is not closed";
    const std::string tag = svg.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find(' '));
    if (name.starts_with('/')) {
      if (open.empty() || open.back() != name.substr(1)) return "</" + name + " closes nothing";
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(name);
    }
  }
  for (const char* const word : {"nan", "inf"})
    for (auto at = svg.find(word); at != std::string::npos; at = svg.find(word, at + 1))
      if (std::isalpha(static_cast<unsigned char>(svg[at - 1])) == 0) return word;
  return open.empty() ? "" : "<" + open.back() + "> is left open";
}

std::map<std::string, std::string> drawn(std::span<const application> of, const survey& over) {
  std::map<std::string, std::string> all;
  for (const figure& one : draw_figures(of, over)) all[one.file] = one.svg;
  return all;
}

TEST(figures, show_all_programs_and_networks) {
  auto all = drawn(test::paper_programs(), {});
  ASSERT_EQ(all.size(), 5U);
  for (const auto& [file, svg] : all) {
    EXPECT_EQ(flaw(svg), "") << file;
    for (const application& program : test::paper_programs())
      if (file != "figure7.svg") {
        EXPECT_NE(svg.find(program.name), std::string::npos) << file;
      }
  }
  EXPECT_EQ(count(all["figure6.svg"], "stroke-width=\"2\""), 5U * 4 + 4);  // with the legend
  EXPECT_NE(all["figure6.svg"].find("testbed 2.326"), std::string::npos);
  EXPECT_NE(all["figure7.svg"].find("Sweep3D, phiib"), std::string::npos);
  EXPECT_EQ(all["figure7.svg"].find("HYCOM"), std::string::npos);
  EXPECT_EQ(count(all["figure7.svg"], "<rect"), 1U + 2 * 10);
  EXPECT_EQ(count(all["figure8.svg"], "stroke-width=\"2\""), 5U * 2 + 2);
  EXPECT_NE(all["figure9.svg"].find(">77.52<"), std::string::npos);
  EXPECT_EQ(count(all["figure9.svg"], "<rect"), 1U + 5 * 4);
  EXPECT_EQ(count(all["figure10.svg"], "<rect"), 1U + 5 * 4 * 3);
}

TEST(figures, stand_extremes) {
  application smallest{.name = "a<&>\"'", .computation = microseconds(1e-6)};
  smallest.data.resize(1);
  smallest.data[0] = {.name = "d",
                      .produce_period = microseconds(1e-9),
                      .consume_period = microseconds(1e-9),
                      .produced = 1,
                      .consumed = 1};
  application largest{.name = std::string(60, 'w'),
                      .computation = microseconds(1e12),
                      .processors = 1'000'000'000,
                      .collectives = 1'000'000'000};
  largest.data.resize(1);
  largest.data[0] = {.name = "d",
                     .produce_period = microseconds(1e9),
                     .consume_period = microseconds(1e9),
                     .produced = 1'000'000'000'000'000,
                     .consumed = 1'000'000'000'000'000,
                     .sent = 1'000'000'000'000'000,
                     .dependent_work = true};
  const survey one{.latencies = {microseconds(0.001)}, .bandwidths = {1e-6}};
  const survey many{.latencies = std::vector<microseconds>(100, microseconds(6e7)),
                    .bandwidths = {1e-6, 9e12}};
  for (const survey& over : {one, many, survey()})
    for (const auto& of : {std::vector{smallest}, std::vector{largest}, std::vector{smallest, largest}})
      for (const auto& [file, svg] : drawn(of, over)) EXPECT_EQ(flaw(svg), "") << file;
}

TEST(figures, escape_names) {
  application program{.name = "a<b>&c"};
  program.data.resize(1);
  program.data[0].produce_period = program.data[0].consume_period = microseconds(1);
  for (const auto& [file, svg] : drawn(std::vector{program}, {})) {
    EXPECT_EQ(svg.find("a<b"), std::string::npos) << file;
    EXPECT_NE(svg.find("a&lt;b&gt;&amp;c"), std::string::npos) << file;
  }
}

TEST(figures, axes_have_a_few_round_numbers) {
  EXPECT_EQ(linear_axis("", 0, 12).ticks(), (std::vector<double>{0, 2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(linear_axis("", 0, 100).ticks(), (std::vector<double>{0, 20, 40, 60, 80, 100}));
  EXPECT_EQ(log_axis("", 1, 5000).ticks(), (std::vector<double>{1, 10, 100, 1000}));
  EXPECT_EQ(log_axis("", 1, 60).ticks(), (std::vector<double>{1, 2, 5, 10, 20, 50}));
  for (const double high : {1e-9, 3.3, 7e5, 1e30}) {
    EXPECT_GE(linear_axis("", 0, high).ticks().size(), 2U);
    EXPECT_LE(linear_axis("", 0, high).ticks().size(), 8U);
    EXPECT_LE(log_axis("", 1e-9, high).ticks().size(), 10U);
  }
  EXPECT_DOUBLE_EQ(log_axis("", 1, 100).part(10), 0.5);
  EXPECT_DOUBLE_EQ(linear_axis("", 0, 4).part(1), 0.25);
  EXPECT_DOUBLE_EQ(linear_axis("", 0, 4).part(9), 1);
  EXPECT_EQ(linear_axis("", 0, 0).part(0), 0);
  EXPECT_GT(log_axis("", 3, 3).high, log_axis("", 3, 3).low);
}

}  // namespace
}  // namespace imbrex::overlap
