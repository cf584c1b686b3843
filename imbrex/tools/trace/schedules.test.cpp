// SPDX-License-Identifier: Apache-2.0
// Compares reports on random schedules with results computed in the simplest way.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>

#include <imbrex/tools/trace/analysis.hpp>
#include <imbrex/tools/trace/phase_time.hpp>
#include <imbrex/tools/trace/random_schedule.test.hpp>
#include <imbrex/trace/temporary_trace.test.hpp>

namespace imbrex::tools {
namespace {

using test::random_schedule;

bool covers(const std::vector<interval>& intervals, std::uint64_t from, std::uint64_t until) {
  return std::any_of(intervals.begin(), intervals.end(),
                     [&](const interval& i) { return i.begin <= from && until <= i.end; });
}

/// The extent of a report: phases, or the whole run.
struct extent {
  std::vector<interval> phases{};  ///< may overlap
  bool is_all = true;

  bool contains(std::uint64_t time) const {
    return is_all ||
           std::ranges::any_of(phases, [&](const interval& i) { return i.begin <= time && time < i.end; });
  }
  /// The time between the two moments that lies in the extent.
  std::uint64_t within(std::uint64_t from, std::uint64_t until) const {
    if (is_all) return until - from;
    std::uint64_t all = 0;
    std::vector<std::uint64_t> cuts{from, until};
    for (const interval& i : phases)
      for (const std::uint64_t time : {i.begin, i.end})
        if (from < time && time < until) cuts.push_back(time);
    std::ranges::sort(cuts);
    for (std::size_t k = 1; k < cuts.size(); ++k)
      if (contains(cuts[k - 1])) all += cuts[k] - cuts[k - 1];
    return all;
  }
};

/// Calls `slice` with each interval between neighbouring cuts, within which nothing begins or ends.
void for_slices(const extent& of, std::vector<std::uint64_t> cuts,
                const std::function<void(std::uint64_t, std::uint64_t)>& slice) {
  for (const interval& i : of.phases) {
    cuts.push_back(i.begin);
    cuts.push_back(i.end);
  }
  std::sort(cuts.begin(), cuts.end());
  for (std::size_t k = 1; k < cuts.size(); ++k)
    if (cuts[k - 1] < cuts[k] && of.contains(cuts[k - 1])) slice(cuts[k - 1], cuts[k]);
}

void add_cuts(std::vector<std::uint64_t>& cuts, const std::vector<interval>& intervals) {
  for (const interval& i : intervals) {
    cuts.push_back(i.begin);
    cuts.push_back(i.end);
  }
}

struct truth {
  std::uint64_t communication = 0;
  std::uint64_t computation = 0;
  std::uint64_t covered = 0;
};

void expect_overlap(const overlap_report& got, const truth& expected) {
  EXPECT_EQ(got.communication, expected.communication);
  EXPECT_EQ(got.computation, expected.computation);
  EXPECT_EQ(got.covered, expected.covered);
  const double fraction = expected.communication == 0 ? 0
                                                      : static_cast<double>(expected.covered) /
                                                            static_cast<double>(expected.communication);
  EXPECT_NEAR(got.fraction(), fraction, 1e-9);
  EXPECT_EQ(got.cut, 0U);
}

void check_pe(const random_schedule& run, const extent& of, const pe_report& got) {
  SCOPED_TRACE("PE " + std::to_string(got.pe));
  const auto& pe = run.pes[got.pe];
  std::vector<interval> coming;
  std::vector<interval> queued;
  for (const auto& m : run.messages) {
    if (!m.has_begun || m.receiver != got.pe) continue;
    queued.push_back({m.ready, m.begun});
    if (m.sender != got.pe) coming.push_back({m.sent, m.ready});
  }
  std::vector<std::uint64_t> cuts;
  add_cuts(cuts, coming);
  add_cuts(cuts, queued);
  for (const auto& s : pe.stretches) {
    cuts.push_back(s.begin);
    cuts.push_back(s.end);
  }
  truth overlap;
  pe_report expected;
  for_slices(of, cuts, [&](std::uint64_t from, std::uint64_t until) {
    const auto in = std::find_if(pe.stretches.begin(), pe.stretches.end(),
                                 [&](const auto& s) { return s.begin <= from && until <= s.end; });
    ASSERT_NE(in, pe.stretches.end());
    const bool communicates = covers(coming, from, until);
    const auto time = until - from;
    if (communicates) overlap.communication += time;
    switch (in->state) {
      case pe_state::program:
        overlap.computation += time;
        if (communicates) overlap.covered += time;
        return;
      case pe_state::runtime: expected.runtime += time; return;
      case pe_state::unrecorded: expected.unrecorded += time; return;
      default: break;
    }
    (in->parked ? expected.parked : expected.idle_awake) += time;
    auto& causes = expected.idle;
    if (in->state == pe_state::before_first)
      causes.before_first += time;
    else if (in->state == pe_state::after_last)
      causes.after_last += time;
    else if (communicates)
      causes.communication += time;
    else if (in->blocked)
      causes.device += time;
    else if (covers(queued, from, until))
      causes.waking += time;
    else if (in->state == pe_state::idle_device)
      causes.device += time;
    else if (in->state == pe_state::idle_timer)
      causes.timer += time;
    else
      causes.other += time;
  });
  expect_overlap(got.overlap, overlap);
  EXPECT_EQ(got.program, overlap.computation);
  EXPECT_EQ(got.runtime, expected.runtime);
  EXPECT_EQ(got.unrecorded, expected.unrecorded);
  EXPECT_EQ(got.parked, expected.parked);
  EXPECT_EQ(got.idle_awake, expected.idle_awake);
  EXPECT_EQ(got.idle.before_first, expected.idle.before_first);
  EXPECT_EQ(got.idle.after_last, expected.idle.after_last);
  EXPECT_EQ(got.idle.communication, expected.idle.communication);
  EXPECT_EQ(got.idle.waking, expected.idle.waking);
  EXPECT_EQ(got.idle.device, expected.idle.device);
  EXPECT_EQ(got.idle.timer, expected.idle.timer);
  EXPECT_EQ(got.idle.other, expected.idle.other);
}

void check_process(const random_schedule& run, const extent& of, const process_report& got) {
  SCOPED_TRACE("process " + std::to_string(got.process));
  const auto process_of = [&](std::uint32_t p) { return p / run.how.pes_a_process; };
  std::vector<interval> coming;
  std::vector<interval> computing;
  for (const auto& m : run.messages)
    if (m.has_begun && process_of(m.receiver) == got.process && process_of(m.sender) != got.process)
      coming.push_back({m.sent, m.ready});
  for (std::uint32_t p = 0; p < run.pes.size(); ++p)
    for (const auto& s : run.pes[p].stretches)
      if (process_of(p) == got.process && s.state == pe_state::program) computing.push_back({s.begin, s.end});
  std::vector<std::uint64_t> cuts;
  add_cuts(cuts, coming);
  add_cuts(cuts, computing);
  truth expected;
  for_slices(of, cuts, [&](std::uint64_t from, std::uint64_t until) {
    const bool communicates = covers(coming, from, until);
    const bool computes = covers(computing, from, until);
    if (communicates) expected.communication += until - from;
    if (computes) expected.computation += until - from;
    if (communicates && computes) expected.covered += until - from;
  });
  expect_overlap(got.overlap, expected);
}

void check_device(const random_schedule& run, const extent& of, const device_report& got) {
  std::vector<interval> copies;
  std::vector<interval> kernels;
  for (const auto& o : run.operations) (o.copy ? copies : kernels).push_back({o.begin, o.end});
  std::vector<std::uint64_t> cuts;
  add_cuts(cuts, copies);
  add_cuts(cuts, kernels);
  truth expected;
  for_slices(of, cuts, [&](std::uint64_t from, std::uint64_t until) {
    if (covers(copies, from, until)) expected.communication += until - from;
    if (covers(kernels, from, until)) expected.computation += until - from;
    if (covers(copies, from, until) && covers(kernels, from, until)) expected.covered += until - from;
  });
  expect_overlap(got.overlap, expected);
  std::uint64_t operations = 0;
  for (const auto& o : run.operations) operations += of.contains(o.end) ? 1 : 0;
  EXPECT_EQ(got.operations, operations);
}

using event_kind = random_schedule::event::kind;

void check_entries(const random_schedule& run, const extent& of, const run_report& got) {
  struct numbers {
    std::uint64_t time = 0;
    std::uint64_t calls = 0;
    std::uint64_t resumes = 0;
  };
  std::map<std::string, numbers> expected;
  for (const auto& pe : run.pes)
    for (const auto& s : pe.stretches)
      if (s.state == pe_state::program || s.state == pe_state::runtime)
        expected["entry" + std::to_string(s.entry)].time += of.within(s.begin, s.end);
  std::uint64_t items = 0;
  for (const auto& one : run.events) {
    if (!of.contains(one.time)) continue;
    numbers& its = expected["entry" + std::to_string(one.entry)];
    if (one.what == event_kind::item) ++items;
    if (one.what == event_kind::call && !one.undone) ++its.calls;
    if (one.what == event_kind::resume) ++its.resumes;
  }
  std::uint64_t got_items = 0;
  for (const pe_report& pe : got.pes) got_items += pe.items;
  EXPECT_EQ(got_items, items);
  for (const entry_report& e : got.entries) {
    const numbers its = expected[e.name];
    EXPECT_EQ(e.time, its.time) << e.name;
    EXPECT_EQ(e.calls, its.calls) << e.name;
    EXPECT_EQ(e.resumes, its.resumes) << e.name;
    const auto pieces = static_cast<double>(its.calls + its.resumes);
    EXPECT_DOUBLE_EQ(e.grain(), pieces == 0 ? 0 : static_cast<double>(its.time) / pieces) << e.name;
    expected.erase(e.name);
  }
  for (const auto& [name, its] : expected) EXPECT_EQ(its.time + its.calls + its.resumes, 0U) << name;
}

void check_elements(const random_schedule& run, const extent& of, const run_report& got) {
  std::map<std::string, element_report> expected;
  std::map<std::string, chare_report> classes;
  const auto element_of = [&](const random_schedule::whose_type& whose) -> element_report& {
    return expected["collection " + std::to_string(whose.first) + "(" + std::to_string(whose.second) + ")"];
  };
  for (const auto& pe : run.pes)
    for (const auto& s : pe.stretches)
      if (s.state == pe_state::program) element_of(s.whose).busy += of.within(s.begin, s.end);
  for (const auto& one : run.events) {
    if (!one.whose || !of.contains(one.time)) continue;
    element_report& its = element_of(*one.whose);
    if (one.what == event_kind::call && !one.undone) ++its.calls;
    if (one.what != event_kind::sent) continue;
    ++its.sent;
    its.sent_bytes += one.bytes;
  }
  std::erase_if(expected,
                [](const auto& one) { return one.second.busy + one.second.calls + one.second.sent == 0; });
  ASSERT_EQ(got.elements.size(), expected.size());
  std::uint64_t before = ~std::uint64_t{0};
  for (const element_report& one : got.elements) {
    const element_report& its = expected[one.name];
    EXPECT_EQ(one.busy, its.busy) << one.name;
    EXPECT_EQ(one.calls, its.calls) << one.name;
    EXPECT_EQ(one.sent, its.sent) << one.name;
    EXPECT_EQ(one.sent_bytes, its.sent_bytes) << one.name;
    EXPECT_LE(one.busy, before);
    before = one.busy;
    chare_report& chares = classes[one.name.substr(0, one.name.find('('))];
    ++chares.elements;
    chares.sum.busy += one.busy;
    chares.sum.calls += one.calls;
    chares.sum.sent += one.sent;
    chares.sum.sent_bytes += one.sent_bytes;
    chares.heaviest.busy = std::max(chares.heaviest.busy, one.busy);
  }
  ASSERT_EQ(got.chares.size(), classes.size());
  for (const chare_report& chares : got.chares) {
    const chare_report& its = classes[chares.name];
    EXPECT_EQ(chares.elements, its.elements);
    EXPECT_EQ(chares.sum.busy, its.sum.busy);
    EXPECT_EQ(chares.sum.calls, its.sum.calls);
    EXPECT_EQ(chares.sum.sent, its.sum.sent);
    EXPECT_EQ(chares.sum.sent_bytes, its.sum.sent_bytes);
    EXPECT_EQ(chares.heaviest.busy, its.heaviest.busy);
  }
}

void check_messages(const random_schedule& run, const extent& of, const message_report& got) {
  std::uint64_t sent = 0;
  for (const auto& one : run.events) sent += one.what == event_kind::sent && of.contains(one.time) ? 1 : 0;
  std::uint64_t begun = 0;
  std::uint64_t between_pes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t longest_network = 0;
  std::uint64_t longest_queue = 0;
  for (const auto& m : run.messages) {
    if (!m.has_begun || !of.contains(m.begun)) continue;
    ++begun;
    longest_network = std::max(longest_network, of.within(m.sent, m.ready));
    longest_queue = std::max(longest_queue, of.within(m.ready, m.begun));
    if (m.sender == m.receiver) continue;
    ++between_pes;
    bytes += m.bytes;
  }
  EXPECT_EQ(got.sent, sent);
  EXPECT_EQ(got.begun, begun);
  EXPECT_EQ(got.unknown, 0U);
  EXPECT_EQ(got.between_pes, between_pes);
  EXPECT_EQ(got.between_pes_bytes, bytes);
  EXPECT_EQ(got.network.most(), longest_network);
  EXPECT_EQ(got.queue.most(), longest_queue);
}

/// The parts of a chain: by entry, or by chain part below the first entry.
using parts = std::map<std::string, std::uint64_t>;

std::string part_of(const random_schedule::stretch& s) {
  switch (s.state) {
    case pe_state::program: return "entry" + std::to_string(s.entry);
    case pe_state::runtime: return "runtime";
    case pe_state::unrecorded: return "unrecorded";
    case pe_state::idle_device: return "device";
    case pe_state::idle_timer: return "timer";
    default: return "other";
  }
}

parts chain_to(const random_schedule& run, std::uint32_t p, std::uint64_t time, std::uint64_t* takeovers) {
  const auto& pe = run.pes[p];
  parts result;
  std::uint64_t from = run.begin;
  for (auto last = pe.takeovers.rbegin(); last != pe.takeovers.rend(); ++last) {
    if (last->time > time) continue;
    const auto& m = run.messages[last->message];
    result = chain_to(run, m.sender, m.sent, takeovers);
    result["network"] += m.ready - m.sent;
    result["other"] += m.begun - m.ready;
    from = last->time;
    ++*takeovers;
    break;
  }
  for (const auto& s : pe.stretches) {
    const auto begin = std::max(from, s.begin);
    const auto end = std::min(time, s.end);
    if (begin < end) result[part_of(s)] += end - begin;
  }
  return result;
}

void check_path(const random_schedule& run, const run_report& got) {
  std::uint32_t ends = 0;
  for (std::uint32_t p = 0; p < run.pes.size(); ++p)
    if (run.pes[p].last_item_end > run.pes[ends].last_item_end) ends = p;
  std::uint64_t takeovers = 0;
  auto expected = chain_to(run, ends, run.pes[ends].last_item_end, &takeovers);
  std::uint64_t sum = 0;
  for (const auto& [name, time] : expected) sum += time;
  EXPECT_EQ(got.path.pe, ends);
  EXPECT_EQ(got.path.length, run.pes[ends].last_item_end - run.begin);
  EXPECT_EQ(sum, got.path.length);
  for (const entry_report& e : got.entries)
    EXPECT_EQ(e.chain_part == 0 ? 0 : got.path.parts[e.chain_part], expected[e.name]) << e.name;
  EXPECT_EQ(got.path.parts[chain_network], expected["network"]);
  EXPECT_EQ(got.path.parts[chain_runtime], expected["runtime"]);
  EXPECT_EQ(got.path.parts[chain_wait_device], expected["device"]);
  EXPECT_EQ(got.path.parts[chain_wait_timer], expected["timer"]);
  EXPECT_EQ(got.path.parts[chain_wait_other], expected["other"]);
  EXPECT_EQ(got.path.parts[chain_unrecorded], expected["unrecorded"]);
  std::uint64_t all = 0;
  for (const auto& pe : run.pes) all += pe.takeovers.size();
  EXPECT_EQ(got.path.takeovers, all);
  EXPECT_EQ(got.path.lost, 0U);
}

/// Sums over several schedules, to verify that each case has occurred.
struct occurred {
  std::uint64_t covered = 0;
  std::uint64_t covered_of_processes = 0;
  std::uint64_t takeovers = 0;
  std::uint64_t arrived_before_sent = 0;
  std::uint64_t unrecorded = 0;
  idle_report idle;
};

void check_report(const random_schedule& run, const extent& of, const run_report& got) {
  EXPECT_EQ(got.length, of.within(run.begin, run.end));
  ASSERT_EQ(got.pes.size(), run.pes.size());
  for (const pe_report& pe : got.pes) check_pe(run, of, pe);
  ASSERT_EQ(got.by_process.size(), run.how.processes);
  for (const process_report& process : got.by_process) check_process(run, of, process);
  if (!run.operations.empty()) {
    ASSERT_EQ(got.devices.size(), 1U);
    check_device(run, of, got.devices[0]);
  }
  check_entries(run, of, got);
  check_elements(run, of, got);
  check_messages(run, of, got.messages);
  EXPECT_EQ(got.dropped, run.dropped);
  EXPECT_EQ(got.warnings.empty(), run.dropped == 0);
}

void check(occurred& all, unsigned seed, const random_schedule::shape& how) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  random_schedule run(seed, how);
  const test::temporary_trace folder;
  run.write(folder.file());
  trace::reader in(folder.file());
  const run_report got = analyse(in);
  check_report(run, {}, got);
  check_path(run, got);
  for (const pe_report& pe : got.pes) {
    all.covered += pe.overlap.covered;
    all.unrecorded += pe.unrecorded;
    all.idle.communication += pe.idle.communication;
    all.idle.waking += pe.idle.waking;
    all.idle.device += pe.idle.device;
    all.idle.timer += pe.idle.timer;
  }
  for (const process_report& process : got.by_process) all.covered_of_processes += process.overlap.covered;
  all.takeovers += got.path.takeovers;
  all.arrived_before_sent += got.messages.arrived_before_sent;
}

/// Compares reports on phases at random times with expected results.
void check_phases(unsigned seed, const random_schedule::shape& how) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  random_schedule run(seed, how);
  std::mt19937 random(seed);
  extent of{.is_all = false};
  const std::uint64_t length = run.end - run.begin;
  for (unsigned k = 0; k <= seed % 5; ++k) {
    const std::uint64_t begin = run.begin + random() % length;
    of.phases.push_back({begin, std::min(begin + random() % (length / 3), run.end)});
  }
  const test::temporary_trace folder;
  run.write(folder.file());
  trace::reader in(folder.file());
  const run_report got = analyse(in, phase_time(of.phases));
  check_report(run, of, got);
  std::uint64_t path = 0;
  for (const std::uint64_t part : got.path.parts) path += part;
  EXPECT_EQ(path, got.path.length);
  EXPECT_LE(path, got.length);
}

