// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/run_command.hpp>

#include <gtest/gtest.h>

#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>

namespace {

using namespace std::chrono_literals;
using imbrex::tools::job_settings;
using words = std::vector<const char*>;

auto parse(words line) {
  line.insert(line.begin(), "imbrex");
  return imbrex::tools::parse_command_line(static_cast<int>(line.size()), line.data());
}

job_settings settings(const words& line) { return std::get<job_settings>(parse(line)); }

std::string complaint(const words& line) {
  try {
    parse(line);
    return {};
  } catch (const imbrex::usage_error& e) {
    return e.what();
  }
}

TEST(run_command, leaves_the_program_its_options) {
  const job_settings asked = settings({"run", "-n", "4", "--prefix", "--timeout", "1.5", "./app", "--pes",
                                       "1", "-n", "9", "--prefix", "--", "--help", "run"});
  EXPECT_EQ(asked.processes, 4);
  EXPECT_TRUE(asked.prefix);
  EXPECT_EQ(asked.timeout, 1500ms);
  EXPECT_EQ(asked.command,
            (std::vector<std::string>{"./app", "--pes", "1", "-n", "9", "--prefix", "--", "--help", "run"}));
}

TEST(run_command, needs_no_more_than_a_number_and_a_program) {
  for (const words& line :
       {words{"run", "-n", "2", "app"}, words{"run", "-n2", "app"}, words{"run", "-n", "2", "--", "app"}}) {
    const job_settings asked = settings(line);
    EXPECT_EQ(asked.processes, 2);
    EXPECT_FALSE(asked.prefix);
    EXPECT_FALSE(asked.timeout);
    EXPECT_EQ(asked.command, std::vector<std::string>{"app"});
  }
}

TEST(run_command, takes_options_from_a_file) {
  const imbrex::test::temporary_file file("-n 3\n--pes 2\n--odf=4\n");
  const std::string option = "--options=" + file.name();
  const job_settings asked = settings({"run", option.c_str(), "app", "--grid", "8"});
  EXPECT_EQ(asked.processes, 3);
  EXPECT_EQ(asked.command, (std::vector<std::string>{"app", "--grid", "8", "--pes", "2", "--odf=4"}));
  EXPECT_EQ(settings({"run", option.c_str(), "app", "--pes", "1", "--", "--pes"}).command,
            (std::vector<std::string>{"app", "--pes", "1", "--pes", "2", "--odf=4", "--", "--pes"}));
  EXPECT_EQ(settings({"run", option.c_str(), "-n", "5", "app"}).processes, 5);
  EXPECT_EQ(
      settings({"run", "--pes", "5", option.c_str(), "app", "--pes", "1", "--", "x"}).command,
      (std::vector<std::string>{"app", "--pes", "1", "--pes", "2", "--odf=4", "--pes", "5", "--", "x"}));
  EXPECT_EQ(settings({"run", "-n", "2", "--pes=3", "python3", "app.py"}).command,
            (std::vector<std::string>{"python3", "app.py", "--pes", "3"}));

  const imbrex::test::temporary_file none("--pes 2\n");
  EXPECT_NE(complaint({"run", "--options", none.name().c_str(), "app"}).find("-n is missing"),
            std::string::npos);
  EXPECT_NE(complaint({"run", "--options", "/no/such/file", "app"}).find("cannot be read"),
            std::string::npos);
}

TEST(run_command, says_what_is_wrong_and_what_to_write) {
  const std::vector<std::pair<words, const char*>> wrong{
      {{"run", "-n", "0", "app"}, "-n 0: the number of processes"},
      {{"run", "-n", "-1", "app"}, "-n -1: the number of processes"},
      {{"run", "-n", "x", "app"}, "-n x: the number of processes"},
      {{"run", "-n", "2x", "app"}, "-n 2x: the number of processes"},
      {{"run", "-n", "99999999999", "app"}, "from 1 to 65536"},
      {{"run", "app"}, "-n is missing"},
      {{"run", "-n", "2"}, "no program to run"},
      {{"run", "-n", "2", ""}, "name of the program is empty"},
      {{"run", "-n", "2", "--prefx", "app"}, "did you mean --prefix?"},
      {{"run", "-n", "2", "--timeout", "0", "app"}, "--timeout 0"},
      {{"run", "-n", "2", "--timeout", "soon", "app"}, "--timeout soon"},
      {{"run", "-n", "2", "--verbose", "app"}, "unknown option --verbose"},
      {{"run", "-n", "2", "--pse", "1", "app"}, "did you mean --pes?"},
      {{"run", "-n", "2", "--pes", "0", "app"}, "--pes 0: the number of PEs of each process"},
      {{"run", "-n", "2", "--pes", "two", "app"}, "--pes two: the number of PEs of each process"},
      {{"run", "-n", "2", "--pes", "65537", "app"}, "from 1 to 65536"},
      {{"rum", "-n", "2"}, "there is no command 'rum'; there are: run, info, overlap, trace, tune"},
      {{}, "no command; there are: run, "},
  };
  for (const auto& [line, expected] : wrong)
    EXPECT_NE(complaint(line).find(expected), std::string::npos) << expected << ", got: " << complaint(line);
}

TEST(run_command, leaves_info_all_that_stands_behind_it) {
  for (const words& line : {words{"info", "--json", "--pes", "2"}, words{"info", "--pes", "2", "--json"},
                            words{"info", "--pes=2", "--json"}}) {
    const auto asked = std::get<imbrex::tools::info_settings>(parse(line));
    EXPECT_TRUE(asked.json);
    EXPECT_EQ(asked.how.pes, 2);
  }
  for (const words& line : {words{"info", "run", "-n", "2"}, words{"info", "--", "run"}, words{"run", "info"},
                            words{"rum", "info"}})
    EXPECT_FALSE(complaint(line).empty()) << line.back();
}

TEST(run_command, leaves_overlap_all_that_stands_behind_it) {
  for (const words& line : {words{"overlap", "a.toml", "--json"}, words{"overlap", "--json", "a.toml"}}) {
    const auto asked = std::get<imbrex::overlap::settings>(parse(line));
    EXPECT_TRUE(asked.json);
    EXPECT_EQ(asked.file, "a.toml");
  }
  EXPECT_NE(complaint({"overlap"}).find("no file"), std::string::npos);
  EXPECT_NE(complaint({"overlap", "--json", "--", "a.toml"}).find("--verify only"), std::string::npos);
  EXPECT_NE(complaint({"overlap", "a", "--jsn"}).find("did you mean --json?"), std::string::npos);
  EXPECT_NE(std::get<std::string>(parse({"overlap", "--help"})).find("--bandwidth"), std::string::npos);
}

TEST(run_command, leaves_tune_all_that_stands_behind_it) {
  for (const words& line : {words{"tune", "--repeat", "5", "app", "--json", "--", "-n"},
                            words{"tune", "--repeat=5", "--", "app", "--json", "--", "-n"}}) {
    const auto asked = std::get<imbrex::tune::settings>(parse(line));
    EXPECT_EQ(asked.pairs, 5);
    EXPECT_EQ(asked.program, "app");
    EXPECT_EQ(asked.given, (std::vector<std::string>{"--json", "--", "-n"}));
    EXPECT_FALSE(asked.json);
  }
  EXPECT_EQ(std::get<imbrex::tune::settings>(parse({"tune", "--", "app", "-n"})).given,
            std::vector<std::string>{"-n"});
  EXPECT_NE(complaint({"tune"}).find("no program to tune"), std::string::npos);
}

TEST(run_command, gives_help) {
  EXPECT_NE(std::get<std::string>(parse({"--help"})).find("info"), std::string::npos);
  EXPECT_NE(std::get<std::string>(parse({"info", "--help"})).find("--device-map"), std::string::npos);
  EXPECT_NE(std::get<std::string>(parse({"--help"})).find("run"), std::string::npos);
  EXPECT_NE(std::get<std::string>(parse({"run", "--help"})).find("--timeout SECONDS"), std::string::npos);
}

}  // namespace
