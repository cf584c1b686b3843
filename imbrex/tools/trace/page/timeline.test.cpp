// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/page/timeline.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include <imbrex/tools/trace/analysis.hpp>
#include <imbrex/tools/trace/page/page.hpp>
#include <imbrex/tools/trace/random_schedule.test.hpp>
#include <imbrex/trace/temporary_trace.test.hpp>

namespace imbrex::tools {
namespace {

using test::random_schedule;
using trace::record_kind;

struct drawn_run {
  explicit drawn_run(const std::string& file, const timeline_limits& limits = {})
      : drawn(std::make_unique<timeline>(limits)) {
    trace::reader in(file);
    report = analyse(in, drawn.get());
    page = report_page(std::span(&report, 1), std::span(&drawn, 1));
  }
  run_report report;
  std::unique_ptr<timeline> drawn;
  std::string page;
};

std::map<std::uint32_t, std::uint64_t> sums(const timeline::row& row) {
  std::map<std::uint32_t, std::uint64_t> all;
  for (const auto& bin : row.shares.bins())
    for (const share& one : bin) all[one.what] += one.time;
  return all;
}

// Against the truth that the schedule knows, PE by PE, and against the report.
void check_bins(const random_schedule& run, const drawn_run& got) {
  std::map<std::uint32_t, std::uint64_t> by_entry;
  std::uint64_t operated = 0;
  for (const auto& row : got.drawn->rows()) {
    if (row.is_device)
      for (const auto& [kind, time] : sums(row)) operated += time;
    if (!row.is_pe) continue;
    SCOPED_TRACE("PE " + std::to_string(row.number));
    std::map<std::uint32_t, std::uint64_t> expected;
    for (const auto& s : run.pes.at(row.number).stretches) {
      if (s.begin >= s.end) continue;
      auto what = share_of(s.state);
      if (s.state == pe_state::program || s.state == pe_state::runtime) {
        const auto& entries = got.report.entries;
        const auto name = "entry" + std::to_string(s.entry);
        const auto found = std::find_if(entries.begin(), entries.end(),
                                        [&](const entry_report& e) { return e.name == name; });
        ASSERT_NE(found, entries.end());
        what = static_cast<std::uint32_t>(found - entries.begin());
        by_entry[what] += s.end - s.begin;
      }
      expected[what] += s.end - s.begin;
    }
    auto found = sums(row);
    // What the end of a run makes of its last idle time, bins do not know.
    const auto after = expected[share_of(pe_state::after_last)];
    std::uint64_t relabelled = 0;
    for (const auto s : {pe_state::idle_device, pe_state::idle_timer, pe_state::idle_other}) {
      relabelled += found[share_of(s)] - expected[share_of(s)];
      expected.erase(share_of(s));
      found.erase(share_of(s));
    }
    EXPECT_EQ(relabelled, after);
    expected.erase(share_of(pe_state::after_last));
    EXPECT_EQ(found, expected);
  }
  for (std::uint32_t e = 0; e < got.report.entries.size(); ++e)
    EXPECT_EQ(by_entry[e], got.report.entries[e].time) << got.report.entries[e].name;
  std::uint64_t expected = 0;
  for (const auto& one : run.operations) expected += one.end - std::max(one.begin, run.begin);
  EXPECT_EQ(operated, expected);
}

TEST(Timeline, SumsAreThoseOfTheRun) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_schedule::shape how;
    how.processes = 1 + seed % 3;
    how.pes_a_process = 1 + seed % 4;
    how.steps = 3000;
    how.clock_errors = seed % 2 == 1;
    how.pauses = seed % 4 == 3;
    random_schedule run(seed, how);
    const test::temporary_trace folder;
    run.write(folder.file());
    timeline_limits limits;
    limits.bins = seed % 2 == 0 ? 300'000 : 200;
    check_bins(run, drawn_run(folder.file(), limits));
  }
}

TEST(Timeline, TellsEveryMessageWhenItWasSentAndBegun) {
  random_schedule::shape how;
  how.processes = 2;
  how.steps = 4000;
  random_schedule run(3, how);
  const test::temporary_trace folder;
  run.write(folder.file());
  const drawn_run got(folder.file());
  using ends = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t>;
  std::vector<ends> expected;
  std::uint64_t between = 0;
  for (const auto& m : run.messages) {
    if (!m.has_begun) continue;
    expected.emplace_back(m.sender, m.receiver, m.sent - run.begin, m.begun - run.begin, m.bytes);
    if (m.sender != m.receiver) ++between;
  }
  std::vector<ends> found;
  const auto& rows = got.drawn->rows();
  for (const auto& m : got.drawn->messages())
    found.emplace_back(rows[m.from].number, rows[m.to].number, m.times.sent, m.times.begun, m.bytes);
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  EXPECT_GT(found.size(), 100U);
  EXPECT_EQ(found, expected);
  std::uint64_t linked = 0;
  for (const auto& link : got.drawn->links()) linked += link.messages;
  EXPECT_EQ(linked, between);
}

