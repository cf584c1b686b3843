// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/recording.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/small_files.test.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::trace {
namespace {

class Recording : public ::testing::Test {
 protected:
  Recording() {
    std::string pattern = ::testing::TempDir() + "recordingXXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Recording() override { std::filesystem::remove_all(folder_); }

  recording_settings how() const {
    recording_settings h;
    h.file = (folder_ / "trace").string();
    return h;
  }

  /// The content of a file, read without `reader`.
  struct content {
    file_header head;
    std::map<std::uint32_t, std::vector<record>> tracks;
    std::map<std::pair<name_table, std::uint32_t>, std::string> names;
    std::vector<clock_reading> readings;
    bool has_end = false;
  };
  content read() const {
    std::ifstream file(folder_ / "trace", std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    content c;
    std::size_t at = 0;
    const auto take = [&](auto& value) {
      ASSERT_LE(at + sizeof value, bytes.size());
      std::memcpy(&value, bytes.data() + at, sizeof value);
      at += sizeof value;
    };
    take(c.head);
    while (at < bytes.size()) {
      EXPECT_FALSE(c.has_end);
      chunk_header chunk;
      take(chunk);
      EXPECT_EQ(chunk.magic, chunk_magic);
      if (chunk.magic != chunk_magic) return c;
      const std::size_t until = at + chunk.bytes;
      switch (chunk.kind) {
        case chunk_kind::records:
          while (at < until) take(c.tracks[chunk.track].emplace_back());
          break;
        case chunk_kind::names:
          while (at < until) {
            name_header name;
            take(name);
            c.names[{name.table, name.id}] = bytes.substr(at, name.length);
            at += (name.length + 7U) / 8U * 8U;
          }
          break;
        case chunk_kind::clock: take(c.readings.emplace_back()); break;
        case chunk_kind::end: c.has_end = true; break;
      }
      EXPECT_EQ(at, until);
    }
    return c;
  }

  std::filesystem::path folder_;
};

record mark_at(std::uint64_t time) { return {time, record_kind::mark, 0, 0, 0, time * 3, 0}; }

TEST_F(Recording, WritesTheRecordsOfEachTrackInTheirOrder) {
  constexpr std::uint64_t all = 50'000;
  file_header header;
  header.processes = 3;
  header.first_pe = 5;
  auto settings = how();
  settings.ring_bytes = 1'000 * sizeof(record);  // the ring is filled several times
  settings.waits = true;
  recording r(settings, header);
  auto& first = r.add_track(track_number(track_class::pe, 5));
  auto& second = r.add_track(track_number(track_class::device, 1));
  std::thread other([&] {
    second.follow(0);
    for (std::uint64_t n = 1; n <= all; ++n) second.add(mark_at(2 * n));
  });
  first.follow(0);
  for (std::uint64_t n = 1; n <= all; ++n) first.add(mark_at(n));
  other.join();
  r.finish();
  EXPECT_EQ(r.result().failure, "");
  EXPECT_EQ(r.result().lost, 0U);
  EXPECT_EQ(r.result().records, 2 * all + 2);
  EXPECT_EQ(r.result().bytes, std::filesystem::file_size(folder_ / "trace"));

  const auto c = read();
  EXPECT_EQ(c.head.processes, 3U);
  EXPECT_EQ(c.head.first_pe, 5U);
  EXPECT_TRUE(c.has_end);
  ASSERT_EQ(c.tracks.size(), 2U);
  for (const auto& [number, records] : c.tracks) {
    const std::uint64_t step = number == 5 ? 1 : 2;
    ASSERT_EQ(records.size(), all + 1);
    EXPECT_EQ(records.front().kind, record_kind::on);
    for (std::uint64_t n = 1; n <= all; ++n) ASSERT_EQ(records[n].a, n * step * 3);
  }
}

TEST_F(Recording, CountsWhatFindsNoRoom) {
  constexpr std::uint64_t all = 2'000'000;
  auto settings = how();
  settings.ring_bytes = 0;
  recording r(settings, {});
  auto& t = r.add_track(0);
  t.follow(0);
  for (std::uint64_t n = 1; n <= all; ++n) t.add(mark_at(n));
  r.finish();
  const auto c = read();
  std::uint64_t written = 0;
  std::uint64_t lost = 0;
  std::uint64_t latest = 0;
  bool is_off = false;
  for (const auto& entry : c.tracks.at(0)) {
    EXPECT_GE(entry.time, latest);
    latest = entry.time;
    if (entry.kind == record_kind::mark) {
      EXPECT_FALSE(is_off);
      EXPECT_EQ(entry.time, ++written + lost);  // only the records counted as dropped are missing
    }
    if (entry.kind == record_kind::off) {
      EXPECT_EQ(entry.time, written + lost + 1);  // time of the first missing record
      is_off = true;
    }
    if (entry.kind == record_kind::dropped) {
      EXPECT_TRUE(std::exchange(is_off, false));
      lost += entry.a;
    }
  }
  EXPECT_EQ(written + lost, all);
  EXPECT_GT(lost, 0U);
  EXPECT_EQ(r.result().lost, lost);
}

TEST_F(Recording, IsSwitchedBetweenItems) {
  auto settings = how();
  settings.is_on = false;
  recording r(settings, {});
  auto& t = r.add_track(7);
  EXPECT_FALSE(t.follow(1));
  r.set_on(true);
  EXPECT_FALSE(t.is_on());  // not before the next item
  EXPECT_TRUE(t.follow(2));
  r.set_on(false);
  EXPECT_TRUE(t.is_on());
  EXPECT_FALSE(t.follow(5));
  r.finish();
  const auto records = read().tracks.at(7);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].kind, record_kind::on);
  EXPECT_EQ(records[0].time, 2U);
  EXPECT_EQ(records[1].kind, record_kind::off);
  EXPECT_EQ(records[1].time, 5U);
}

TEST_F(Recording, NamesComeBeforeTheRecordsThatUseThem) {
  recording r(how(), {});
  auto& t = r.add_track(0);
  r.name(name_table::entries, 0, 0, "block::run");
  r.reserve_entries(1);
  EXPECT_EQ(r.entry_number("a timer"), 1);
  EXPECT_EQ(r.entry_number("a receipt"), 2);
  EXPECT_EQ(r.entry_number("a timer"), 1);
  EXPECT_EQ(t.mark_number("exchange"), t.mark_number("exchange"));
  EXPECT_NE(t.mark_number("exchange"), t.mark_number("update \xce\xb1"));
  r.add(clock_reading{10, -5, 3});
  r.finish();
  const auto c = read();
  EXPECT_EQ(c.names.at({name_table::entries, 0}), "block::run");
  EXPECT_EQ(c.names.at({name_table::entries, 1}), "a timer");
  EXPECT_EQ(c.names.at({name_table::marks, 1}), "update \xce\xb1");
  ASSERT_EQ(c.readings.size(), 1U);
  EXPECT_EQ(c.readings[0].ahead, -5);
}

TEST_F(Recording, TimesNeverDecrease) {
  recording r(how(), {});
  auto& t = r.add_track(0);
  t.add(mark_at(9));
  t.add(mark_at(4));
  t.add(mark_at(10));
  r.finish();
  const auto records = read().tracks.at(0);
  EXPECT_EQ(records[1].time, 9U);
  EXPECT_EQ(records[2].time, 10U);
}

TEST_F(Recording, WithoutAFinishTheFileHasNoEnd) {
  {
    recording r(how(), {});
  }
  EXPECT_FALSE(read().has_end);
}

TEST_F(Recording, SaysWhyItCannotBegin) {
  auto settings = how();
  settings.file = (folder_ / "no such folder" / "trace").string();
  const std::string error_text = testing::error_of<error>([&] { recording r(settings, {}); });
  EXPECT_NE(error_text.find(settings.file), std::string::npos) << error_text;
  EXPECT_NE(error_text.find("No such file"), std::string::npos) << error_text;
}

TEST_F(Recording, AFullDiskEndsItAndNotTheProgram) {
  constexpr std::uint64_t room = 100'000;
  recording r(how(), {});
  auto& pe = r.add_track(0);
  pe.follow(0);
  {
    const test::small_files full(room);
    for (std::uint64_t t = 0; t < 10'000; ++t) pe.add({t, record_kind::mark, 0, 0, 0, t, 0});
    r.finish();
  }
  EXPECT_NE(r.result().failure.find("trace"), std::string::npos) << r.result().failure;
  EXPECT_LE(std::filesystem::file_size(folder_ / "trace"), room);
}

TEST_F(Recording, CannotBeginOnAFullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  auto settings = how();
  settings.file = "/dev/full";
  EXPECT_THROW(recording(settings, {}), error);
}

}  // namespace
}  // namespace imbrex::trace
