// SPDX-License-Identifier: Apache-2.0
// Figures 8, 9 and 10. The paper prints no numbers for them; these were computed independently by its
// formulas.
#include <gtest/gtest.h>

#include <vector>

#include <imbrex/tools/overlap/examples.test.hpp>
#include <imbrex/tools/overlap/model.hpp>

namespace imbrex::overlap {
namespace {

using test::over;
using test::paper_program;

TEST(paper, figure_8) {
  struct times {
    const char* program;
    double bandwidth;
    double without;
    double with;
  };
  const std::vector<times> all{
      {"HYCOM", 1, 105.165379, 104.626816},   {"HYCOM", 10, 11.420711, 10.882148},
      {"HYCOM", 50, 3.087852, 2.549289},      {"HYCOM", 100, 2.046244, 1.507682},
      {"HYCOM", 200, 1.525440, 1.133601},     {"HYCOM", 400, 1.265039, 1.000000},
      {"HYCOM", 950, 1.114280, 1.000000},     {"HYCOM", 2000, 1.056717, 1.000000},
      {"HYCOM", 5000, 1.025469, 1.000000},    {"POP", 1, 185.361093, 184.005722},
      {"POP", 10, 24.242212, 22.886840},      {"POP", 50, 9.920534, 8.565162},
      {"POP", 100, 8.130324, 6.774952},       {"POP", 200, 7.235219, 6.085823},
      {"POP", 400, 6.787667, 6.085823},       {"POP", 950, 6.528558, 6.085823},
      {"POP", 2000, 6.429625, 6.085823},      {"POP", 5000, 6.375919, 6.085823},
      {"SAGE", 1, 53.306975, 52.958580},      {"SAGE", 10, 6.282984, 5.934588},
      {"SAGE", 50, 2.103073, 1.754678},       {"SAGE", 100, 1.580585, 1.232189},
      {"SAGE", 200, 1.319340, 1.057379},      {"SAGE", 400, 1.188718, 1.057379},
      {"SAGE", 950, 1.113095, 1.057379},      {"SAGE", 2000, 1.084220, 1.057379},
      {"SAGE", 5000, 1.068546, 1.057379},     {"SAGE-AMR", 1, 111.922137, 111.588332},
      {"SAGE-AMR", 10, 12.124013, 11.790207}, {"SAGE-AMR", 50, 3.253069, 2.919263},
      {"SAGE-AMR", 100, 2.144201, 1.810395},  {"SAGE-AMR", 200, 1.589767, 1.255961},
      {"SAGE-AMR", 400, 1.312550, 1.034896},  {"SAGE-AMR", 950, 1.152056, 1.034896},
      {"SAGE-AMR", 2000, 1.090776, 1.034896}, {"SAGE-AMR", 5000, 1.057510, 1.034896},
      {"Sweep3D", 1, 17.666667, 16.729167},   {"Sweep3D", 10, 3.380952, 2.443452},
      {"Sweep3D", 50, 2.111111, 1.555556},    {"Sweep3D", 100, 1.952381, 1.476190},
      {"Sweep3D", 200, 1.873016, 1.436508},   {"Sweep3D", 400, 1.833333, 1.416667},
      {"Sweep3D", 950, 1.810359, 1.405180},   {"Sweep3D", 2000, 1.801587, 1.400794},
      {"Sweep3D", 5000, 1.796825, 1.398413},
  };
  for (const times& one : all) {
    const application& program = paper_program(one.program);
    EXPECT_NEAR(normalised_time(program, over(4, one.bandwidth)), one.without, 1e-6);
    EXPECT_NEAR(normalised_time_overlapped(program, over(4, one.bandwidth)), one.with, 1e-6);
  }
}

TEST(paper, figure_9) {
  struct needs {
    const char* program;
    double latency;
    double bandwidth;
  };
  const std::vector<needs> all{
      {"HYCOM", 1, 315.048},    {"HYCOM", 2, 312.854},    {"HYCOM", 4, 308.557},    {"HYCOM", 8, 300.307},
      {"POP", 1, 130.877},      {"POP", 2, 128.683},      {"POP", 4, 128.683},      {"POP", 8, 128.683},
      {"SAGE", 1, 145.603},     {"SAGE", 2, 145.603},     {"SAGE", 4, 145.603},     {"SAGE", 8, 145.603},
      {"SAGE-AMR", 1, 311.494}, {"SAGE-AMR", 2, 311.494}, {"SAGE-AMR", 4, 311.494}, {"SAGE-AMR", 8, 311.494},
      {"Sweep3D", 1, 77.519},   {"Sweep3D", 2, 39.370},   {"Sweep3D", 4, 19.841},   {"Sweep3D", 8, 16.874},
  };
  for (const needs& one : all) {
    const double found = equal_bandwidth(paper_program(one.program), over(one.latency, 5000));
    EXPECT_NEAR(found, one.bandwidth, 0.0006) << one.program;
    EXPECT_LE(found, 500);  // "an order of magnitude lower"
  }
}

TEST(paper, figure_10) {
  struct spent {
    const char* program;
    double latency;
    shares percent;
  };
  const std::vector<spent> all{
      {"HYCOM", 1, {97.848, 2.152, 0.000}},    {"HYCOM", 2, {97.737, 2.263, 0.000}},
      {"HYCOM", 4, {97.516, 2.484, 0.000}},    {"HYCOM", 8, {97.077, 2.923, 0.000}},
      {"POP", 1, {42.179, 4.192, 53.629}},     {"POP", 2, {26.984, 4.397, 68.619}},
      {"POP", 4, {15.684, 4.550, 79.766}},     {"POP", 8, {8.535, 4.647, 86.818}},
      {"SAGE", 1, {97.563, 1.037, 1.400}},     {"SAGE", 2, {96.200, 1.040, 2.760}},
      {"SAGE", 4, {93.585, 1.045, 5.370}},     {"SAGE", 8, {88.759, 1.055, 10.186}},
      {"SAGE-AMR", 1, {96.992, 2.162, 0.846}}, {"SAGE-AMR", 2, {96.168, 2.154, 1.678}},
      {"SAGE-AMR", 4, {94.562, 2.138, 3.300}}, {"SAGE-AMR", 8, {91.504, 2.109, 6.386}},
      {"Sweep3D", 1, {83.223, 16.777, 0.000}}, {"Sweep3D", 2, {71.429, 28.571, 0.000}},
      {"Sweep3D", 4, {55.654, 44.346, 0.000}}, {"Sweep3D", 8, {38.603, 61.397, 0.000}},
  };
  for (const spent& one : all) {
    const shares found = breakdown(paper_program(one.program), over(one.latency, 5000));
    EXPECT_NEAR(found.computation, one.percent.computation, 0.0006);
    EXPECT_NEAR(found.point_to_point, one.percent.point_to_point, 0.0006);
    EXPECT_NEAR(found.collectives, one.percent.collectives, 0.0006);
  }
}

}  // namespace
}  // namespace imbrex::overlap
