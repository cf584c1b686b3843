// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/reader.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <random>
#include <tuple>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/trace/clock_fit.hpp>
#include <imbrex/trace/temporary_trace.test.hpp>

namespace imbrex::trace {
namespace {

using test::a_record;
using test::temporary_trace;

struct seen {
  std::uint32_t process;
  std::uint32_t track;
  std::uint64_t time;
  std::uint64_t a;
  bool operator==(const seen&) const = default;
};

/// All records that a reader gives.
std::vector<seen> read_all(reader& in) {
  std::vector<seen> all;
  for (auto piece = in.next(); !piece.records.empty(); piece = in.next()) {
    const auto& track = in.tracks()[piece.track];
    for (const record& r : piece.records)
      all.push_back({in.files()[track.file]->header().process, track.number, r.time, r.a});
  }
  return all;
}

std::vector<record> random_records(std::mt19937& random, std::size_t count, std::uint64_t time) {
  std::vector<record> records;
  for (std::size_t k = 0; k < count; ++k) {
    time += random() % 5;
    records.push_back(a_record(time, record_kind::mark, random()));
  }
  return records;
}

TEST(Reader, MergesAllTracksInTheOrderOfTime) {
  std::mt19937 random(7);
  const temporary_trace folder;
  std::vector<seen> expected;
  const clock_reading early{0, 0, 10};
  const clock_reading late{2'000'000'000, 500'000, 10};
  clock_fit fit;
  fit.add(early);
  fit.add(late);
  const clock_line losing = fit.line();
  EXPECT_EQ(losing.aligned(40'960), 40'970U);
  for (std::uint32_t process = 0; process < 3; ++process) {
    file_header head;
    head.process = process;
    head.processes = 3;
    head.first_pe = process * 4;
    head.pes = 4;
    file_writer out(file_of_process(folder.file(), process), head);
    // Process 2 is 1000 ns behind process 0, and process 1 loses 1 ns in 4000.
    if (process == 1) {
      out.write(early);
      out.write(late);
    }
    if (process == 2) out.write({77, 1000, 5});
    std::vector<std::vector<record>> tracks;
    std::vector<std::size_t> written(4, 0);
    for (int t = 0; t < 4; ++t)
      tracks.push_back(random_records(random, 20'000 + random() % 9, random() % 99));
    for (bool more = true; more;) {
      more = false;
      for (std::uint32_t t = 0; t < 4; ++t) {
        const auto some = std::min<std::size_t>(random() % 700, tracks[t].size() - written[t]);
        out.write(head.first_pe + t, std::span(tracks[t]).subspan(written[t], some));
        written[t] += some;
        more = more || written[t] < tracks[t].size();
      }
    }
    for (std::uint32_t t = 0; t < 4; ++t)
      for (const record& r : tracks[t]) {
        std::uint64_t time = r.time;
        if (process == 1) time = losing.aligned(time);
        if (process == 2) time += 1000;
        expected.push_back({process, head.first_pe + t, time, r.a});
      }
    out.end();
  }
  std::vector<std::size_t> order(expected.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t l, std::size_t r) {
    return std::pair(expected[l].time, l) < std::pair(expected[r].time, r);
  });
  std::vector<seen> sorted;
  for (const std::size_t k : order) sorted.push_back(expected[k]);
  reader in(folder.file());
  auto got = read_all(in);
  EXPECT_EQ(in.records_read(), expected.size());
  ASSERT_EQ(got, sorted);
  EXPECT_TRUE(in.warnings().empty()) << in.warnings().front();
}

/// Number of tracks, distribution of the records over them, and distances of their times.
struct many_tracks {
  std::uint32_t tracks;
  bool one_has_half;
  enum class times : std::uint8_t { all_equal, dense, far } step;
};

class ReaderOf : public ::testing::TestWithParam<many_tracks> {
 protected:
  ReaderOf() {
    const auto of = GetParam();
    file_header head;
    head.pes = of.tracks;
    file_writer out(folder_.file(), head);
    for (std::uint32_t t = 0; t < of.tracks; ++t) {
      std::size_t left = total / of.tracks + 1;
      if (of.one_has_half) left = t == of.tracks / 2 ? total / 2 : total / 2 / of.tracks + 1;
      std::vector<record> records;
      std::uint64_t time = 1000;
      for (; left > 0; --left) {
        time += step();
        records.push_back(
            a_record(time, random_() % 3 == 0 ? record_kind::sent : record_kind::mark, records.size()));
        records_.push_back({{0, t, time, records.size() - 1}, records.back().kind == record_kind::sent});
      }
      out.write(t, records);
    }
    out.end();
    std::sort(records_.begin(), records_.end(), [](const auto& l, const auto& r) {
      return std::tuple(l.first.time, l.first.track, l.first.a) <
             std::tuple(r.first.time, r.first.track, r.first.a);
    });
  }

  std::uint64_t step() {
    switch (GetParam().step) {
      case many_tracks::times::all_equal: return 0;
      case many_tracks::times::dense: return random_() % 5;
      default: return random_() % 9 == 0 ? std::uint64_t{random_()} << 4U : random_() % 2;
    }
  }

  static constexpr std::size_t total = 100'000;
  std::mt19937 random_{5};
  temporary_trace folder_;
  std::vector<std::pair<seen, bool>> records_;  // in the order of time; true for a `sent`
};

TEST_P(ReaderOf, MergesAllInTheOrderOfTime) {
  reader in(folder_.file());
  const auto got = read_all(in);
  ASSERT_EQ(got.size(), records_.size());
  for (std::size_t k = 0; k < got.size(); ++k) ASSERT_EQ(got[k], records_[k].first) << k;
}

TEST_P(ReaderOf, KeepsTheOrderOfSomeKindsAndOfTracks) {
  reader in(folder_.file());
  in.order_only(1U << static_cast<unsigned>(record_kind::sent));
  EXPECT_EQ(in.first_time(), records_.front().first.time);
  std::vector<seen> sent;
  std::vector<std::uint64_t> record_counts(
      in.tracks().size());                           // by track: number of records given; they are
                                                     // numbered
  std::vector<seen> not_before(in.tracks().size());  // by track: later records of it are after this
  const auto take = [&](const reader::piece& piece) {
    for (const record& r : piece.records) {
      ASSERT_EQ(r.a, record_counts[piece.track]++);
      const seen it{0, piece.track, r.time, r.a};
      const seen& limit = not_before[piece.track];
      ASSERT_LE(std::pair(limit.time, limit.track), std::pair(it.time, it.track));
      if (r.kind == record_kind::sent) sent.push_back(it);
    }
  };
  for (auto piece = in.next(); !piece.records.empty(); piece = in.next()) {
    take(piece);
    const record now = piece.records.back();
    const auto other = static_cast<std::uint32_t>(random_() % record_counts.size());
    if (now.kind != record_kind::sent || other == piece.track) continue;
    const auto rest = in.rest_before(other, now, piece.track);
    take(rest);
    for (const record& r : rest.records)
      ASSERT_LT(std::pair(r.time, other), std::pair(now.time, piece.track));
    not_before[other] = {0, piece.track, now.time, 0};
  }
  std::vector<seen> expected;
  for (const auto& [record, is_sent] : records_)
    if (is_sent) expected.push_back(record);
  ASSERT_EQ(sent.size(), expected.size());
  for (std::size_t k = 0; k < sent.size(); ++k) ASSERT_EQ(sent[k], expected[k]) << k;
  EXPECT_EQ(std::accumulate(record_counts.begin(), record_counts.end(), std::size_t{0}), records_.size());
}

std::vector<many_tracks> all_many_tracks() {
  std::vector<many_tracks> all;
  for (const std::uint32_t tracks : {1U, 8U, 64U, 1000U, 5000U})
    for (const bool one_has_half : {false, true})
      for (const auto step :
           {many_tracks::times::all_equal, many_tracks::times::dense, many_tracks::times::far})
        all.push_back({tracks, one_has_half, step});
  return all;
}
INSTANTIATE_TEST_SUITE_P(ManyTracks, ReaderOf, ::testing::ValuesIn(all_many_tracks()));

TEST(Reader, SortsByAllOfATime) {
  // Ends of buffers cut windows of nearly maximal length; the records after them are far apart.
  const temporary_trace folder;
  file_header head;
  head.pes = 2;
  file_writer out(folder.file(), head);
  std::vector<std::uint64_t> times;
  for (std::uint32_t track = 0; track < 2; ++track) {
    std::vector<record> records;
    std::uint64_t time = 1000;
    const auto add = [&](std::uint64_t step) {
      records.push_back(a_record(time += step, record_kind::mark, records.size()));
      times.push_back(time);
    };
    for (std::uint64_t step = 500'000; step < 1'000'000; step += 50'000) {
      for (int k = 0; k < 3'000; ++k) add(90'000'000 + track);
      for (int k = 0; k < 6'000 && track == 0; ++k) add(step);
    }
    out.write(track, records);
  }
  out.end();
  std::sort(times.begin(), times.end());
  reader in(folder.file());
  const auto got = read_all(in);
  ASSERT_EQ(got.size(), times.size());
  for (std::size_t k = 0; k < got.size(); ++k) ASSERT_EQ(got[k].time, times[k]) << k;
}

TEST(Reader, KnowsTheNamesOfNumbers) {
  const temporary_trace folder;
  file_writer out(folder.file(), file_header{});
  out.write_name(name_table::entries, 3, 0, "block::run");
  out.write_name(name_table::collections, 3, 0, "block\t8 8");
  out.write_name(name_table::elements, 3, 99, "north \xff");
  out.write_name(name_table::marks, 3, 0, "");
  out.write_name(name_table::entries, 3, 0, "block::go");
  const file_reader in(folder.file());
  EXPECT_EQ(in.name(name_table::entries, 3), "block::go");
  EXPECT_EQ(in.name(name_table::collections, 3), "block\t8 8");
  EXPECT_EQ(in.name(name_table::elements, 3, 99), "north \xff");
  EXPECT_EQ(in.name(name_table::elements, 3, 98), "");
  EXPECT_EQ(in.name(name_table::entries, 4), "");
  EXPECT_FALSE(in.ended());
  EXPECT_FALSE(in.damage());
}

TEST(Reader, KeepsSomeNamesOfEachKind) {
  const temporary_trace folder;
  constexpr std::uint64_t many = 70'000;
  file_writer out(folder.file(), file_header{});
  for (std::uint64_t k = 0; k < many; ++k) out.write_name(name_table::elements, 1, k, "block");
  out.write_name(name_table::streams, 1, 0, "north");
  out.write_name(name_table::elements, 1, 0, "south");
  const file_reader in(folder.file());
  EXPECT_EQ(in.name(name_table::elements, 1, many - 1), "");
  EXPECT_EQ(in.name(name_table::elements, 1, 1), "block");
  EXPECT_EQ(in.name(name_table::elements, 1, 0), "south");
  EXPECT_EQ(in.name(name_table::streams, 1, 0), "north");
}

std::string complaint(const std::string& path) {
  return testing::error_of<usage_error>([&] { reader in(path); });
}

TEST(Reader, RefusesWhatIsNoTrace) {
  const temporary_trace folder;
  EXPECT_NE(complaint(folder.file()).find("cannot read the trace"), std::string::npos);
  EXPECT_NE(complaint("/").find("is not a file"), std::string::npos);
  temporary_trace::make_file(folder.file(), "imbrext1");
  EXPECT_NE(complaint(folder.file()).find("it has 8 bytes"), std::string::npos);
  temporary_trace::make_file(folder.file(), std::string(100, 'x'));
  EXPECT_NE(complaint(folder.file()).find("it begins otherwise"), std::string::npos);
  file_header head;
  head.version = 2;
  file_writer(folder.file(), head).end();
  EXPECT_NE(complaint(folder.file()).find("of format version 2"), std::string::npos);
  head.version = 1;
  head.process = 1;
  file_writer(folder.file(), head).end();
  EXPECT_NE(complaint(folder.file()).find("impossible numbers"), std::string::npos);
}

TEST(Reader, TellsOfFilesThatAreMissingOrOfAnotherRun) {
  const temporary_trace folder;
  file_header head;
  head.processes = 4;
  head.job = 5;
  for (const std::uint32_t process : {0U, 2U, 3U}) {
    head.process = process;
    head.first_pe = process;
    if (process == 3) head.job = 6;
    file_writer out(file_of_process(folder.file(), process), head);
    out.write({0, 0, 0});
    out.write(process, std::vector{a_record(process, record_kind::mark)});
    out.end();
  }
  for (const char* const name : {"run.trace", "run.trace.2"}) {
    reader in(folder.file(name));
    EXPECT_EQ(in.processes(), 4U);
    ASSERT_EQ(in.files().size(), 2U);
    EXPECT_EQ(in.files()[1]->header().process, 2U);
    EXPECT_EQ(read_all(in).size(), 2U);
    ASSERT_EQ(in.warnings().size(), 1U);
    EXPECT_NE(in.warnings()[0].find("of 4 processes 2 are missing"), std::string::npos);
  }
}

TEST(Reader, AlignsByTheTimeOfDayWithAProcessThatWasCompared) {
  for (const std::uint32_t compared : {1U, 2U}) {
    const temporary_trace folder;
    for (const std::uint32_t process : {1U, 2U}) {
      file_header head;
      head.process = head.first_pe = process;
      head.processes = 3;
      head.started = 100 * process;
      head.wall_clock = 5000 + 1000 * process;
      file_writer out(file_of_process(folder.file(), process), head);
      if (process == compared) out.write({1000, 1'000'000'000, 100});
      out.write(process, std::vector{a_record(2000, record_kind::mark)});
      out.end();
    }
    reader in(folder.file("run.trace.1"));
    const auto got = read_all(in);
    ASSERT_EQ(got.size(), 2U);
    EXPECT_EQ(got[0].process, 1U);
    EXPECT_EQ(got[1].time - got[0].time, 900U);
    EXPECT_EQ(got[compared - 1].time, 1'000'002'000U);
    ASSERT_EQ(in.warnings().size(), 2U);
    EXPECT_NE(in.warnings()[1].find("of 1 of 2 processes were never compared"), std::string::npos);
  }
}

/// A file with two tracks, names and a reading of a clock; `records` in all.
std::string small_file(const temporary_trace& folder, std::size_t* records) {
  std::mt19937 random(3);
  file_header head;
  head.pes = 2;
  file_writer out(folder.file("small"), head);
  out.write_name(name_table::marks, 0, 0, "halo");
  out.write({0, 5, 1});
  *records = 0;
  for (std::uint32_t k = 0; k < 6; ++k) {
    const auto some = random_records(random, 1 + random() % 3, 100 * k);
    out.write(k % 2, some);
    *records += some.size();
  }
  out.end();
  return temporary_trace::bytes_of(folder.file("small"));
}

TEST(Reader, ReadsAFileThatWasCutAnywhereUpToThere) {
  const temporary_trace folder;
  std::size_t records = 0;
  const std::string whole = small_file(folder, &records);
  std::size_t last = 0;
  for (std::size_t bytes = sizeof(file_header); bytes <= whole.size(); ++bytes) {
    temporary_trace::make_file(folder.file(), whole.substr(0, bytes));
    reader in(folder.file());
    const auto got = read_all(in).size();
    EXPECT_GE(got, last);
    EXPECT_LE(got, last + 1);
    last = got;
    EXPECT_EQ(in.files()[0]->ended(), bytes == whole.size());
    EXPECT_EQ(in.warnings().empty(), bytes == whole.size());
    if (const auto& damage = in.files()[0]->damage()) {
      EXPECT_LE(damage->byte, bytes);
    }
  }
  EXPECT_EQ(last, records);
}

TEST(Reader, SaysWhereAFileIsDamaged) {
  const temporary_trace folder;
  std::size_t records = 0;
  const std::string whole = small_file(folder, &records);
  const auto damaged = [&](std::size_t byte, char value) {
    auto bytes = whole;
    bytes[byte] = value;
    temporary_trace::make_file(folder.file(), bytes);
    reader in(folder.file());
    const auto got = read_all(in);
    EXPECT_TRUE(
        std::is_sorted(got.begin(), got.end(), [](const seen& l, const seen& r) { return l.time < r.time; }));
    const auto warnings = in.warnings();
    return warnings.empty() ? std::string() : warnings[0];
  };
  // The chunk of a name (16 + 24 + 8 bytes) follows the header, then that of a clock (16 + 24), and one of
  // records.
  EXPECT_NE(damaged(64, '!').find("byte 64: no chunk begins where one should"), std::string::npos);
  EXPECT_NE(damaged(68, 9).find("byte 64: a chunk of no known kind"), std::string::npos);
  EXPECT_NE(damaged(79, 1).find("byte 64: a chunk of impossible size"), std::string::npos);
  EXPECT_NE(damaged(80, 7).find("byte 80: a name of no known kind"), std::string::npos);
  EXPECT_NE(damaged(96, 9).find("byte 80: a name that is longer than its chunk"), std::string::npos);
  EXPECT_NE(damaged(143, 'x').find("byte 128: a reading of a clock with impossible"), std::string::npos);
  EXPECT_NE(damaged(160, 5).find("byte 152: a chunk of a track that this process cannot have"),
            std::string::npos);
  EXPECT_NE(damaged(164, 1).find("byte 152: a chunk whose size does not fit"), std::string::npos);
  EXPECT_NE(damaged(176, 99).find("byte 168: a record of no known kind"), std::string::npos);
  EXPECT_NE(damaged(175, 99).find("byte 168: a record with an impossible time"), std::string::npos);
}

TEST(Reader, KnowsWhenItsFileWasWritten) {
  constexpr std::int64_t now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::sys_days{std::chrono::year{2026} / 11 / 26}.time_since_epoch())
          .count();
  for (const bool is_virtual : {false, true}) {
    const temporary_trace folder;
    file_header head;
    head.started = 5'000;
    head.wall_clock = now;
    if (is_virtual) head.flags = simulated_clock;
    {
      file_writer out(folder.file(), head);
      out.write(0, std::vector{a_record(6'000, record_kind::mark),
                               a_record(1'000'000'000'000'000, record_kind::mark)});
      out.end();
    }
    const std::filesystem::file_time_type written(std::chrono::file_clock::from_sys(
        std::chrono::sys_time<std::chrono::nanoseconds>(std::chrono::nanoseconds(now + 1'000'000'000))));
    std::filesystem::last_write_time(folder.file(), written);
    reader in(folder.file());
    EXPECT_EQ(read_all(in).size(), is_virtual ? 2U : 1U);
    ASSERT_EQ(in.warnings().size(), is_virtual ? 0U : 1U);
    if (!is_virtual) {
      EXPECT_NE(in.warnings()[0].find("a time that was yet to come when the file was written"),
                std::string::npos)
          << in.warnings()[0];
    }
  }
}

TEST(Reader, SaysHowManyRecordsOfADamagedFileItHasRead) {
  const temporary_trace folder;
  file_header head;
  head.pes = 2;
  file_writer out(folder.file(), head);
  out.write(1, std::vector{a_record(100, record_kind::mark), a_record(50, record_kind::mark)});
  std::mt19937 random(3);
  out.write(0, random_records(random, 1000, 0));
  out.end();
  reader in(folder.file());
  EXPECT_EQ(read_all(in).size(), 1001U);
  ASSERT_EQ(in.warnings().size(), 1U);
  EXPECT_NE(
      in.warnings()[0].find("a record earlier than the one before it; what follows is not read from when "
                            "that was found: 1001 records were"),
      std::string::npos)
      << in.warnings()[0];
}

TEST(Reader, SurvivesRandomDamage) {
  const temporary_trace folder;
  std::size_t records = 0;
  const std::string whole = small_file(folder, &records);
  std::mt19937 random(11);
  for (int round = 0; round < 1000; ++round) {
    auto bytes = whole;
    for (auto left = random() % 4 + 1; left > 0; --left)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    temporary_trace::make_file(folder.file(), bytes);
    try {
      reader in(folder.file());
      const auto got = read_all(in);
      EXPECT_LE(got.size(), records);
      EXPECT_EQ(got.size(), in.records_read());
      EXPECT_TRUE(std::is_sorted(got.begin(), got.end(),
                                 [](const seen& l, const seen& r) { return l.time < r.time; }));
    } catch (const usage_error&) {  // damage in the header
    }
  }
}

}  // namespace
}  // namespace imbrex::trace
