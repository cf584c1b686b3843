// SPDX-License-Identifier: Apache-2.0
// Traces of programs inside a GPU, written with --trace, read back, and compared with the counts of their
// chares.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/resident/cells.test.hpp>
#include <imbrex/resident/program.hpp>
#include <imbrex/resident/stepped.test.hpp>
#include <imbrex/trace/reader.hpp>
#include <imbrex/trace/temporary_trace.test.hpp>

namespace imbrex::resident::test {
namespace {

using trace::record_kind;

/// Number of records of each block and entry, and of lost ones.
struct block_records {
  std::map<std::uint32_t, std::map<std::string, std::uint64_t>> entries;
  std::uint64_t lost = 0, begun_early = 0, elsewhere = 0;
  std::size_t tracks = 0;

  explicit block_records(const std::string& file) {
    trace::reader in(file);
    std::map<std::uint32_t, std::uint64_t> ends;  // end of each block's last entry
    for (auto piece = in.next(); !piece.records.empty(); piece = in.next()) {
      const auto& track = in.tracks()[piece.track];
      if (trace::class_of_track(track.number) != trace::track_class::block) continue;
      const std::uint32_t place = trace::place_of_track(track.number);
      elsewhere += place >> 16U != 0 ? 1 : 0;
      for (const trace::record& r : piece.records) {
        if (r.kind == record_kind::dropped) lost += r.a;
        if (r.kind != record_kind::operation) continue;
        ++entries[place][std::string(in.files()[track.file]->name(trace::name_table::marks, r.entry))];
        begun_early += r.time - r.a < ends[place] ? 1 : 0;
        ends[place] = r.time;
      }
    }
    for (const auto& track : in.tracks())
      tracks += trace::class_of_track(track.number) == trace::track_class::block ? 1 : 0;
    EXPECT_TRUE(in.warnings().empty());
  }
};

options traced(const imbrex::test::temporary_trace& folder) {
  options how;
  how.pes = 1;
  how.device = "emulated";
  how.trace = folder.file();
  return how;
}

TEST(resident_trace, has_each_entry_in_its_block) {
  const imbrex::test::temporary_trace folder;
  std::map<std::uint32_t, std::uint64_t> got;
  run_whole(traced(folder), [&]() -> task<int> {
    settings s;
    s.pes = 3;
    s.threads = 2;
    program<ring> p(gpu(), s, {7});
    for (int round = 0; round < 2; ++round) {
      p.start<&ring::token>(2, std::uint64_t{99});
      co_await p.stream().done();
      p.end();
    }
    const auto all = p.read<ring>();
    for (std::uint32_t n = 0; n < 7; ++n) got[n % 3] += all[n].got;
    co_return 0;
  });
  const block_records found(folder.file());
  EXPECT_EQ(found.lost, 0U);
  EXPECT_EQ(found.begun_early, 0U) << "entries of a block lie one after the other";
  EXPECT_EQ(found.elsewhere, 0U);
  ASSERT_EQ(found.entries.size(), 3U);
  for (const auto& [block, entries] : found.entries) {
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries.begin()->first, "ring::token");
    EXPECT_EQ(entries.begin()->second, got[block]);
  }
}

/// Each program has tracks of its own, and the next one has the free ones.
TEST(resident_trace, keeps_programs_apart) {
  const imbrex::test::temporary_trace folder;
  run_whole(traced(folder), []() -> task<int> {
    settings s;
    s.pes = 2;
    for (int round = 0; round < 3; ++round) {
      program<ring> one(gpu(), s, {4});
      program<boss, worker> other(gpu(), s, {1}, {10});
      one.start<&ring::token>(0, std::uint64_t{99});
      other.start<&boss::start>(0, std::uint32_t{5});
      co_await one.stream().done();
      co_await other.stream().done();
      one.end();
      other.end();
    }
    co_return 0;
  });
  const block_records found(folder.file());
  EXPECT_EQ(found.tracks, 4U);
  EXPECT_EQ(found.begun_early, 0U);
  std::map<std::string, std::uint64_t> all;
  for (const auto& [block, entries] : found.entries)
    for (const auto& [name, count] : entries) all[name] += count;
  EXPECT_EQ(all["ring::token"], 300U);
  EXPECT_EQ(all["boss::start"], 3U);
  EXPECT_EQ(all["boss::collect"], 15U);
  EXPECT_EQ(all["worker::work"], 150U);
}

/// More entries than a PE's ring holds, in one burst: each is recorded, or counted as missing.
TEST(resident_trace, counts_what_is_missing) {
  const imbrex::test::temporary_trace folder;
  std::uint64_t entries = 0;
  run_whole(traced(folder), [&]() -> task<int> {
    settings s;
    s.pes = 1;
    program<ring> p(gpu(), s, {1});
    p.start<&ring::token>(0, std::uint64_t{50'000});
    co_await p.stream().done();
    entries = p.end().entries;
    co_return 0;
  });
  const block_records found(folder.file());
  std::uint64_t recorded = 0;
  for (const auto& [block, of] : found.entries)
    for (const auto& [name, count] : of) recorded += count;
  EXPECT_EQ(entries, 50'001U);
  EXPECT_EQ(recorded + found.lost, entries);
  EXPECT_GE(recorded, 1'000U);
}

TEST(resident_trace, has_no_blocks_in_simulated_time) {
  const imbrex::test::temporary_trace folder;
  options how = traced(folder);
  how.machine = machine_kind::simulated;
  run_whole(how, []() -> task<int> {
    settings s;
    s.pes = 2;
    program<ring> p(gpu(), s, {4});
    p.start<&ring::token>(0, std::uint64_t{9});
    co_await p.stream().done();
    p.end();
    co_return 0;
  });
  EXPECT_EQ(block_records(folder.file()).tracks, 0U);
}

}  // namespace
}  // namespace imbrex::resident::test
