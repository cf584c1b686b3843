// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/page/timeline.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

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

// Compares each PE's bins with the schedule and with the report.
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
    // The bins do not relabel the last idle time at the end of a run.
    const auto after = expected[share_of(pe_state::after_last)];
    std::uint64_t relabelled = 0;
    for (const auto s : {pe_state::idle_device, pe_state::idle_timer, pe_state::idle_other}) {
      relabelled += found[share_of(s)] - expected[share_of(s)];
      expected.erase(share_of(s));
      found.erase(share_of(s));
    }
    EXPECT_EQ(relabelled, after);
    // Outermost slices cover the time in which the PE was not idle.
    std::uint64_t busy = 0;
    for (const auto& [what, time] : expected)
      if (what < got.report.entries.size()) busy += time;
    std::uint64_t sliced = 0;
    for (const auto& s : got.drawn->slices())
      if (&got.drawn->rows()[s.row] == &row && s.one.depth == 0) sliced += s.one.time.end - s.one.time.begin;
    EXPECT_EQ(sliced, busy);
    expected.erase(share_of(pe_state::after_last));
    EXPECT_EQ(found, expected);
  }
  for (std::uint32_t e = 0; e < got.report.entries.size(); ++e)
    EXPECT_EQ(by_entry[e], got.report.entries[e].time) << got.report.entries[e].name;
  std::uint64_t expected = 0;
  for (const auto& one : run.operations) expected += one.end - one.begin;
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
  const auto end = cut.drawn->details().end;
  EXPECT_GT(end, 0U);
  EXPECT_LT(end, length);
  // The timeline has all details of this part, and no later ones.
  const auto begins_before = [&](const timeline::slice_detail& s) { return s.one.time.begin < end; };
  EXPECT_EQ(cut.drawn->slices().size(),
            static_cast<std::size_t>(std::count_if(slices.begin(), slices.end(), begins_before)));
  const auto& messages = all.drawn->messages();
  EXPECT_EQ(cut.drawn->messages().size(),
            static_cast<std::size_t>(std::count_if(messages.begin(), messages.end(),
                                                   [&](const auto& m) { return m.times.sent < end; })));
}

