// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/program.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/trace/reader.hpp>

#include "apps/sweep/reference.hpp"

namespace sweep {
namespace {

struct outcome {
  int status;
  std::string output, errors;
};

outcome run(std::vector<std::string> words) {
  words.insert(words.begin(), {"sweep", "--log", "error"});  // no warning that PEs outnumber the processors
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = program(int(words.size()), arguments.data());
  std::string output = testing::internal::GetCapturedStdout();
  return {status, std::move(output), testing::internal::GetCapturedStderr()};
}

outcome run_checked(std::vector<std::string> words) {
  words.push_back("--check");
  outcome seen = run(words);
  std::string line;
  for (const auto& word : words) line += word + " ";
  EXPECT_EQ(seen.status, 0) << line << "\n" << seen.errors;
  EXPECT_EQ(seen.errors, "") << line;
  EXPECT_NE(seen.output.find("cells equal, bit for bit"), std::string::npos) << line << "\n" << seen.output;
  return seen;
}

std::vector<nlohmann::json> json_of(std::vector<std::string> words) {
  const std::string path = testing::TempDir() + "sweep." + std::to_string(::getpid()) + ".json";
  words.insert(words.end(), {"--json", path, "--quiet"});
  const outcome seen = run(words);
  EXPECT_EQ(seen.status, 0) << seen.errors;
  EXPECT_EQ(seen.output + seen.errors, "");
  std::vector<nlohmann::json> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
  file.close();
  std::remove(path.c_str());
  return lines;
}

TEST(sweep, is_equal_bit_for_bit_however_it_is_cut_and_run) {
  std::mt19937 random(7);
  const auto number = [&](int low, int high) {
    return std::to_string(low + int(random() % unsigned(high - low + 1)));
  };
  for (int i = 0; i < 80; ++i) {
    const std::string grid = number(4, 9) + "," + number(3, 9) + "," + number(1, 12);
    std::vector<std::string> words{
        "--grid",     grid,      "--angles-per-octant", number(1, 12), "--planes",  number(1, 7), "--angles",
        number(1, 9), "--iters", number(1, 3),          "--warmup",    number(0, 2)};
    if (i % 3 == 0)
      words.insert(words.end(), {"--pes", number(1, 5), "--chares", number(1, 4) + "," + number(1, 3)});
    else
      words.insert(words.end(), {"--pes", number(1, 2), "--odf", "1,2"});
    if (i % 2 == 0) words.insert(words.end(), {"--machine", "deterministic", "--seed", number(0, 999)});
    if (i % 4 == 1) words.insert(words.end(), {"--shuffle", number(0, 999)});
    if (i % 8 == 3) words.insert(words.end(), {"--machine", "simulated", "--net-latency", "5us"});
    if (i % 8 < 2) words.push_back("--serialize-always");
    if (i % 5 == 4) words.insert(words.end(), {"--tolerance", "1e-1"});
    if (i % 7 < 4)
      words.insert(words.end(), {"--balance", i % 7 < 2 ? "random" : "rotate", "--balance-every", "1"});
    run_checked(words);
  }
}

TEST(sweep, is_equal_with_one_to_nine_chares_a_pe_and_blocks_that_do_not_divide) {
  for (const char* machine : {"threads", "deterministic", "simulated"})
    run_checked({"--grid", "7,5,3", "--angles-per-octant", "5", "--planes", "2", "--angles", "3", "--pes",
                 "1", "--odf", "1,2,3,4,5,6,7,8,9", "--machine", machine});
  run_checked({"--grid", "7,5,3", "--planes", "2", "--angles", "4", "--pes", "2", "--odf", "1,2,3,4,5,6,7"});
  run_checked({"--grid", "1,1,1", "--angles-per-octant", "1", "--pes", "1"});
}

TEST(sweep, is_equal_with_columns_of_one_cell_on_a_slow_network) {
  run_checked({"--grid", "4,3,5", "--chares", "4,3", "--pes", "3", "--net-latency", "20us"});
}

TEST(sweep, table_has_a_row_for_each_factor) {
  const outcome seen =
      run_checked({"--grid", "17,9,23", "--pes", "2", "--odf", "1,2,3", "--planes", "1", "--spin", "1us"});
  EXPECT_EQ(seen.output.find("Sweep: 17x9x23 cells, 6 angles in each octant, at most 1 plane and 3 angles a "
                             "step, 2 PEs, machine threads, 4 iterations after 1 of warm-up\n"
                             "a step takes at least 1us\n"),
            0U)
      << seen.output;
  EXPECT_NE(seen.output.find("\n     1      2x1        9x9 "), std::string::npos) << seen.output;
  EXPECT_NE(seen.output.find("\n     3      3x2        6x5 "), std::string::npos) << seen.output;
  EXPECT_NE(seen.output.find("\ncheck: all 3519 cells equal, bit for bit\n"), std::string::npos)
      << seen.output;
}

TEST(sweep, json_tells_all_and_every_cut_gives_the_same) {
  const auto lines = json_of({"--grid", "17,9,23", "--pes", "2", "--odf", "1,2,5", "--iters", "3", "--warmup",
                              "1", "--angles-per-octant", "4", "--spin", "1us", "--check"});
  ASSERT_EQ(lines.size(), 3U);
  serial_solver expected({17, 9, 23}, 4);
  expected.advance_to(4);
  for (const auto& line : lines) {
    EXPECT_EQ(line.size(), 18U);
    EXPECT_EQ(line["app"], "sweep");
    EXPECT_EQ(line["grid"], (std::vector<int>{17, 9, 23}));
    EXPECT_EQ(line["pes"], 2);
    EXPECT_EQ(line["processes"], 1);
    EXPECT_EQ(line["angles_per_octant"], 4);
    EXPECT_EQ(line["planes"], 8);
    EXPECT_EQ(line["angles"], 3);
    EXPECT_EQ(line["spin_us"], 1.0);
    EXPECT_EQ(line["iters"], 3);
    EXPECT_GT(line["us_per_iter"], 0.0);
    EXPECT_NEAR(line["grind_ns"].get<double>(),
                line["us_per_iter"].get<double>() * 1e3 / (17 * 9 * 23 * 8 * 4), 1e-9);
    EXPECT_EQ(std::stoull(line["checksum"].get<std::string>(), nullptr, 16), expected.checksum());
    EXPECT_EQ(line["residual"], expected.residual());
    EXPECT_EQ(line["max_abs_error"], 0.0);
    EXPECT_EQ(line["machine"], "threads");
  }
  EXPECT_EQ(lines[2]["odf"], 5);
  EXPECT_EQ(lines[2]["chares"], (std::vector<int>{5, 2}));
}

TEST(sweep, stops_in_the_iteration_that_meets_the_tolerance_with_particles_in_balance) {
  const auto lines = json_of({"--grid", "9,7,11", "--pes", "2", "--odf", "3", "--iters", "500", "--warmup",
                              "2", "--tolerance", "1e-12"});
  serial_solver expected({9, 7, 11}, 6);
  expected.advance_to(3);
  int iterations = 1;
  for (; expected.residual() >= 1e-12; ++iterations) expected.advance_to(iterations + 3);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["iters"], iterations);
  EXPECT_LT(lines[0]["residual"], 1e-12);
  EXPECT_LT(lines[0]["balance_error"], 1e-10);
  EXPECT_TRUE(lines[0]["max_abs_error"].is_null());
}

TEST(sweep, particles_are_not_in_balance_before_it_has_converged) {
  const auto lines = json_of({"--grid", "9,7,11", "--pes", "1", "--iters", "1", "--warmup", "0"});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_GT(lines[0]["balance_error"], 1e-2);
}

// Hoisie, Lubeck and Wasserman (2000): 2 (Px - 1) + 4 (Py - 1) steps in addition to the steps of one column.
// They fill the pipeline, at first and whenever the next octants enter at another corner.
TEST(sweep, takes_the_steps_of_a_pipeline_in_simulated_time) {
  for (const auto& [px, py] : {std::pair(1, 1), std::pair(4, 1), std::pair(1, 4), std::pair(3, 4)}) {
    const auto lines =
        json_of({"--grid", "8,8,16", "--planes", "2", "--angles", "2", "--pes", std::to_string(px * py),
                 "--chares", std::to_string(px) + "," + std::to_string(py), "--iters", "1", "--spin", "1s",
                 "--machine", "simulated"});
    ASSERT_EQ(lines.size(), 1U);
    const double steps = 8 * 8 * 3 + 2 * (px - 1) + 4 * (py - 1);
    EXPECT_NEAR(lines[0]["us_per_iter"].get<double>() / 1e6, steps, 0.01) << px << " x " << py;
  }
}

TEST(sweep, timed_iterations_are_a_phase_of_the_trace) {
  const std::string file = testing::TempDir() + "sweep." + std::to_string(::getpid()) + ".trace";
  run_checked({"--grid", "5,4,3", "--pes", "2", "--iters", "3", "--trace", file});
  imbrex::trace::reader source(file);
  std::vector<std::pair<imbrex::trace::record_kind, std::uint64_t>> records;
  for (auto piece = source.next(); !piece.records.empty(); piece = source.next())
    for (const auto& record : piece.records)
      if (record.kind == imbrex::trace::record_kind::phase_begin ||
          record.kind == imbrex::trace::record_kind::phase_end)
        records.emplace_back(record.kind, record.a);
  const decltype(records) expected{{imbrex::trace::record_kind::phase_begin, 3U},
                                   {imbrex::trace::record_kind::phase_end, 3U}};
  EXPECT_EQ(records, expected);
  std::remove(file.c_str());
}

TEST(sweep, wrong_command_lines_end_with_status_2_and_one_line) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--gird", "8,8,8"}, "did you mean --grid?"},
      {{"--pes", "0"}, "--pes 0"},
      {{"--planes", "0"}, "--planes '0'"},
      {{"--grid", "2,2,9", "--pes", "2", "--odf", "5"}, "10 columns"},
      {{"--grid", "2,2,9", "--chares", "3,1"}, "--chares '3,1'"},
      {{"--grid", "100000,100000,100000"}, "of memory"},
      {{"--grid", "8,8,8", "--pes", "2", "--json", "/nonexistent/lines"}, "/nonexistent/lines"},
  };
  for (const auto& [words, text] : cases) {
    const outcome seen = run(words);
    EXPECT_EQ(seen.status, 2) << text;
    EXPECT_EQ(seen.output, "") << text;
    EXPECT_NE(seen.errors.find(text), std::string::npos) << seen.errors;
    EXPECT_EQ(seen.errors.find("sweep: error: "), 0U) << seen.errors;
    EXPECT_EQ(seen.errors.find('\n'), seen.errors.size() - 1) << seen.errors;
  }
}

TEST(sweep, help_ends_with_status_0) {
  const outcome seen = run({"--help"});
  EXPECT_EQ(seen.status, 0);
  EXPECT_NE(seen.output.find("--angles-per-octant"), std::string::npos);
}

}  // namespace
}  // namespace sweep
