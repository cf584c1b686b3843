// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/choose_space.hpp>

#include <gtest/gtest.h>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace {

using imbrex::testing::error_of;

using namespace imbrex::tune;
using names = std::vector<std::string>;

settings with(arguments program_arguments, std::vector<variation> vary = {}) {
  settings request;
  request.program = "app";
  request.program_arguments = std::move(program_arguments);
  request.vary = std::move(vary);
  return request;
}

/// The names of all alternatives of an option, the default first; empty if it is not varied.
names alternatives(const space& of, const std::string& option) {
  names all;
  for (std::size_t k = 0; k < of.dimensions.size(); ++k) {
    if (of.dimensions[k].option != option) continue;
    for (std::size_t which = 0; which < of.dimensions[k].alternatives.size(); ++which) {
      configuration at = of.by_default();
      at[k] = which;
      all.push_back(of.name(at));
    }
  }
  return all;
}

std::string complaint_before_a_run(const settings& request) {
  return error_of<imbrex::usage_error>([&] { check_request(request, 4); });
}

TEST(choose_space, varies_what_the_user_names) {
  const space result = choose_space(
      with({"--size", "3", "in"}, {{"--size", {"1", "2", "3"}}, {"--fast", {}}}), {"", false, 8});
  ASSERT_EQ(result.dimensions.size(), 2U);
  EXPECT_EQ(alternatives(result, "--size"), (names{"default", "--size 1", "--size 2"}));
  EXPECT_EQ(alternatives(result, "--fast"), (names{"default", "--fast"}));
  EXPECT_EQ(result.rest, (arguments{"in"}));
  EXPECT_EQ(result.words(result.by_default()), (arguments{"--size", "3"}));
  EXPECT_EQ(result.words({1, 1}), (arguments{"--size", "1", "--fast"}));
}

TEST(choose_space, leaves_out_what_the_program_expects_to_be_slow) {
  program_facts known{"  --odf N", false, 8};
  known.estimates = {{"1", 4.0}, {"2", 2.0}, {"4", 2.1}, {"16", 9.0}};
  const space result = choose_space(with({}), known);
  EXPECT_EQ(alternatives(result, "--odf"), (names{"default", "--odf 2", "--odf 4", "--odf 8"}));
  EXPECT_EQ(result.pruned, (names{"1", "16"}));
  // The given value is the default, and stays. Values of the user stay, too.
  const space preset = choose_space(with({"--odf", "16"}), known);
  EXPECT_EQ(alternatives(preset, "--odf"), (names{"default", "--odf 2", "--odf 4", "--odf 8"}));
  EXPECT_EQ(preset.pruned, names{"1"});
  const space named = choose_space(with({}, {{"--odf", {"1", "16"}}}), known);
  EXPECT_EQ(alternatives(named, "--odf"), (names{"default", "--odf 1", "--odf 16"}));
  EXPECT_TRUE(named.pruned.empty());
}

TEST(choose_space, can_leave_out_what_is_given) {
  const space result = choose_space(with({"--fast"}, {{"--fast", {}}}), {"", false, 8});
  EXPECT_EQ(alternatives(result, "--fast"), (names{"default", "no --fast"}));
  EXPECT_EQ(result.words({1}), arguments{});
}

TEST(choose_space, keeps_what_has_one_value_only) {
  const space result = choose_space(with({"--odf", "3", "in"}, {{"--odf", {"3"}}}), {"  --odf N", false, 8});
  EXPECT_TRUE(result.dimensions.empty());
  EXPECT_EQ(result.rest, (arguments{"in", "--odf", "3"}));
}

TEST(choose_space, refuses_values_that_no_options_file_can_hold) {
  EXPECT_THROW(choose_space(with({}, {{"--name", {"a", "b\nc"}}}), {"", false, 8}), imbrex::usage_error);
  EXPECT_THROW(choose_space(with({"--name", "b\nc"}, {{"--name", {"a"}}}), {"", false, 8}),
               imbrex::usage_error);
}

