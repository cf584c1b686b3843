// SPDX-License-Identifier: Apache-2.0
// Reads files written with --trace, and compares them with the programs' actions.
#include <imbrex/core/record/recorder.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/record/tracing.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/trace/reader.hpp>
#include <imbrex/trace/temporary_trace.test.hpp>

namespace imbrex {
namespace {

using trace::record;
using trace::record_kind;

constexpr int players = 6;
constexpr int rounds = 5;

/// Each player sends to all others in each round, and receives as many messages.
struct player : chare<player> {
  mailbox<int> throws;
  int caught = 0;
  int shouts = 0;

  task<int> play() {
    for (int round = 0; round < rounds; ++round) {
      for (int p = 0; p < players; ++p)
        if (p != where()[0]) send<&player::throws>(peers()[p], round, where()[0]);
      for (int n = 1; n < players; ++n) {
        caught += co_await throws.receive(round);
      }
    }
    co_return caught;
  }
  void shout() { ++shouts; }
  void serialize(auto& ar) { ar(throws, caught, shouts); }
};

task<> game() {
  auto team = make_array<player>({players});
  const int all = co_await team.reduce<&player::play>(imbrex::sum);
  EXPECT_EQ(all, rounds * (players - 1) * players * (players - 1) / 2);
  send<&player::shout>(team);
  co_await quiescence();
}

/// All records of a trace, with their tracks.
struct whole_trace {
  struct entry {
    std::uint32_t file;
    std::uint32_t track;
    record what;
  };
  std::vector<entry> records;
  std::vector<std::string> warnings;
  trace::reader source;

  explicit whole_trace(const std::string& file) : source(file) {
    for (auto piece = source.next(); !piece.records.empty(); piece = source.next()) {
      const auto& t = source.tracks()[piece.track];
      for (const auto& r : piece.records) records.push_back({t.file, t.number, r});
    }
    warnings = source.warnings();
  }
  std::string entry_name(const entry& e) const {
    return std::string(source.files()[e.file]->name(trace::name_table::entries, e.what.entry));
  }
};

/// The name of a player's entry; empty for other entries, and for messages of the runtime.
std::string short_name(const std::string& name) {
  const auto at = name.rfind("player::");
  return at == std::string::npos || name.find(" of ") != std::string::npos ? std::string()
                                                                           : name.substr(at + 8);
}

class Recorder : public on_machine {
 protected:
  /// Runs a program and reads its trace.
  template <class Main>
  whole_trace traced(options settings, const Main& main) {
    settings.trace = folder_.file();
    settings.trace_buffer.waits = true;
    EXPECT_EQ(run_once(settings, main), 0);
    return whole_trace(settings.trace);
  }

