// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/tools/flow/evaluate.hpp>
#include <imbrex/tools/predict/predictor.hpp>

namespace imbrex::predict {
namespace {

using testing::error_of;
using words = std::vector<std::string>;

settings parse(const words& line) { return std::get<settings>(parse_command(line)); }
std::string complaint(const words& line) {
  return error_of<usage_error>([&] { parse_command(line); });
}

TEST(predict_command, takes_a_program_and_its_machine) {
  const settings all =
      parse({"--machine", "summit", "--nodes", "8,1,64", "--odf", "2,1", "--steps", "--iters 4", "--at",
             "8 --grid 2,2,2", "--sweep", "link.card=x2,23GB/s", "--", "./app", "--grid", "1,1,1"});
  EXPECT_EQ(all.nodes, (std::vector<int>{1, 8, 64}));
  EXPECT_EQ(all.odf, (std::vector<int>{1, 2}));
  EXPECT_EQ(all.node_pes, 6);
  EXPECT_EQ(all.step_option, "--iters");
  EXPECT_EQ(all.steps, 4);
  EXPECT_EQ(all.at.at(0).words, (words{"--grid", "2,2,2"}));
  EXPECT_EQ(all.sweeps.at(0).number, "link.card");
  EXPECT_EQ(all.sweeps.at(0).values, (words{"x2", "23GB/s"}));
  EXPECT_EQ(all.program_arguments, (words{"--grid", "1,1,1"}));
  EXPECT_TRUE(all.asks_what_if);
  EXPECT_FALSE(all.executes_all);
  EXPECT_TRUE(parse({"--machine", "summit", "--nodes", "1", "--executed", "a"}).executes_all);
  EXPECT_EQ(parse({"--machine", "v100", "--node-pes", "4", "--nodes", "2", "a"}).node_pes, 4);
}

TEST(predict_command, refuses_impossible_values_with_the_remedy) {
  const std::vector<std::pair<words, std::string>> wrong{
      {{"--nodes", "1", "a"}, "--machine"},
      {{"--machine", "summit", "a"}, "--nodes"},
      {{"--machine", "summit", "--nodes", "0", "a"}, "from 1"},
      {{"--machine", "summit", "--nodes", "1,,2", "a"}, "empty"},
      {{"--machine", "summit", "--nodes", "2,2", "a"}, "twice"},
      {{"--machine", "summit", "--nodes", "65536", "a"}, "65536 PEs"},
      {{"--machine", "sumit", "--nodes", "1", "a"}, "sumit"},
      {{"--machine", "v100", "--nodes", "1", "a"}, "--node-pes"},
      {{"--machine", "summit", "--nodes", "1"}, "no program"},
      {{"--machine", "summit", "--nodes", "1", "--odf", "x", "a"}, "--odf"},
      {{"--machine", "summit", "--nodes", "1", "--steps", "4", "a"}, "--iters 4"},
      {{"--machine", "summit", "--nodes", "1", "--steps", "--iters x", "a"}, "--iters x"},
      {{"--machine", "summit", "--nodes", "1", "--at", "2 --grid 3", "a"}, "--nodes does not have"},
      {{"--machine", "summit", "--nodes", "1", "--sweep", "link.card", "a"}, "TABLE.KEY"},
      {{"--machine", "summit", "--nodes", "1", "--sweep", "link.crad=x2", "a"}, "link.card"},
      {{"--machine", "summit", "--nodes", "1", "a", "--pes", "3"}, "--pes"}};
  for (const auto& [line, part] : wrong) {
    const std::string text = complaint(line);
    EXPECT_NE(text.find(part), std::string::npos) << part << ": " << text;
  }
}

/// A program whose time follows a formula.
class formula final : public simulated_program {
 public:
  using function = std::function<double(const device_model& machine, int pes, int odf, int steps)>;
  explicit formula(function time) : time_(std::move(time)) {}

  tune::observation run(const tune::arguments& options, const tune::arguments& line, nanoseconds) override {
    lines.push_back(line);
    const auto number = [&](const tune::arguments& in, const char* option) {
      return parse_number<int>(tune::value_of(in, option).value_or("1")).value_or(0);
    };
    const device_model machine = find_device_model(tune::value_of(options, "--device-model").value());
    const double time =
        time_(machine, number(options, "--pes"), number(line, "--odf"), number(line, "--iters"));
    if (time < 0) return {.failure = "ended with status 3"};
    return {.time = nanoseconds(std::llround(time)), .simulated_time = true};
  }
  std::string help() override { return help_text; }