TEST(Schedules, OfOneProcessAreReportedAsTheyWere) {
  occurred all;
  for (unsigned seed = 0; seed < 60; ++seed) {
    check(all, seed, {.processes = 1, .pes_a_process = 1 + seed % 4, .steps = 600});
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(all.covered, 0U);
  EXPECT_GT(all.takeovers, 50U);
  EXPECT_GT(all.idle.communication, 0U);
  EXPECT_GT(all.idle.waking, 0U);
  EXPECT_GT(all.idle.device, 0U);
  EXPECT_GT(all.idle.timer, 0U);
}

TEST(Schedules, AreReportedOnForPhasesAlone) {
  for (unsigned seed = 500; seed < 600; ++seed) {
    check_phases(seed, {.processes = 1 + seed % 3,
                        .pes_a_process = 1 + seed % 4,
                        .steps = 600,
                        .pauses = seed % 4 == 1,
                        .drops = seed % 4 == 2});
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Schedules, OfSeveralProcessesAreReportedAsTheyWere) {
  occurred all;
  for (unsigned seed = 100; seed < 150; ++seed) {
    check(all, seed, {.processes = 2 + seed % 3, .pes_a_process = 1 + seed % 2, .steps = 800});
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(all.covered_of_processes, 0U);
  EXPECT_EQ(all.arrived_before_sent, 0U);
}

TEST(Schedules, WithClocksThatDisagreeAreReportedAsTheClocksSay) {
  occurred all;
  for (unsigned seed = 200; seed < 250; ++seed) {
    check(all, seed, {.processes = 3, .pes_a_process = 1 + seed % 3, .steps = 800, .clock_errors = true});
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(all.covered_of_processes, 0U);
  EXPECT_GT(all.arrived_before_sent, 100U);
}

TEST(Schedules, WithPausesOfTheRecordingAreReportedAsFarAsRecorded) {
  occurred all;
  for (unsigned seed = 300; seed < 350; ++seed) {
    check(all, seed, {.processes = 1 + seed % 3, .pes_a_process = 2, .steps = 800, .pauses = true});
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(all.unrecorded, 0U);
  EXPECT_GT(all.takeovers, 50U);
}

TEST(Schedules, OfWhichRecordsAreMissingAreReportedAsFarAsRecorded) {
  occurred all;
  for (unsigned seed = 400; seed < 450; ++seed) {
    check(all, seed, {.processes = 1 + seed % 3, .pes_a_process = 2, .steps = 800, .drops = true});
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(all.unrecorded, 0U);
  EXPECT_GT(all.takeovers, 50U);
}

}  // namespace
}  // namespace imbrex::tools
