// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/report.hpp>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <imbrex/base/host/temporary_file.test.hpp>
#include <imbrex/base/options/options_file.hpp>
#include <imbrex/tools/tune/choose_space.hpp>

namespace {

using namespace std::chrono_literals;
using namespace imbrex::tune;
using imbrex::test::temporary_file;
using words = std::vector<std::string>;

observation run_of(imbrex::nanoseconds time, double exposed) {
  return {.time = time, .cost = time, .seen = evidence{.program = 0.5, .exposed = exposed}};
}

/// A report on a program with 4 PEs. ODF 4 and two processes are chosen, confirmed by three pairs.
report example() {
  report result;
  result.request.program = "./app";
  result.request.program_arguments = {"--odf", "1", "--name", "a\nb"};
  result.where = choose_space(result.request, {"", true, 4});
  result.traced = result.written = true;
  result.host = "here";
  result.date = "today";
  configuration chosen = result.where.by_default();
  chosen[0] = 2;  // --odf 4
  chosen[1] = 1;  // -n 2
  result.found.first_runs = {run_of(100ms, 0.22)};
  result.found.chosen = chosen;
  result.found.confirmation = comparison{.candidate = chosen,
                                         .against = result.where.by_default(),
                                         .ratios = {1.3, 1.2, 1.4},
                                         .of_candidate = {run_of(77ms, 0.03)},
                                         .of_against = {run_of(100ms, 0.22)},
                                         .result = outcome::better};
  return result;
}

report nothing_found() {
  report result = example();
  result.found.chosen = result.where.by_default();
  result.found.confirmation.reset();
  result.found.tried = {comparison{.candidate = {1, 0, 0, 0},
                                   .against = result.where.by_default(),
                                   .result = outcome::failed,
                                   .failure = "ended with status 3"}};
  return result;
}

TEST(tune_report, says_what_was_found_with_the_evidence) {
  const std::string text = findings_text(example());
  EXPECT_NE(
      text.find(
          "--odf 4 -n 2 --pes 2 is 1.300 times as fast as the default (median of 3 pairs of runs, 1.200 "
          "to 1.400)"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("communication that no computation covered 3.0 %, before 22.0 %"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("PEs in the program"), std::string::npos) << "that has not changed: " << text;
  EXPECT_NE(text.find("As parts of the time: "), std::string::npos) << text;
  report of_a_phase = example();
  of_a_phase.request.phase = "steps";
  EXPECT_NE(findings_text(of_a_phase).find("As parts of the whole run's time: "), std::string::npos);
}

TEST(tune_report, says_what_only_jobs_try) {
  const std::string text = report_text(example());
  EXPECT_NE(
      text.find("  --comm-thread: not given, --comm-thread (tried where there are several processes)\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("  --bind: not given, --bind core\n"), std::string::npos) << text;
}

TEST(tune_report, says_when_the_default_stays) {
  const std::string text = findings_text(nothing_found());
  EXPECT_NE(text.find("Nothing was faster than the default"), std::string::npos) << text;
  EXPECT_NE(text.find("One configuration failed"), std::string::npos) << text;
  report unconfirmed = example();
  unconfirmed.found.confirmation->result = outcome::not_better;
  EXPECT_NE(
      findings_text(unconfirmed).find("did not confirm it (ratios 1.300, 1.200, 1.400). The default stays."),
      std::string::npos);
}

TEST(tune_report, says_what_the_file_cannot_take_back) {
  report result = example();
  result.request.program_arguments = {"--slow"};
  result.request.vary = {{"--slow", {}}};
  result.where = choose_space(result.request, {"", false, 4});
  result.found.chosen = result.found.confirmation->candidate = {1};
  result.found.confirmation->against = {0};
  EXPECT_NE(options_text(result).find(" Leave --slow out: "), std::string::npos) << options_text(result);
  result.found.chosen = {0};
  EXPECT_EQ(options_text(result).find("Leave --slow out"), std::string::npos);
}

TEST(tune_report, gives_a_file_that_can_be_loaded) {
  const temporary_file tuned(options_text(example()));
  const auto read = imbrex::read_options_file(tuned.name());
  EXPECT_EQ(read.words, (words{"--odf", "4", "--pes", "2"}));
  EXPECT_EQ(read.processes, 2);
  const temporary_file of_the_default(options_text(nothing_found()));
  EXPECT_EQ(imbrex::read_options_file(of_the_default.name()).words, (words{"--odf", "1"}));
  EXPECT_EQ(imbrex::read_options_file(of_the_default.name()).processes, 0);
}

TEST(tune_report, keeps_the_number_of_processes_in_a_file_that_said_it) {
  report result = nothing_found();
  result.request.processes = result.where.processes = 2;
  EXPECT_EQ(imbrex::read_options_file(temporary_file(options_text(result)).name()).processes, 0);
  result.request.processes_by_file = true;
  EXPECT_EQ(imbrex::read_options_file(temporary_file(options_text(result)).name()).processes, 2);
  EXPECT_EQ(chosen_command(result).find("imbrex run --options tuned.options ./app"), 0U);
}

TEST(tune_report, says_how_to_run_the_program) {
  report result = example();
  result.request.program_arguments = result.where.rest = {"--grid", "8"};
  EXPECT_EQ(chosen_command(result), "imbrex run --options tuned.options ./app --grid 8");
  result.where.processes = 2;
  EXPECT_EQ(chosen_command(result), "imbrex run -n 2 ./app --grid 8 --options tuned.options");
  result.where.processes = 1;
  result.found.chosen = result.where.by_default();
  EXPECT_EQ(chosen_command(result), "./app --grid 8 --options tuned.options");
  result.traced = false;
  EXPECT_EQ(chosen_command(result), "./app --grid 8 --odf 1");
}

TEST(tune_report, says_how_to_run_the_program_without_a_file) {
  report result = example();
  result.written = false;
  EXPECT_NE(report_text(result).find(
                "tuned.options is not written. What was chosen is run by\n  imbrex run -n 2 ./app "
                "--name 'a\nb' --odf 4 --pes 2\n"),
            std::string::npos)
      << report_text(result);
  EXPECT_TRUE(nlohmann::json::parse(report_json(result))["file"].is_null());
}

TEST(tune_report, shows_all_trials) {
  const std::string text = report_text(nothing_found());
  EXPECT_NE(text.find("--odf: --odf 1, --odf 2, --odf 4, --odf 8, --odf 16\n"), std::string::npos) << text;
  EXPECT_NE(text.find("--odf 2: ended with status 3\n"), std::string::npos) << text;
  EXPECT_NE(report_text(example()).find(": confirmed\n"), std::string::npos);
}

TEST(tune_report, tells_what_is_known_after_an_interrupt) {
  report result = nothing_found();
  result.found.interrupted = 2;
  result.found.best = result.found.chosen;
  result.found.untried = {{2, 0, 0, 0}, {3, 0, 0, 0}};
  EXPECT_EQ(
      findings_text(result),
      "Interrupted by signal 2. Until then nothing was faster than the default. One configuration failed. "
      "Not tried: --odf 4, --odf 8.");
  EXPECT_FALSE(writes_file(result));
  EXPECT_EQ(nlohmann::json::parse(report_json(result))["interrupted"], 2);
  report many = result;
  many.found.untried.resize(20, {2, 0, 0, 0});
  EXPECT_NE(findings_text(many).find(", --odf 4 and 8 more."), std::string::npos) << findings_text(many);
  report unconfirmed = result;
  unconfirmed.found.best = {4, 0, 0, 0};
  unconfirmed.found.tried.push_back({.candidate = {4, 0, 0, 0},
                                     .against = result.where.by_default(),
                                     .ratios = {1.3, 1.2, 1.4},
                                     .result = outcome::better});
  EXPECT_NE(
      findings_text(unconfirmed)
          .find("Until then --odf 16 was 1.300 times as fast as default (median of 3 pairs of runs, 1.200 to "
                "1.400), which fresh pairs have not confirmed."),
      std::string::npos)
      << findings_text(unconfirmed);
  report exact = example();
  exact.found.interrupted = 2;
  EXPECT_TRUE(writes_file(exact));
  EXPECT_EQ(findings_text(exact).find("Interrupted by signal 2. --odf 4 -n 2 --pes 2 is 1.300 times"), 0U);
}

TEST(tune_report, tells_what_is_known_when_a_run_was_given_up) {
  report result = nothing_found();
  EXPECT_TRUE(nlohmann::json::parse(report_json(result))["given_up"].is_null());
  result.found.abort_reason = "one run was given up 5 times";
  result.found.best = result.found.chosen;
  EXPECT_EQ(findings_text(result),
            "Given up, since one run was stopped again and again. Until then nothing was faster than the "
            "default. One configuration failed.");
  EXPECT_FALSE(writes_file(result));
  EXPECT_EQ(nlohmann::json::parse(report_json(result))["given_up"], "one run was given up 5 times");
}

TEST(tune_report, says_which_of_two_has_failed) {
  report result = nothing_found();
  result.found.tried[0].result = outcome::undecided;
  const std::string text = report_text(result);
  EXPECT_NE(text.find("--odf 2: not decided, since default failed: ended with status 3\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("In one comparison the default itself failed (ended with status 3)"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("One configuration failed"), std::string::npos) << text;
  const auto trial = nlohmann::json::parse(report_json(result))["tried"][0];
  EXPECT_EQ(trial["outcome"], "undecided");
  EXPECT_EQ(trial["failure"], "not decided, since default failed: ended with status 3");
  report unconfirmed = example();
  unconfirmed.found.confirmation->failure = "ended with status 3";
  unconfirmed.found.confirmation->result = outcome::undecided;
  EXPECT_NE(findings_text(unconfirmed).find("but then the default failed: ended with status 3."),
            std::string::npos);
  unconfirmed.found.confirmation->result = outcome::failed;
  EXPECT_NE(findings_text(unconfirmed).find("but then it failed: ended with status 3."), std::string::npos);
}

TEST(tune_report, says_why_processes_are_not_varied) {
  report result = nothing_found();
  EXPECT_EQ(report_text(result).find("Not varied"), std::string::npos);
  result.request.program_arguments = {"--device", "emulated"};
  result.where = choose_space(result.request, {"", true, 4});
  result.found.chosen = result.where.by_default();
  result.found.tried.clear();
  EXPECT_NE(report_text(result).find("Not varied: processes, since each process has emulated devices"),
            std::string::npos);
}

TEST(tune_report, is_an_object_of_json) {
  const auto result = nlohmann::json::parse(report_json(example()));
  EXPECT_EQ(result["chosen"]["options"], (words{"--odf", "4", "--pes", "2"}));
  EXPECT_EQ(result["chosen"]["processes"], 2);
  EXPECT_EQ(result["confirmation"]["outcome"], "better");
  EXPECT_EQ(result["confirmation"]["of_candidate"][0]["time"], 77'000'000);
  EXPECT_EQ(result["confirmation"]["of_candidate"][0]["evidence"]["exposed"], 0.03);
  const auto none = nlohmann::json::parse(report_json(nothing_found()));
  EXPECT_TRUE(none["confirmation"].is_null());
  EXPECT_EQ(none["tried"][0]["failure"], "ended with status 3");
}

}  // namespace
