// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/command/trace_command.hpp>

#include <gtest/gtest.h>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/trace/file_writer.hpp>
#include <imbrex/trace/reader.hpp>
#include <imbrex/trace/temporary_trace.test.hpp>

namespace imbrex::tools {
namespace {

using words = std::vector<std::string>;

report_settings report(const words& line) { return std::get<report_settings>(parse_report(line)); }

conversion_settings conversion(const words& line) {
  return std::get<conversion_settings>(parse_conversion(line));
}

std::string complaint(const words& line) {
  return testing::error_of<usage_error>([&] { trace_commands().run(line); });
}

TEST(trace_command, takes_one_trace_or_two) {
  EXPECT_EQ(report({"a"}).files, words{"a"});
  using form = report_settings::form;
  EXPECT_EQ(report({"a"}).as, form::page);
  EXPECT_EQ(report({"a", "--text"}).as, form::text);
  const auto page = report({"a", "--output", "b.html", "--from", "1.5ms", "--to", "2s"});
  EXPECT_EQ(page.output, "b.html");
  EXPECT_EQ(page.from, 1'500'000U);
  EXPECT_EQ(page.to, 2'000'000'000U);
  const auto phase = report({"a", "--text", "--phase", "steps"});
  EXPECT_EQ(phase.phase, "steps");
  const auto two = report({"--json", "a", "--", "--b"});
  EXPECT_EQ(two.as, form::json);
  EXPECT_EQ(two.files, (words{"a", "--b"}));
}

TEST(trace_command, takes_a_trace_to_convert) {
  const auto request = conversion({"a", "--to", "perfetto", "--output=b"});
  EXPECT_EQ(request.file, "a");
  EXPECT_EQ(request.output, "b");
  EXPECT_FALSE(request.to_otf2);
  EXPECT_TRUE(conversion({"a", "--to", "otf2", "--output=b"}).to_otf2);
}

TEST(trace_command, says_what_is_wrong_and_what_to_write) {
  const std::vector<std::pair<words, const char*>> wrong{
      {{}, "no command; there are: report, convert; see imbrex trace --help"},
      {{"reprot", "a"}, "there is no command 'reprot'; did you mean report?"},
      {{"report"}, "no trace to report on"},
      {{"report", "a", "--jsno"}, "unknown option --jsno; did you mean --json?"},
      {{"report", "a", "--json", "--text"}, "--text and --json exclude each other"},
      {{"convert", "a", "--output", "b"}, "--to is missing; write --to perfetto or --to otf2"},
      {{"convert", "a", "--to", "chrome", "--output", "b"},
       "--to chrome: no such format; write --to perfetto or --to otf2"},
      {{"convert", "a", "--to=perfetto"}, "--output is missing: say which file"},
      {{"convert", "a", "--to=otf2"}, "--output is missing: say which folder"},
      {{"convert", "--to=perfetto", "--output", "b"}, "0 traces to convert"},
      {{"convert", "a", "--to"}, "--to needs a value"},
      {{"convert", "a", "--json", "--to=perfetto", "--output", "b"},
       "unknown option --json; see imbrex trace convert --help"},
      {{"convert", "a", "--from", "1ms", "--to=perfetto", "--output", "b"},
       "unknown option --from; see imbrex trace convert --help"},
      {{"report", "a", "--from", "soon"}, "--from soon is no time; write one since the start"},
      {{"report", "a", "--to"}, "--to needs a value"},
      {{"report", "a", "--from", "2ms", "--to", "1ms"}, "--from must be before --to"},
      {{"report", "a", "--json", "--to", "1ms"}, "--output, --from and --to are for the page"},
      {{"report", "a", "--phase", "steps"},
       "--phase is for --text and --json; the page shows all of the run"},
      {{"report", "a", "b", "c"}, "at most two traces can be compared, and 3 are named"},
  };
  for (const auto& [line, expected] : wrong)
    EXPECT_NE(complaint(line).find(expected), std::string::npos) << expected << ", got: " << complaint(line);
}

TEST(trace_command, overwrites_no_file_of_the_trace) {
  const test::temporary_trace folder;
  for (std::uint32_t process = 0; process < 2; ++process) {
    trace::file_header head;
    head.process = head.first_pe = process;
    head.processes = 2;
    trace::file_writer(trace::file_of_process(folder.file(), process), head).end();
  }
  for (std::uint32_t read = 0; read < 2; ++read)
    for (std::uint32_t written = 0; written < 2; ++written)
      for (const bool converts : {true, false}) {
        const std::string output = trace::file_of_process(folder.file(), written);
        const std::string file = trace::file_of_process(folder.file(), read);
        const std::string error_text = testing::error_of<usage_error>([&] {
          if (converts)
            convert_trace({.file = file, .output = output});
          else
            print_report({.files = {file}, .output = output});
        });
        EXPECT_NE(error_text.find("is the trace itself, of process " + std::to_string(written)),
                  std::string::npos)
            << error_text;
        EXPECT_NO_THROW(trace::reader{output});
      }
}

TEST(trace_command, refuses_a_part_behind_the_end) {
  const test::temporary_trace folder;
  {
    trace::file_writer out(folder.file(), {});
    out.write(0, std::vector<trace::record>{{1'000, trace::record_kind::mark, 0, 0, 0, 0, 0},
                                            {3'000, trace::record_kind::mark, 0, 0, 0, 0, 0}});
    out.end();
  }
  report_settings request;
  request.files = {folder.file()};
  request.output = folder.file() + ".html";
  request.from = 2'000;
  EXPECT_EQ(print_report(request), 0);
  request.from = 2'001;
  EXPECT_THROW(print_report(request), usage_error);
}

TEST(trace_command, gives_help) {
  EXPECT_NE(std::get<std::string>(parse_report(words{"a", "-h"})).find("imbrex trace report FILE"),
            std::string::npos);
  EXPECT_NE(std::get<std::string>(parse_conversion(words{"--help"})).find("imbrex trace convert FILE"),
            std::string::npos);
}

}  // namespace
}  // namespace imbrex::tools