TEST(Timeline, KeepsDetailsOfAPartAndNoMoreThanItMay) {
  random_schedule run(5, {});
  const test::temporary_trace folder;
  run.write(folder.file());
  const drawn_run all(folder.file());
  const auto length = all.report.length;
  EXPECT_FALSE(all.drawn->cut());
  timeline_limits limits;
  limits.from = length / 3;
  limits.to = length / 2;
  const drawn_run part(folder.file(), limits);
  const auto inside = [&](const timeline::slice_detail& s) {
    return s.one.time.end >= limits.from && s.one.time.begin < limits.to;
  };
  const auto& slices = all.drawn->slices();
  EXPECT_EQ(part.drawn->slices().size(),
            static_cast<std::size_t>(std::count_if(slices.begin(), slices.end(), inside)));
  limits = {};
  limits.details = 50;
  const drawn_run cut(folder.file(), limits);
  EXPECT_TRUE(cut.drawn->cut());
  EXPECT_LE(cut.drawn->slices().size(), 50U);
  EXPECT_LE(cut.drawn->messages().size(), 50U);
  EXPECT_GT(cut.drawn->details().end, 0U);
  EXPECT_LT(cut.drawn->details().end, length);
}

TEST(Timeline, AnElementHasItsIndex) {
  const test::temporary_trace folder;
  trace::file_writer out(folder.file(), {});
  out.write_name(trace::name_table::collections, 1, 0, "block\t(8, 4, 3)");
  out.write_name(trace::name_table::collections, 2, 0, "worker\t16");
  out.write_name(trace::name_table::collections, 3, 0, "pole");
  out.write_name(trace::name_table::elements, 3, 77, "north");
  out.write_name(trace::name_table::collections, 4, 0, "odd\t(0, 99999999999999999999)");
  out.end();
  const trace::file_reader in(folder.file());
  EXPECT_EQ(chare_name(in, 1, 3 * (4 * 7 + 2) + 1), "block(7, 2, 1)");
  EXPECT_EQ(chare_name(in, 2, 15), "worker(15)");
  EXPECT_EQ(chare_name(in, 3, 77), "pole(north)");
  EXPECT_EQ(chare_name(in, 3, 78), "pole(78)");
  EXPECT_EQ(chare_name(in, 4, 5), "odd(5)");
  EXPECT_EQ(chare_name(in, 9, 5), "collection 9(5)");
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(Page, NamesCannotLeaveTheDataTheyStandIn) {
  const test::temporary_trace folder;
  const std::string evil = "</script><img src=x onerror=alert(1)>%STYLE%<!-- \xff\x01\"'";
  {
    trace::file_writer out(folder.file(), {});
    out.write_name(trace::name_table::entries, 0, 0, evil);
    out.write_name(trace::name_table::collections, 1, 0, evil);
    out.write_name(trace::name_table::marks, 1, 0, evil);
    const auto entry = static_cast<std::uint8_t>(trace::item_class::entry);
    out.write(0, std::vector{test::a_record(10, record_kind::item_begin, 0, 5, 1, 0, entry),
                             test::a_record(15, record_kind::mark, 0, 0, 1),
                             test::a_record(20, record_kind::item_end)});
    out.end();
  }
  const drawn_run got(folder.file());
  EXPECT_EQ(count(got.page, "<img"), 0U);
  EXPECT_EQ(count(got.page, "</script>"), 2U);  // of the data and of the script
  EXPECT_EQ(count(got.page, "<!--"), 1U);       // of the page itself
  EXPECT_GE(count(got.page, "\\u003c/script>\\u003cimg src=x"), 3U);
}

TEST(Page, NeedsNoNetwork) {
  random_schedule run(1, {});
  const test::temporary_trace folder;
  run.write(folder.file());
  const drawn_run got(folder.file());
  for (const char* const address : {"http:", "https:", "src=", "@import", "url("})
    EXPECT_EQ(count(got.page, address), 0U) << address;
  for (const char* const marker : {"%STYLE%", "%SCRIPT%", "%DATA%"}) EXPECT_EQ(count(got.page, marker), 0U);
}

}  // namespace
}  // namespace imbrex::tools
