// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/process_report.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <regex>
#include <string>

#include <imbrex/base/sanitized.test.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::process_report_test {

using namespace std::chrono_literals;

detail::process_report example() {
  detail::process_report report{.process = 1, .processes = 2, .pid = 4711};
  report.pes.push_back({.pe = 2, .answers = true, .sleeps = true, .chares = 1});
  report.pes.push_back(
      {.pe = 3,
       .answers = true,
       .runs = "block::step",
       .queued = 10,
       .queue = {{"a", 4}, {"b", 3}, {"c", 2}, {"d", 1}},
       .chares = 12,
       .device_operations = 2,
       .waits = {{"block(\"x\")", "halo", "prog.py:12, in run"}, {"a message is kept", "", ""}},
       .more_waits = 30,
       .thrown = {"an error"}});
  report.pes.push_back({.pe = 4, .runs = "block::spin", .busy = 1040ms});
  report.pes.push_back({.pe = 5, .busy = 1000ms});
  return report;
}

TEST(process_reports, are_texts_for_people) {
  EXPECT_EQ(
      example().text(),
      "report of process 1 of 2 (pid 4711):\n"
      "  PE 2 sleeps; it has 1 chare and an empty queue\n"
      "  PE 3 runs block::step; it has 12 chares and 10 queued: 4 a, 3 b, 2 c, and others; 2 operations "
      "of its device are under way\n"
      "  PE 4 has run block::spin for at least 1.0 s, and cannot tell who waits there\n"
      "  PE 5 has been busy for at least 1.0 s, and cannot tell who waits there\n"
      "Exceptions that wait for other replies:\n"
      "  an error\n"
      "Waiting:\n"
      "  block(\"x\") waits for halo, at prog.py:12, in run\n"
      "  a message is kept\n"
      "  and 30 more");
  const detail::process_report ended{.process = 1, .processes = 2, .pid = 4711, .has_ended = true};
  EXPECT_EQ(ended.text(),
            "report of process 1 of 2 (pid 4711): the run has ended here, and waits for the other processes");
}

TEST(process_reports, have_twenty_lines_of_a_kind) {
  detail::process_report report;
  for (int pe = 0; pe < 25; ++pe) {
    report.pes.push_back({.pe = pe, .answers = true, .waits = {{"an entry", "something", ""}}});
    report.others.emplace_back("a block");
  }
  const std::string text = report.text();
  for (const char* const line : {"\n  PE ", "\n  an entry waits for something", "\n  a block"}) {
    const std::regex pattern(line);
    EXPECT_EQ(std::distance(std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator()),
              20)
        << line;
  }
  const std::regex more("\n  and 5 more");
  EXPECT_EQ(std::distance(std::sregex_iterator(text.begin(), text.end(), more), std::sregex_iterator()), 3);
}

TEST(process_reports, are_json_for_programs) {
  detail::process_report report = example();
  report.pes.erase(report.pes.begin());
  report.pes.pop_back();
  report.others.emplace_back("\tblock \\");
  EXPECT_EQ(
      report.json(),
      "{\"process\": 1, \"processes\": 2, \"pid\": 4711, \"ended\": false, \"pes\": [{\"pe\": 3, "
      "\"answers\": "
      "true, \"sleeps\": false, \"runs\": \"block::step\", \"queued\": 10, \"queue\": [{\"name\": \"a\", "
      "\"count\": 4}, {\"name\": \"b\", \"count\": 3}, {\"name\": \"c\", \"count\": 2}, {\"name\": \"d\", "
      "\"count\": 1}], \"chares\": 12, \"heaviest\": [], \"device_operations\": 2, \"waits\": [{\"who\": "
      "\"block(\\\"x\\\")\", "
      "\"what\": \"halo\", \"place\": \"prog.py:12, in run\"}, {\"who\": \"a message is kept\", \"what\": "
      "\"\", "
      "\"place\": \"\"}], \"more_waits\": 30, \"thrown\": [\"an error\"]}, {\"pe\": 4, \"answers\": false, "
      "\"sleeps\": false, \"runs\": \"block::spin\", \"busy_ms\": 1040}], \"others\": [\"\\u0009block "
      "\\\\\"]}");
}

struct block : chare<block> {
  mailbox<int> halo;

  task<> run() { co_await halo.receive(4); }
  task<> tick() {
    for (;;) co_await sleep_for(1s);
  }
  void quit() { std::raise(SIGQUIT); }
  void serialize(auto& ar) { ar(halo); }
};

/// The report that SIGQUIT makes of a program that is never quiet, and waits for a message in vain.
TEST(process_reports, come_by_sigquit_from_the_deterministic_machine) {
  ::testing::internal::CaptureStderr();
  const int status = imbrex::run(seeded(2, 1), []() -> task<int> {
    const auto a = make_array<block>(4);
    send<&block::tick>(a[0]);
    send<&block::halo>(a[1], 5, 1);
    auto never = a.call<&block::run>();
    co_await sleep_for(1ms);
    send<&block::quit>(a[3]);
    co_await sleep_for(1ms);
    co_return 3;
  });
  const std::string text =
      std::regex_replace(::testing::internal::GetCapturedStderr(), std::regex("pid [0-9]+"), "pid N");
  EXPECT_EQ(status, 3);
  EXPECT_EQ(
      text,
      "imbrex: PE 1 runs block::quit; the report of all PEs comes when that returns\n"
      "imbrex: report of process 0 of 1 (pid N):\n"
      "  PE 0 sleeps; it has 2 chares and an empty queue\n"
      "  PE 1 sleeps; it has 2 chares and an empty queue\n"
      "Waiting:\n"
      "  the main task waits for the end of a sleep of 0.001000 s\n"
      "  block(0), entry run, on PE 0 waits for halo with reference 4\n"
      "  block(0), entry tick, on PE 0 waits for the end of a sleep of 1.000000 s\n"
      "  block(1), entry run, on PE 0 waits for halo with reference 4 (1 unread with other references)\n"
      "  block(2), entry run, on PE 1 waits for halo with reference 4\n"
      "  block(3), entry run, on PE 1 waits for halo with reference 4\n");
}

}  // namespace imbrex::process_report_test