  test::temporary_trace folder_;
};

/// Checks that begins and ends match and nest on each track, and that frames lie inside items.
void expect_well_formed(const whole_trace& t) {
  struct state {
    std::vector<record_kind> open;
    std::uint64_t time = 0;
    bool parked = false;
  };
  std::map<std::uint32_t, state> tracks;
  for (const auto& e : t.records) {
    auto& s = tracks[e.track];
    EXPECT_GE(e.what.time, s.time);
    s.time = e.what.time;
    switch (e.what.kind) {
      case record_kind::item_begin:
        EXPECT_TRUE(s.open.empty());
        EXPECT_FALSE(s.parked);
        s.open.push_back(record_kind::item_begin);
        break;
      case record_kind::item_end:
        ASSERT_EQ(s.open, std::vector{record_kind::item_begin});
        s.open.pop_back();
        break;
      case record_kind::entry_begin:
        ASSERT_EQ(s.open.size(), 1U);
        s.open.push_back(record_kind::entry_begin);
        break;
      case record_kind::entry_end:
        ASSERT_EQ(s.open.back(), record_kind::entry_begin);
        s.open.pop_back();
        break;
      case record_kind::parked:
        EXPECT_TRUE(s.open.empty());
        EXPECT_FALSE(s.parked);
        s.parked = true;
        break;
      case record_kind::woken:
        EXPECT_TRUE(s.parked);
        s.parked = false;
        break;
      case record_kind::resumed:
      case record_kind::suspended: EXPECT_FALSE(s.open.empty()); break;
      default: break;
    }
  }
  for (const auto& [track, s] : tracks) EXPECT_TRUE(s.open.empty()) << "on track " << track;
}

/// Follows each message from its send to the item that it became.
struct journey {
  std::uint32_t from;
  std::uint32_t to;
  std::string entry;
  std::uint64_t element;
  std::uint64_t bytes;
  std::uint64_t sent;
  std::uint64_t begun;
};
std::vector<journey> journeys_in(const whole_trace& t) {
  struct departure {
    std::uint32_t from = 0;
    std::uint64_t bytes = 0;
    std::uint64_t time = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, departure> under_way;  // key: file, address
  std::map<std::pair<std::uint32_t, std::uint32_t>, departure> in_bytes;   // key: track, number
  std::vector<journey> all;
  for (const auto& e : t.records) {
    const auto here = std::pair{e.file, e.what.a};
    if (e.what.kind == record_kind::sent) under_way[here] = {e.track, e.what.b, e.what.time};
    if (e.what.kind == record_kind::packed && under_way.contains(here))
      in_bytes[{e.track, e.what.group}] = under_way.at(here);
    if (e.what.kind == record_kind::arrived && e.what.b != 0) {
      const auto from = in_bytes.find({static_cast<std::uint32_t>(e.what.b - 1), e.what.group});
      if (from != in_bytes.end()) under_way[here] = from->second;
    }
    if (e.what.kind != record_kind::item_begin || !under_way.contains(here)) continue;
    const auto& d = under_way.at(here);
    all.push_back({d.from, e.track, short_name(t.entry_name(e)), e.what.b, d.bytes, d.time, e.what.time});
    under_way.erase(here);
  }
  return all;
}

struct sleeper : chare<sleeper> {
  int receipts = 0;
  task<int> send_to_next() {
    send<&sleeper::sleep>(peers()[1]);
    send<&sleeper::hear>(peers()[1]);
    co_return 1;
  }
  void sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(300)); }
  void hear() { ++receipts; }
};

TEST(recorder, tells_when_a_message_came_to_a_busy_pe_over_a_link) {
  const test::temporary_trace folder;
  options settings = threads(2);
  settings.net_latency = std::chrono::milliseconds(1);
  settings.net_injection_gap = std::chrono::milliseconds(20);  // for an arrival while the PE sleeps
  settings.trace = folder.file();
  ASSERT_EQ(run(settings,
                []() -> task<> {
                  auto two = make_array<sleeper>({2});
                  EXPECT_EQ(co_await two[0].call<&sleeper::send_to_next>(), 1);
                  co_await quiescence();
                }),
            0);
  const whole_trace t(settings.trace);
  std::optional<record> sent, arrived;
  for (const auto& e : t.records) {
    if (!t.entry_name(e).ends_with("sleeper::hear")) continue;
    if (e.what.kind == record_kind::sent) sent = e.what;
    if (e.what.kind == record_kind::arrived) arrived = e.what;
  }
  ASSERT_TRUE(sent && arrived);
  EXPECT_LT(arrived->time - arrived->group - sent->time, 150'000'000U);
  EXPECT_GT(arrived->group, 100'000'000U);
}

TEST_P(Recorder, TellsWhatRanAndWhatEachMessageBecame) {
  for (const options& settings : GetParam().runs) {
    SCOPED_TRACE(text_of(settings));
    const auto t = traced(settings, game);
    EXPECT_TRUE(t.warnings.empty()) << t.warnings.front();
    expect_well_formed(t);

    std::map<std::uint64_t, int> caught;  // by element
    for (const auto& j : journeys_in(t)) {
      EXPECT_LE(j.sent, j.begun);
      if (j.entry != "throws") continue;
      ++caught[j.element];
      EXPECT_GT(j.bytes, 4U);
      EXPECT_LT(j.bytes, 64U);
    }
    ASSERT_EQ(caught.size(), std::size_t{players});
    for (const auto& [element, times] : caught)
      EXPECT_GE(times, rounds * (players - 1)) << element;  // more if a message had to be held

    std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> begun;  // key: file, address
    std::map<std::int64_t, int> received;                                  // by round
    for (const auto& e : t.records) {
      if (e.what.kind == record_kind::item_begin) begun[{e.file, e.what.a}] = short_name(t.entry_name(e));
      if (e.what.kind != record_kind::received) continue;
      ++received[static_cast<std::int64_t>(e.what.b)];
      EXPECT_EQ(short_name(t.entry_name(e)), "throws");
      EXPECT_EQ((begun[{e.file, e.what.a}]), "throws");
    }
    ASSERT_EQ(received.size(), std::size_t{rounds});
    for (const auto& [round, times] : received) EXPECT_EQ(times, players * (players - 1)) << round;

    std::map<std::uint64_t, int> shouted;
    std::map<std::uint64_t, int> waits;
    for (const auto& e : t.records) {
      const bool begins = e.what.kind == record_kind::item_begin || e.what.kind == record_kind::entry_begin;
      const auto entry = short_name(t.entry_name(e));
      if (begins && entry == "shout") ++shouted[e.what.b];
      if (entry != "play") continue;
      if (e.what.kind == record_kind::suspended) {
        EXPECT_EQ(e.what.detail, static_cast<int>(trace::wait_cause::mailbox));
        EXPECT_LT(e.what.a, std::uint64_t{rounds});
        ++waits[e.what.b];
      }
      if (e.what.kind == record_kind::resumed) --waits[e.what.b];
    }
    ASSERT_EQ(shouted.size(), std::size_t{players});
    for (const auto& [element, times] : shouted) EXPECT_EQ(times, 1);
    for (const auto& [element, times] : waits) EXPECT_EQ(times, 0);
    if (HasFailure()) return;
  }
}

struct passer : chare<passer> {
  void pass_on(int more) {
    if (more > 0) send<&passer::pass_on>(peers()[more % 3], more - 1);
  }
};

TEST_P(Recorder, TellsWhenNothingIsLeftToDo) {
  static constexpr int times = 3, steps = 10;
  for (const options& settings : GetParam().runs) {
    SCOPED_TRACE(text_of(settings));
    const auto t = traced(settings, []() -> task<> {
      auto ring = make_array<passer>({3});
      co_await ring.created();  // so that no message must be held
      for (int i = 0; i < times; ++i) {
        send<&passer::pass_on>(ring[i], steps);
        co_await quiescence();
      }
    });
    std::vector<std::uint64_t> quiet, passed;
    for (const auto& e : t.records) {
      if (e.what.kind == record_kind::quiet) quiet.push_back(e.what.time);
      if (e.what.kind == record_kind::item_begin && t.entry_name(e).ends_with("passer::pass_on"))
        passed.push_back(e.what.time);
    }
    std::ranges::sort(passed);
    EXPECT_EQ(quiet.size(), std::size_t{times});
    EXPECT_EQ(passed.size(), std::size_t{times * (steps + 1)});
    for (std::size_t i = 0; i < quiet.size(); ++i)
      EXPECT_EQ(std::ranges::count_if(passed, [&](std::uint64_t time) { return time <= quiet[i]; }),
                std::ptrdiff_t(i + 1) * (steps + 1));
    if (HasFailure()) return;
  }
}

TEST_P(Recorder, CallsMessagesOfTheRuntimeByTheNamesOfTheProgram) {
  for (const options& settings : GetParam().runs) {
    SCOPED_TRACE(text_of(settings));
    const auto t = traced(settings, game);
    std::set<std::string> names;
    for (const auto& e : t.records)
      if (e.what.kind == record_kind::item_begin || e.what.kind == record_kind::sent)
        names.insert(t.entry_name(e));
    for (const std::string& name : names) {
      EXPECT_EQ(name.find("imbrex::detail"), std::string::npos) << name;
      EXPECT_EQ(name.find('<'), std::string::npos) << name;
    }
    const auto is_there = [&](const std::string& what, const std::string& end) {
      return std::ranges::any_of(
          names, [&](const std::string& name) { return name.starts_with(what) && name.ends_with(end); });
    };
    EXPECT_TRUE(is_there("broadcast of ", "player::play"));
    EXPECT_TRUE(is_there("broadcast of ", "player::shout"));
    const bool alone = std::ranges::none_of(
        t.records, [&](const auto& e) { return e.what.kind == record_kind::item_begin && e.track == 1; });
    EXPECT_TRUE(alone || is_there("creation of ", "player"));
    EXPECT_TRUE(alone || is_there("part of a reduction of int by sum", ""));
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(, Recorder, ::testing::ValuesIn(machines()), name_of_machine);

class Tracing : public ::testing::Test {
 protected:
  options how(int pes = 2) const {
    options o = threads(pes);
    o.trace = folder_.file();
    return o;
  }
  test::temporary_trace folder_;
};

TEST_F(Tracing, NamesArraysAndElements) {
  struct walker : chare<walker, std::string> {
    void step() {}
  };
  EXPECT_EQ(run(how(1),
                []() -> task<> {
                  auto team = make_array<player>({players});
                  send<&player::shout>(team[3]);
                  auto walkers = make_array<walker>(keyed<std::string>());
                  walkers.insert("north");
                  send<&walker::step>(walkers["north"]);
                  co_await quiescence();
                }),
            0);
  const whole_trace t(folder_.file());
  std::set<std::string> collections;
  std::set<std::string> elements;
  const auto& file = *t.source.files().front();
  for (const auto& e : t.records) {
    if (e.what.kind != record_kind::item_begin || e.what.group == 0) continue;
    collections.insert(std::string(file.name(trace::name_table::collections, e.what.group)));
    elements.insert(std::string(file.name(trace::name_table::elements, e.what.group, e.what.b)));
  }
  const auto holds = [](const std::set<std::string>& names, const std::string& part) {
    for (const auto& n : names)
      if (n.find(part) != std::string::npos) return true;
    return false;
  };
  EXPECT_TRUE(holds(collections, "player\t6"));
  EXPECT_TRUE(holds(elements, "walker(\"north\")"));
}

TEST_F(Tracing, PhasesAndMarksAreThere) {
  EXPECT_EQ(run(how(1),
                []() -> task<> {
                  const trace::phase whole("whole", 7);
                  trace::mark("here", -3);
                  co_await sleep_for(std::chrono::microseconds(10));
                  const trace::phase part("part");
                }),
            0);
  const whole_trace t(folder_.file());
  std::vector<std::tuple<record_kind, std::string, std::int64_t>> records;
  std::map<std::string, std::set<std::uint64_t>> numbers;
  for (const auto& e : t.records) {
    if (e.what.kind != record_kind::phase_begin && e.what.kind != record_kind::phase_end &&
        e.what.kind != record_kind::mark)
      continue;
    const std::string name(t.source.files().front()->name(trace::name_table::marks, e.what.group));
    records.emplace_back(e.what.kind, name, static_cast<std::int64_t>(e.what.a));
    numbers[name].insert(e.what.b);
  }
  const decltype(records) expected{{record_kind::phase_begin, "whole", 7},
                                   {record_kind::mark, "here", -3},
                                   {record_kind::phase_begin, "part", 0},
                                   {record_kind::phase_end, "part", 0},
                                   {record_kind::phase_end, "whole", 7}};
  EXPECT_EQ(records, expected);
  EXPECT_EQ(numbers.at("whole").size(), 1U);
  EXPECT_NE(*numbers.at("whole").begin(), *numbers.at("part").begin());
}

TEST_F(Tracing, DataWrittenAndReadAreThere) {
  EXPECT_EQ(run(how(1),
                []() -> task<> {
                  {
                    trace::produce written("halo", 100);
                    written.element(7);
                    const trace::consume read("cells", 20);
                    written.element(3);
                  }
                  const trace::consume again("cells", 30);
                  co_return;
                }),
            0);
  const whole_trace t(folder_.file());
  using trace::data_step;
  std::vector<std::tuple<record_kind, std::string, data_step, std::uint64_t>> records;
  std::set<std::uint64_t> stretches;
  for (const auto& e : t.records) {
    if (e.what.kind != record_kind::produced && e.what.kind != record_kind::consumed) continue;
    const std::string name(t.source.files().front()->name(trace::name_table::marks, e.what.group));
    records.emplace_back(e.what.kind, name, static_cast<data_step>(e.what.detail), e.what.a);
    stretches.insert(e.what.b);
  }
  const decltype(records) expected{{record_kind::produced, "halo", data_step::begin, 100},
                                   {record_kind::produced, "halo", data_step::element, 7},
                                   {record_kind::consumed, "cells", data_step::begin, 20},
                                   {record_kind::produced, "halo", data_step::element, 3},
                                   {record_kind::consumed, "cells", data_step::end, 20},
                                   {record_kind::produced, "halo", data_step::end, 100},
                                   {record_kind::consumed, "cells", data_step::begin, 30},
                                   {record_kind::consumed, "cells", data_step::end, 30}};
  EXPECT_EQ(records, expected);
  EXPECT_EQ(stretches.size(), 3U);
}

TEST_F(Tracing, AWaitThatIsGivenUpIsTold) {
  EXPECT_EQ(run(how(1),
                []() -> task<> {
                  auto team = make_array<player>({players});
                  auto first = team[0].call<&player::play>();  // never completes
                  co_await when_any(std::move(first), sleep_for(std::chrono::microseconds(50)));
                  imbrex::exit();
                  co_return;
                }),
            0);
  const whole_trace t(folder_.file());
  std::map<int, int> waits;  // waits of the main task, by cause
  for (const auto& e : t.records) {
    if (t.entry_name(e) != "the main task") continue;
    if (e.what.kind == record_kind::suspended) ++waits[e.what.detail];
    if (e.what.kind == record_kind::resumed || e.what.kind == record_kind::abandoned) --waits[e.what.detail];
  }
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_EQ(waits.at(static_cast<int>(trace::wait_cause::call)), 0);
  EXPECT_EQ(waits.at(static_cast<int>(trace::wait_cause::timer)), 0);
}

struct stream_end : chare<stream_end> {
  channel<int> line;

  task<> hear(int pairs) {
    line.connect<&stream_end::line>(peers()[1 - where()[0]]);
    for (int n = 0; n < pairs; ++n) {
      co_await line.receive();
      co_await when_all(line.receive(), line.receive());
    }
  }
  task<> speak(int all) {
    line.connect<&stream_end::line>(peers()[1 - where()[0]]);
    for (int n = 0; n < all; ++n) {
      co_await sleep_for(std::chrono::microseconds(100));
      line.send(n);
    }
  }
};

TEST_F(Tracing, AWaitForAChannelEndsAsItBegan) {
  static constexpr int pairs = 5;
  EXPECT_EQ(run(how(1),
                []() -> task<> {
                  auto ends = make_array<stream_end>(2);
                  auto receipts = ends[0].call<&stream_end::hear>(pairs);
                  co_await ends[1].call<&stream_end::speak>(3 * pairs);
                  co_await receipts;
                }),
            0);
  const whole_trace t(folder_.file());
  std::map<std::uint64_t, int> suspended;  // by reference number
  std::map<std::uint64_t, int> resumed;
  std::map<std::uint64_t, int> received;
  for (const auto& e : t.records) {
    const bool waits = e.what.detail == static_cast<int>(trace::wait_cause::mailbox);
    if (e.what.kind == record_kind::suspended && waits) ++suspended[e.what.a];
    if (e.what.kind == record_kind::resumed && waits) ++resumed[e.what.a];
    if (e.what.kind == record_kind::received) ++received[e.what.b];
  }
  EXPECT_EQ(received.size(), 3U * pairs);
  EXPECT_EQ(suspended, received);
  EXPECT_EQ(resumed, received);
}

struct stubborn {
  void serialize(auto&) { throw std::runtime_error("must not be serialised"); }
};
struct taker : chare<taker> {
  void take(stubborn) {}
};

TEST_F(Tracing, MessagesThatCannotBeSerialisedAreSentAllTheSame) {
  auto settings = how(2);
  settings.reports.stats = true;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(settings,
                []() -> task<> {
                  auto takers = make_array<taker>({4});
                  for (int t = 0; t < 4; ++t) send<&taker::take>(takers[t], stubborn{});
                  co_await quiescence();
                }),
            0);
  ::testing::internal::GetCapturedStderr();
}

TEST_F(Tracing, TwoRunsDoNotWriteOneFile) {
  EXPECT_EQ(run(how(1),
                [this]() -> task<> {
                  ::testing::internal::CaptureStderr();
                  EXPECT_THROW(trace::file_writer(folder_.file(), {}), error);
                  ::testing::internal::GetCapturedStderr();
                  co_return;
                }),
            0);
  EXPECT_TRUE(whole_trace(folder_.file()).warnings.empty());
}

TEST_F(Tracing, OnlyTheWindowIsRecorded) {
  auto settings = how(3);
  settings.trace_paused = true;
  EXPECT_EQ(run(settings,
                []() -> task<> {
                  auto team = make_array<player>({players});
                  const int before = co_await team.reduce<&player::play>(imbrex::sum);
                  trace::start();
                  send<&player::shout>(team);
                  co_await quiescence();
                  trace::stop();
                  const int after = co_await team.reduce<&player::play>(imbrex::sum);
                  EXPECT_EQ(after, 2 * before);
                }),
            0);
  const whole_trace t(folder_.file());
  expect_well_formed(t);
  std::map<std::string, int> begun;
  int switches = 0;
  for (const auto& e : t.records) {
    const bool begins = e.what.kind == record_kind::item_begin || e.what.kind == record_kind::entry_begin;
    if (begins) ++begun[short_name(t.entry_name(e))];
    if (e.what.kind == record_kind::on || e.what.kind == record_kind::off) ++switches;
  }
  EXPECT_EQ(begun["shout"], players);
  EXPECT_EQ(begun["throws"], 0);
  EXPECT_GE(switches, 2);
}

TEST_F(Tracing, TheSecondRunOfAProgramGetsAFileOfItsOwn) {
  for (int r = 0; r < 3; ++r) EXPECT_EQ(run(how(), game), 0);
  for (const char* const which : {"", "-2", "-3"}) {
    const whole_trace t(folder_.file() + which);
    EXPECT_TRUE(t.warnings.empty());
    EXPECT_GT(t.records.size(), 100U);
  }
}

TEST_F(Tracing, ARunThatFailsLeavesAWholeTrace) {
  EXPECT_EQ(run(how(),
                []() -> task<> {
                  auto team = make_array<player>({players});
                  co_await team[0].call<&player::play>();
                }),
            1);
  const whole_trace t(folder_.file());
  EXPECT_TRUE(t.warnings.empty());
  EXPECT_GT(t.records.size(), 5U);
}

TEST_F(Tracing, WithoutATraceNothingIsWritten) {
  EXPECT_EQ(run(threads(2),
                []() -> task<> {
                  trace::start();
                  trace::mark("nothing");
                  const trace::phase none("nothing");
                  co_await quiescence();
                  trace::stop();
                }),
            0);
}

TEST_F(Tracing, AFileThatCannotBeIsAClearFailure) {
  auto settings = how();
  settings.trace = folder_.file("no/such/folder");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(settings, game), 1);
  const auto text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find(settings.trace), std::string::npos) << text;
  settings = how();
  settings.trace_buffer.bytes = 5;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(settings, game), 2);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("trace_buffer.bytes = 5"), std::string::npos);
}

