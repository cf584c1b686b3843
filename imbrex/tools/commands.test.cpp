// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/commands.hpp>

#include <gtest/gtest.h>

#include <imbrex/base/error.hpp>
#include <imbrex/tools/built_with.hpp>

namespace imbrex::tools {
namespace {

using words = std::vector<std::string>;

/// The standard output of a command line, or the text of its error.
std::string output_of(const words& line) {
  ::testing::internal::CaptureStdout();
  try {
    const int status = commands().run(line);
    const std::string text = ::testing::internal::GetCapturedStdout();
    return status == 0 ? text : "status " + std::to_string(status) + " " + text;
  } catch (const usage_error& e) {
    ::testing::internal::GetCapturedStdout();
    return e.what();
  }
}

TEST(commands, have_a_help_each) {
  const std::string list = output_of({"--help"});
  for (const char* const command : {"new", "run", "mpiexec", "who", "top", "metrics", "info", "overlap",
                                    "balance", "trace", "tune", "predict", "simulate", "calibrate"}) {
    EXPECT_NE(list.find("\n  " + std::string(command) + " "), std::string::npos) << command;
    const std::string help = output_of({"help", command});
    EXPECT_TRUE(help.starts_with("imbrex " + std::string(command) + " ")) << help;
    EXPECT_EQ(output_of({command, "--help"}), help);
    EXPECT_EQ(output_of({command, "-h"}), help);
  }
  for (const char* const command : {"report", "convert"})
    EXPECT_TRUE(
        output_of({"trace", "help", command}).starts_with("imbrex trace " + std::string(command) + " FILE"));
  EXPECT_NE(output_of({"info", "--help"}).find("--device-map"), std::string::npos);
}

TEST(commands, have_helps_of_at_most_100_columns) {
  for (const words& line :
       {words{"help"}, words{"help", "new"}, words{"help", "run"}, words{"help", "mpiexec"},
        words{"help", "info"}, words{"help", "overlap"}, words{"help", "balance"}, words{"help", "tune"},
        words{"help", "predict"}, words{"help", "simulate"}, words{"help", "calibrate"},
        words{"help", "trace"}, words{"trace", "help", "report"}, words{"trace", "help", "convert"}}) {
    const std::string help = output_of(line);
    for (std::size_t begin = 0; begin < help.size();) {
      const std::size_t end = std::min(help.find('\n', begin), help.size());
      EXPECT_LE(end - begin, 100U) << help.substr(begin, end - begin);
      begin = end + 1;
    }
  }
}

TEST(commands, print_the_version) {
  EXPECT_EQ(output_of({"--version"}), "imbrex " + std::string(this_build().version) + "\n");
}

TEST(commands, that_do_not_exist_are_refused_with_the_nearest) {
  EXPECT_EQ(output_of({"rum", "-n", "2"}), "there is no command 'rum'; did you mean run?");
  EXPECT_EQ(
      output_of({"bogus"}),
      "there is no command 'bogus'; there are: new, demo, run, mpiexec, resize, who, top, metrics, info, "
      "overlap, balance, "
      "checkpoint, trace, tune, predict, simulate, calibrate; see imbrex --help");
  EXPECT_EQ(output_of({"trace", "reprot"}), "there is no command 'reprot'; did you mean report?");
  EXPECT_EQ(output_of({"tune", "--secnds"}), "unknown option --secnds; did you mean --seconds?");
}

}  // namespace
}  // namespace imbrex::tools
