// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/demo/demo.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/tools/process/temporary_folder.hpp>

namespace imbrex::tools {
namespace {

namespace files = std::filesystem;

using words = std::vector<std::string>;

std::string complaint(const words& line) {
  try {
    parse_demo(line);
  } catch (const usage_error& e) {
    return e.what();
  }
  return "";
}

TEST(demo, takes_a_file_and_options_of_its_program) {
  const auto plain = std::get<demo_settings>(parse_demo({}));
  EXPECT_EQ(plain.output, "demo-report.html");
  EXPECT_TRUE(plain.options.empty());
  const auto other =
      std::get<demo_settings>(parse_demo(words{"--output", "a.html", "--", "--grid", "8,8,8"}));
  EXPECT_EQ(other.output, "a.html");
  EXPECT_EQ(other.options, (words{"--grid", "8,8,8"}));
  EXPECT_TRUE(std::get<std::string>(parse_demo(words{"--help"})).starts_with("imbrex demo [--output"));
}

TEST(demo, refuses_what_it_does_not_know) {
  EXPECT_EQ(complaint({"--output", ""}), "--output needs the name of a file, such as demo-report.html");
  EXPECT_TRUE(complaint({"--grid", "8,8,8"}).starts_with("unknown option --grid"));
}

TEST(demo, finds_its_program_beside_the_command_or_in_its_prefix) {
  const temporary_folder place;
  const files::path bin = place.file("bin");
  const files::path installed = place.file("libexec/imbrex");
  files::create_directories(bin);
  files::create_directories(installed);
  try {
    demo_program(bin, "libexec/imbrex");
    FAIL() << "there is no program";
  } catch (const error& e) {
    EXPECT_EQ(std::string(e.what()),
              "this installation has no program jacobi3d for the demo, neither in " + bin.string() +
                  " nor in " + installed.string() +
                  ": Imbrex was built without it; configure it with "
                  "-DIMBREX_BUILD_APPS=DEMO, build and install it, or run ./dev demo in "
                  "its source");
  }
  std::ofstream(installed / "jacobi3d") << "#!/bin/sh\n";
  EXPECT_EQ(demo_program(bin, "libexec/imbrex"), installed / "jacobi3d");
  std::ofstream(bin / "jacobi3d") << "#!/bin/sh\n";
  EXPECT_EQ(demo_program(bin, "libexec/imbrex"), bin / "jacobi3d");
}

TEST(demo, says_what_overlap_gains) {
  EXPECT_EQ(gain_text("{\"us_per_iter\": 30.0}\n{\"us_per_iter\": 25}\n{\"us_per_iter\": 20}\n"),
            "Overlap makes an iteration 1.50 times as fast; nothing else has changed.\n");
  EXPECT_EQ(gain_text("{\"us_per_iter\": 9}\n{\"us_per_iter\": 10}\n"),
            "Overlap makes an iteration 0.90 times as fast here, so it gains nothing; are two processors "
            "free?\n");
  EXPECT_THROW(gain_text("{\"us_per_iter\": 9}\n"), error);
}

}  // namespace
}  // namespace imbrex::tools