TEST_F(Tracing, DevicesTellWhatTheyDid) {
  auto settings = how(1);
  settings.device = "emulated";
  settings.device_model = "v100";
  settings.machine = machine_kind::simulated;
  EXPECT_EQ(run(settings,
                []() -> task<> {
                  stream s(gpu(), stream_priority::normal, "the test");
                  device_buffer<double> there(gpu(), 1'000);
                  pinned_buffer<double> here(gpu(), 1'000);
                  s.copy(there.span(), std::as_const(here).span());
                  s.copy(here.span(), std::as_const(there).span());
                  co_await s.done();
                }),
            0);
  const whole_trace t(folder_.file());
  std::vector<record> operations;
  for (const auto& e : t.records)
    if (e.what.kind == record_kind::operation) operations.push_back(e.what);
  ASSERT_EQ(operations.size(), 2U);
  EXPECT_EQ(operations[0].detail, static_cast<int>(trace::operation_class::host_to_device));
  EXPECT_EQ(operations[1].detail, static_cast<int>(trace::operation_class::device_to_host));
  for (const auto& o : operations) {
    EXPECT_EQ(o.b, 8'000U);
    EXPECT_GT(o.a, 0U);
  }
  EXPECT_GE(operations[1].time - operations[1].a, operations[0].time);
  const auto& file = *t.source.files().front();
  EXPECT_EQ(file.name(trace::name_table::marks, operations[0].entry), "copy to the device");
  EXPECT_EQ(file.name(trace::name_table::streams, operations[0].group,
                      trace::track_number(trace::track_class::device, 0)),
            "the test");
}

}  // namespace
}  // namespace imbrex