// Otherwise the default would differ from the program as given.
TEST(choose_space, refuses_values_that_do_not_fit_what_is_given) {
  const variation values{"--y", {"1"}}, flag{"--y", {}};
  for (const arguments& without : {arguments{"--y"}, {"--y", "-x"}, {"--y", "--", "2"}})
    EXPECT_NE(complaint_before_a_run(with(without, {values}))
                  .find("--vary --y: the program's arguments give --y without a value"),
              std::string::npos);
  for (const variation& one : {values, flag})
    EXPECT_NE(complaint_before_a_run(with({"--y", "2", "--y=3"}, {one})).find("give --y 2 times"),
              std::string::npos);
  for (const arguments& valued : {arguments{"--y", "3"}, {"--y=3"}})
    EXPECT_NE(
        complaint_before_a_run(with(valued, {flag})).find("give --y the value 3, but --vary has no values"),
        std::string::npos);
  for (const arguments& fits : {arguments{}, {"--y", "2"}, {"--y=-x"}, {"--", "--y", "--y"}})
    EXPECT_EQ(complaint_before_a_run(with(fits, {values})), "");
  EXPECT_EQ(complaint_before_a_run(with({"in", "--y"}, {flag})), "");
}

TEST(choose_space, keeps_the_spelling_of_what_is_given) {
  const space result = choose_space(with({"--y=-x"}, {{"--y", {"-x", "1"}}}), {"", false, 8});
  EXPECT_EQ(alternatives(result, "--y"), (names{"default", "--y 1"}));
  EXPECT_EQ(result.words(result.by_default()), arguments{"--y=-x"});
}

TEST(choose_space, refuses_to_shorten_what_is_varied) {
  settings request = with({}, {{"--size", {"1", "2"}}});
  request.brief = {"--iters", "5"};
  EXPECT_EQ(choose_space(request, {"", true, 8}).dimensions.front().option, "--size");
  for (const char* varied : {"--size=1", "--bind=core"}) {
    request.brief = {varied};
    EXPECT_THROW(choose_space(request, {"", true, 8}), imbrex::usage_error) << varied;
  }
}

TEST(choose_space, varies_overdecomposition_where_the_program_has_it) {
  const names all{"default", "--odf 1", "--odf 2", "--odf 4", "--odf 8", "--odf 16"};
  EXPECT_EQ(alternatives(choose_space(with({}), {"  --odf N  chares per PE", false, 8}), "--odf"), all);
  EXPECT_EQ(alternatives(choose_space(with({}), {"  --odfs N", false, 8}), "--odf"), names{});
  EXPECT_EQ(alternatives(choose_space(with({"--odf=4"}), {"", false, 8}), "--odf"),
            (names{"default", "--odf 1", "--odf 2", "--odf 8", "--odf 16"}));
  EXPECT_EQ(alternatives(choose_space(with({}, {{"--odf", {"3"}}}), {"--odf ", false, 8}), "--odf"),
            (names{"default", "--odf 3"}));
}

TEST(choose_space, varies_the_runtime_on_threads) {
  const space result = choose_space(with({}), {"", true, 4});
  EXPECT_EQ(alternatives(result, "-n"), (names{"default", "-n 2 --pes 2", "-n 4 --pes 1"}));
  EXPECT_EQ(alternatives(result, "--bind"), (names{"default", "--bind core"}));
  EXPECT_EQ(alternatives(result, "--comm-thread"), (names{"default", "--comm-thread"}));
  EXPECT_EQ(alternatives(result, "--completion"), names{});
  EXPECT_TRUE(choose_space(with({}), {"", false, 4}).dimensions.empty());
}

TEST(choose_space, leaves_alone_what_is_for_jobs_where_there_is_none) {
  EXPECT_EQ(alternatives(choose_space(with({"--pes", "1"}), {"", true, 4}), "--comm-thread"), names{});
  settings request = with({"--comm-thread"}, {{"--pes", {"1", "2"}}});
  const space result = choose_space(request, {"", true, 4});
  EXPECT_EQ(alternatives(result, "--comm-thread"), names{});
  EXPECT_EQ(result.rest.front(), "--comm-thread");
  request.processes = 2;
  EXPECT_EQ(alternatives(choose_space(request, {"", true, 4}), "--comm-thread"),
            (names{"default", "no --comm-thread"}));
}

TEST(choose_space, varies_the_completion_of_devices) {
  const names all{"default", "--completion callback", "--completion flag", "--completion sync",
                  "--completion work-request"};
  EXPECT_EQ(alternatives(choose_space(with({"--device", "cuda"}), {"", true, 4}), "--completion"), all);
  const space modelled =
      choose_space(with({"--machine", "simulated", "--device-model", "v100", "--pes", "6"}), {"", true, 4});
  EXPECT_EQ(alternatives(modelled, "--completion"), all);
  EXPECT_EQ(modelled.dimensions.size(), 1U);
  EXPECT_EQ(modelled.rest, (arguments{"--machine", "simulated", "--device-model", "v100", "--pes", "6"}));
  EXPECT_EQ(alternatives(choose_space(with({"--device", "cuda", "--completion", "callback"}), {"", true, 4}),
                         "--completion"),
            (names{"default", "--completion poll", "--completion flag", "--completion sync",
                   "--completion work-request"}));
}