TEST(Timeline, ALongSliceTakesTheRoomOfOneOnly) {
  const test::temporary_trace folder;
  {
    trace::file_header head;
    head.pes = 2;
    trace::file_writer out(folder.file(), head);
    out.write(0, std::vector{test::a_record(10, record_kind::item_begin),
                             test::a_record(1'000'000, record_kind::item_end)});
    std::vector<trace::record> records;
    for (std::uint64_t k = 0; k < 200; ++k) {
      records.push_back(test::a_record(1000 * k, record_kind::item_begin));
      records.push_back(test::a_record(1000 * k + 500, record_kind::item_end));
    }
    out.write(1, records);
    out.end();
  }
  timeline_limits limits;
  limits.details = 100;
  const drawn_run got(folder.file(), limits);
  EXPECT_TRUE(got.drawn->cut());
  EXPECT_EQ(got.drawn->details().end, 99'000U);
  EXPECT_EQ(got.drawn->slices().size(), 100U);
  const auto is_long = [](const timeline::slice_detail& s) { return s.one.time.end == 1'000'000; };
  EXPECT_TRUE(std::any_of(got.drawn->slices().begin(), got.drawn->slices().end(), is_long));
}

TEST(Timeline, PhasesOfOneNameThatOverlapEndWhereTheyShould) {
  const test::temporary_trace folder;
  {
    trace::file_header head;
    head.pes = 2;
    trace::file_writer out(folder.file(), head);
    out.write_name(trace::name_table::marks, 3, 0, "sweep");
    // Two PEs use the same numbers, and the first has two phases open at once.
    out.write(0, std::vector{test::a_record(10, record_kind::phase_begin, 7, 1, 3),
                             test::a_record(20, record_kind::phase_begin, 7, 2, 3),
                             test::a_record(30, record_kind::phase_end, 7, 1, 3),
                             test::a_record(50, record_kind::phase_end, 7, 2, 3)});
    out.write(1, std::vector{test::a_record(15, record_kind::phase_begin, 7, 1, 3),
                             test::a_record(17, record_kind::mark, ~std::uint64_t{0}, 0, 3),
                             test::a_record(40, record_kind::phase_end, 7, 1, 3)});
    out.end();
  }
  const drawn_run got(folder.file());
  std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::int64_t, bool>> found;
  for (const auto& m : got.drawn->marked()) {
    EXPECT_EQ(got.drawn->marks().at(m.name), "sweep");
    found.emplace_back(m.row, m.time.begin, m.time.end, m.number, m.phase);
  }
  std::sort(found.begin(), found.end());
  const decltype(found) expected{
      {0, 0, 20, 7, true}, {0, 10, 40, 7, true}, {1, 5, 30, 7, true}, {1, 7, 7, -1, false}};
  EXPECT_EQ(found, expected);
}

TEST(Timeline, EndsPhasesAlsoWhenThereIsNoRoomForFurtherMarks) {
  const test::temporary_trace folder;
  {
    std::vector<trace::record> records{test::a_record(0, record_kind::phase_begin, 7, 1, 0)};
    for (std::uint64_t k = 1; k <= 30'000; ++k)
      records.push_back(test::a_record(k, record_kind::mark, k, 0, 1));
    records.push_back(test::a_record(40'000, record_kind::phase_end, 7, 1, 0));
    records.push_back(test::a_record(1'000'000, record_kind::parked));
    trace::file_writer out(folder.file(), {});
    out.write(0, records);
    out.end();
  }
  const drawn_run got(folder.file());
  EXPECT_TRUE(got.drawn->cut());
  EXPECT_LT(got.drawn->marked().size(), 30'000U);
  const auto& last = got.drawn->marked().back();
  EXPECT_TRUE(last.phase);
  EXPECT_EQ(last.time.end, 40'000U);
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

std::vector<std::uint8_t> bytes_of(const std::string& base64) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : base64.substr(0, base64.find('='))) {
    bits = bits << 6U | static_cast<std::uint32_t>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> static_cast<unsigned>(count)));
  }
  return bytes;
}

// Thirty entries alternate, so that bins hold many: merged entries count as others.
TEST(Page, BinsHoldAllTimeAlsoOfEntriesThatTheyDoNotTellApart) {
  const test::temporary_trace folder;
  std::vector<trace::record> records;
  std::uint64_t now = 0;
  std::uint64_t busy = 0;
  const auto entry = static_cast<std::uint8_t>(trace::item_class::entry);
  for (std::uint16_t k = 0; k < 3000; ++k) {
    const auto id = static_cast<std::uint16_t>(k % 30);
    records.push_back(test::a_record(now, record_kind::item_begin, 0, 0, 0, id, entry));
    now += 1000 + 20U * id;
    busy += 1000 + 20U * id;
    records.push_back(test::a_record(now, record_kind::item_end));
    now += 100;
  }
  {
    trace::file_writer out(folder.file(), {});
    out.write(0, records);
    out.end();
  }
  timeline_limits limits;
  limits.bins = 64;
  const drawn_run got(folder.file(), limits);
  const auto document = nlohmann::json::parse(timeline_json(*got.drawn, got.report));
  const auto counts = bytes_of(document["rows"][0]["counts"]);
  const auto shares = bytes_of(document["rows"][0]["shares"]);
  EXPECT_GT(counts.size(), 20U);
  EXPECT_LE(*std::max_element(counts.begin(), counts.end()), 2 + 8 + 1);
  const std::uint8_t others = pe_states;
  double parts = 0;
  double apart = 0;
  for (std::size_t k = 0; k < shares.size(); k += 2) {
    if (shares[k] >= others) parts += shares[k + 1];
    if (shares[k] > others) apart += shares[k + 1];
  }
  EXPECT_LT(apart, 0.5 * parts);
  const double width = document["bin"];
  EXPECT_NEAR(parts / 255 * width / static_cast<double>(busy), 1, 0.01);
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
  EXPECT_EQ(count(got.page, "</script>"), 2U);  // one ends the data, the other the script
  EXPECT_EQ(count(got.page, "<!--"), 1U);       // the page's own comment
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