  std::vector<tune::arguments> lines;
  std::string help_text = "--odf N";

 private:
  function time_;
};

constexpr double work = 1e9;  // ns of one PE

settings request_for(std::vector<int> nodes, std::vector<int> odf) {
  settings request{.program = "app", .machine = "summit", .node_pes = 6};
  request.nodes = std::move(nodes);
  request.odf = std::move(odf);
  request.step_option = "--iters";
  request.steps = 3;
  return request;
}

TEST(predict, finds_the_time_of_a_step_without_the_beginning) {
  formula program([](const device_model&, int pes, int, int steps) { return 5e6 + steps * work / pes; });
  const prediction found = predict_all(request_for({1, 4}, {1}), program);
  ASSERT_EQ(found.points.size(), 2U);
  EXPECT_NEAR(found.points[0].time, work / 6, 1);
  EXPECT_NEAR(found.points[1].time, work / 24, 1);
  EXPECT_EQ(found.points[1].pes, 24);
  EXPECT_EQ(
      advice(found).at(0),
      "The program scales to 4 nodes: 4 nodes are 4.00 times as fast as 1 node, an efficiency of 100 %.");
  EXPECT_EQ(advice(found).at(1),
            "On 4 nodes no part of the machine bounds alone: none that is twice as good brings 5 %.");
}

/// Computation that halves with the PEs, messages that do not, and an overhead of the objects.
double halo(const device_model& m, int pes, int odf, int steps) {
  const double computation = work / pes;
  const double message = 2e17 / static_cast<double>(m.link.card);
  const double exposed = odf == 1 ? message : std::max(0.0, message - computation / 2);
  return steps * (computation + exposed + 1e5 * odf);
}

TEST(predict, says_which_odf_is_best_and_what_bounds) {
  formula program(halo);
  settings request = request_for({1, 8, 64}, {1, 2, 4});
  request.sweeps = {{"link.card", {"x2", "x4"}}};
  const prediction found = predict_all(request, program);
  EXPECT_EQ(best_on(found, 1)->odf, 2);
  EXPECT_EQ(best_on(found, 64)->odf, 2);
  const auto& gains = found.what_ifs.at(64);
  ASSERT_FALSE(gains.empty());
  EXPECT_EQ(gains.front().part, "the network's rate");
  EXPECT_GT(gains.front().gain, 1.5);
  const auto sentences = advice(found);
  ASSERT_EQ(sentences.size(), 3U);
  EXPECT_NE(sentences[0].find("ODF 2"), std::string::npos) << sentences[0];
  EXPECT_NE(sentences[1].find("Use at most 8 nodes"), std::string::npos) << sentences[1];
  EXPECT_NE(sentences[2].find(
                "On 64 nodes the limit is the network's rate: twice the rate of the network would bring"),
            std::string::npos)
      << sentences[2];
  ASSERT_EQ(found.sweeps.size(), 2U);
  EXPECT_LT(found.sweeps[1].times[2], found.sweeps[0].times[2]);
  EXPECT_LT(found.sweeps[0].times[2], best_on(found, 64)->time);
  const std::string text = report_text(found);
  EXPECT_NE(text.find("twice the rate of the network"), std::string::npos) << text;
  EXPECT_NE(text.find("link.card = x4"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(report_json(found));
  EXPECT_EQ(json.at("points").size(), 9U);
  EXPECT_EQ(json.at("sweeps").size(), 6U);
  const std::string svg = picture(found);
  EXPECT_NE(svg.find("ODF 4"), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
}

TEST(predict, keeps_failures_apart) {
  formula program([](const device_model& m, int pes, int odf, int steps) {
    return odf == 4 && pes > 6 ? -1 : halo(m, pes, odf, steps);
  });
  settings request = request_for({1, 8}, {1, 4});
  request.asks_what_if = false;
  const prediction found = predict_all(request, program);
  EXPECT_EQ(found.points[3].failure, "ended with status 3");
  EXPECT_EQ(best_on(found, 8)->odf, 1);
  EXPECT_NE(report_text(found).find("ended with status 3"), std::string::npos);
  formula none([](const device_model&, int, int, int) { return -1.0; });
  EXPECT_NE(error_of<error>([&] { predict_all(request, none); }).find("ended with status 3"),
            std::string::npos);
  formula constant([](const device_model&, int, int, int) { return 5e6; });
  EXPECT_NE(error_of<error>([&] { predict_all(request, constant); }).find("is this the option"),
            std::string::npos);
}

/// A program of one PE that copies in the memory of the host, and then works. It records its flow.
class flowing final : public simulated_program {
 public:
  tune::observation run(const tune::arguments& options, const tune::arguments& line, nanoseconds) override {
    using kind = trace::flow::action_kind;
    ++runs;
    const std::uint64_t steps = parse_number<std::uint64_t>(tune::value_of(line, "--iters").value()).value();
    const std::string model = tune::value_of(options, "--device-model").value();
    flow_ = {};
    flow_.machine = model;
    flow_.facts.devices = 1;
    flow_.device_of_pe = {0};
    flow_.has_device = {0};
    flow_.actions = {
        {steps * 90'000'000, 0, kind::copy}, {steps * 1'000'000, 0, kind::work}, {0, 0, kind::end}};
    flow_.segments = {{0, 1}, {3, 0}};
    flow_.items = {{0}};
    flow_.operations = {{}};
    flow_.boxes = {{}};
    const nanoseconds time = tools::evaluate(flow_, find_device_model(model)).time;
    flow_.facts.time = static_cast<std::uint64_t>(time.count()) * (is_like_its_flow ? 1U : 2U);
    return {.time = time, .simulated_time = true};
  }
  std::optional<trace::flow> take_flow() override { return flow_; }
  std::string help() override { return ""; }

  int runs = 0;
  bool is_like_its_flow = true;

 private:
  trace::flow flow_;
};

TEST(predict, evaluates_flows_instead_of_further_runs) {
  flowing program;
  settings request = request_for({1, 2}, {1});
  request.sweeps = {{"host.copy_bandwidth", {"x3"}}};
  const prediction found = predict_all(request, program);
  EXPECT_EQ(program.runs, 4);
  EXPECT_EQ(found.runs.executed, 4);
  EXPECT_EQ(found.runs.evaluated, 2 * (7 + 1));
  const double copy = 90e6 / static_cast<double>(find_device_model("summit").host.copy_bandwidth) * 1e9;
  EXPECT_NEAR(found.points[0].time, copy + 1e6, 2);
  EXPECT_EQ(found.what_ifs.at(2).at(0).part, "the copies between host and device");
  EXPECT_NEAR(found.what_ifs.at(2).at(0).gain, (copy + 1e6) / (copy / 2 + 1e6), 1e-6);
  EXPECT_NEAR(found.sweeps.at(0).times.at(1), copy / 3 + 1e6, 2);
  EXPECT_NE(report_text(found).find("4 runs; 16 times on changed machines are evaluations"),
            std::string::npos);
}

TEST(predict, runs_programs_whose_flows_have_other_times) {
  flowing program;
  program.is_like_its_flow = false;
  settings request = request_for({1}, {1});
  const prediction found = predict_all(request, program);
  EXPECT_EQ(found.runs.evaluated, 0);
  EXPECT_EQ(program.runs, 2 * (1 + 7));
}

TEST(predict, puts_numbers_into_the_arguments) {
  formula program([](const device_model&, int pes, int, int) { return work / pes; });
  settings request = request_for({2}, {3});
  request.steps = 0;
  request.asks_what_if = false;
  request.program_arguments = {"-n", "{objects}", "--nodes={nodes}", "--x={pes}/{odf}", "--grid", "1"};
  request.at = {{2, {"--grid", "7"}}};
  predict_all(request, program);
  EXPECT_EQ(program.lines.at(0), (words{"-n", "36", "--nodes=2", "--x=12/3", "--grid", "7"}));
  formula plain([](const device_model&, int pes, int, int) { return work / pes; });
  plain.help_text = "no such option";
  request.program_arguments = {"a"};
  const prediction found = predict_all(request, plain);
  EXPECT_EQ(found.points.at(0).odf, 0);
  EXPECT_EQ(plain.lines.at(0), (words{"a", "--grid", "7"}));
}

}  // namespace
}  // namespace imbrex::predict