TEST(choose_space, divides_the_pes_that_there_are_among_processes) {
  settings request = with({"--pes", "3"});
  request.processes = 2;
  const space result = choose_space(request, {"", true, 64});
  EXPECT_EQ(alternatives(result, "-n"), (names{"default", "-n 1 --pes 6", "-n 3 --pes 2", "-n 6 --pes 1"}));
  EXPECT_EQ(result.processes_of(result.by_default()), 2);
  request.among = {3};
  EXPECT_EQ(alternatives(choose_space(request, {"", true, 64}), "-n"), (names{"default", "-n 3 --pes 2"}));
  request.among = {4};
  EXPECT_THROW(choose_space(request, {"", true, 64}), imbrex::usage_error);
}

TEST(choose_space, varies_processes_alone_where_each_has_one_pe) {
  EXPECT_EQ(alternatives(choose_space(with({}), {"", true, 4, true}), "-n"),
            (names{"default", "-n 2", "-n 4"}));
  settings request = with({"--pes", "1"});
  request.processes = 2;
  EXPECT_EQ(alternatives(choose_space(request, {"", true, 4, true}), "-n"),
            (names{"default", "-n 1 --pes 1"}));
  request.program_arguments = {};
  request.among = {4};
  EXPECT_EQ(alternatives(choose_space(request, {"", true, 4, true}), "-n"), (names{"default", "-n 4"}));
}

TEST(choose_space, refuses_processes_that_it_would_not_vary) {
  const auto complaint = [](settings request, bool has_runtime = true) -> std::string {
    request.among = {1, 2};
    return error_of<imbrex::usage_error>([&] { choose_space(request, {"", has_runtime, 4}); });
  };
  EXPECT_EQ(complaint(with({})), "");
  EXPECT_NE(complaint(with({}), false).find("does not take the runtime's options"), std::string::npos);
  EXPECT_NE(complaint(with({"--machine", "simulated"})).find("--machine simulated has one"),
            std::string::npos);
  EXPECT_NE(complaint(with({}, {{"--pes", {"2"}}})).find("--vary '--pes ...'"), std::string::npos);
  EXPECT_NE(complaint(with({"--device", "emulated"})).find("emulated devices of its own"), std::string::npos);
}

TEST(choose_space, refuses_before_a_run_what_no_run_could_allow) {
  settings processes = with({"--pes", "4"});
  processes.among = {2, 3};
  EXPECT_NE(complaint_before_a_run(processes).find("--processes 3: 4 PEs cannot be divided"),
            std::string::npos);
  processes.among = {2};
  EXPECT_EQ(complaint_before_a_run(processes), "");
  processes.program_arguments = {"--machine", "simulated"};
  EXPECT_NE(complaint_before_a_run(processes).find("--machine simulated has one process"), std::string::npos);
  processes.program_arguments = {"--pes", "65536"};
  processes.processes = 65'536;
  EXPECT_EQ(complaint_before_a_run(processes), "");
  settings brief = with({}, {{"--fast", {}}});
  brief.brief = {"--fast"};
  EXPECT_NE(complaint_before_a_run(brief).find("--short names --fast"), std::string::npos);
  brief.brief = {"--odf", "2"};
  EXPECT_NE(complaint_before_a_run(brief).find("--short names --odf"), std::string::npos);
  EXPECT_NE(complaint_before_a_run(with({"--name", "a\nb"}, {{"--name", {"c"}}})).find("several lines"),
            std::string::npos);
  EXPECT_NE(complaint_before_a_run(with({}, {{"--name", {"a", "--"}}})).find("--name --: "),
            std::string::npos);
}

TEST(choose_space, leaves_devices_as_many_as_there_are) {
  const space result = choose_space(with({"--device", "emulated", "--pes", "4"}), {"", true, 4});
  EXPECT_EQ(alternatives(result, "-n"), names{});
  EXPECT_EQ(result.rest, (arguments{"--device", "emulated", "--pes", "4"}));
}

TEST(choose_space, leaves_one_pe_alone) {
  const space result = choose_space(with({"--pes", "1"}), {"", true, 4});
  EXPECT_EQ(alternatives(result, "-n"), names{});
  EXPECT_EQ(result.rest, (arguments{"--pes", "1"}));
}

}  // namespace
