// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/analysis.hpp>

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/tools/trace/random_schedule.test.hpp>
#include <imbrex/tools/trace/report_json.hpp>
#include <imbrex/tools/trace/report_text.hpp>
#include <imbrex/trace/temporary_trace.test.hpp>

namespace imbrex::tools {
namespace {

using test::a_record;
using test::temporary_trace;
using test::trace_builder;
using trace::record_kind;

constexpr std::uint8_t program = 0;
constexpr std::uint8_t runtime = 1;
constexpr std::uint8_t other = 2;
constexpr std::uint8_t mailbox = 1;
constexpr std::uint8_t device = 3;
constexpr std::uint8_t timer = 4;

run_report report_on(const std::string& file, std::size_t history = history_kept) {
  trace::reader in(file);
  run_report result = analyse(in, nullptr, history);
  result.file = file;
  return result;
}

/// Two PEs and a device; the expected report can be checked by hand.
void write_golden(const std::string& file) {
  trace_builder out(file, {.pes = 2});
  out.entry(0, "block::run");
  out.entry(1, "block::halo");
  out.entry(2, "completion");
  // arguments: time, kind, a, b, group, entry, detail
  out.write(0, {
                   a_record(100, record_kind::item_begin, 0, 0, 1, 0, program),
                   a_record(150, record_kind::sent, 0x10, 1000, 1, 1),
                   a_record(300, record_kind::item_end),
                   a_record(300, record_kind::parked),
                   a_record(605, record_kind::arrived, 0x20, 0, 5),  // arrived 5 ns earlier
                   a_record(610, record_kind::woken),
                   a_record(620, record_kind::item_begin, 0x20, 0, 1, 1, program),
                   a_record(640, record_kind::sent, 0x30, 5, 1, 1),
                   a_record(700, record_kind::item_end),
               });
  out.write(1, {
                   a_record(100, record_kind::parked),
                   a_record(250, record_kind::woken),
                   a_record(260, record_kind::arrived, 0x10),
                   a_record(300, record_kind::item_begin, 0x10, 1, 1, 1, program),
                   a_record(350, record_kind::resumed, 7, 3, 1, 0, mailbox),
                   a_record(450, record_kind::suspended, 8, 3, 1, 0, device),
                   a_record(480, record_kind::sent, 0x20, 64, 0, 1),
                   a_record(500, record_kind::item_end),
                   a_record(700, record_kind::item_begin, 0, 0, 0, 2, other),
                   a_record(710, record_kind::resumed, 8, 3, 1, 0, device),
                   a_record(760, record_kind::arrived, 0x30),
                   a_record(790, record_kind::suspended, 9, 3, 1, 0, timer),
                   a_record(800, record_kind::item_end),
                   a_record(900, record_kind::item_begin, 0x30, 2, 1, 1, program),
                   a_record(950, record_kind::item_end),
                   a_record(1000, record_kind::parked),
               });
  out.write(track_number(trace::track_class::device, 0),
            {a_record(500, record_kind::operation, 100, 0, 0, 0, 0),
             a_record(650, record_kind::operation, 50, 0, 0, 0, 0),
             a_record(700, record_kind::operation, 250, 4096, 0, 0, 1)});
  out.end();
}

TEST(Analysis, OfAGoldenTraceHasItsNumbers) {
  const temporary_trace folder;
  write_golden(folder.file());
  const run_report run = report_on(folder.file());
  EXPECT_EQ(run.records, 28U);
  EXPECT_EQ(run.length, 900U);
  ASSERT_EQ(run.pes.size(), 2U);
  const pe_report& zero = run.pes[0];
  EXPECT_EQ(zero.program, 280U);
  EXPECT_EQ(zero.runtime, 0U);
  EXPECT_EQ(zero.parked, 310U);
  EXPECT_EQ(zero.idle_awake, 310U);
  EXPECT_EQ(zero.items, 2U);
  EXPECT_EQ(zero.idle.communication, 120U);
  EXPECT_EQ(zero.idle.waking, 20U);
  EXPECT_EQ(zero.idle.other, 180U);
  EXPECT_EQ(zero.idle.after_last, 300U);
  EXPECT_EQ(zero.overlap.communication, 120U);
  EXPECT_EQ(zero.overlap.covered, 0U);
  const pe_report& one = run.pes[1];
  EXPECT_EQ(one.program, 330U);
  EXPECT_EQ(one.runtime, 20U);
  EXPECT_EQ(one.parked, 150U);
  EXPECT_EQ(one.idle.before_first, 200U);
  EXPECT_EQ(one.idle.communication, 60U);
  EXPECT_EQ(one.idle.device, 140U);
  EXPECT_EQ(one.idle.waking, 100U);
  EXPECT_EQ(one.idle.timer, 0U);
  EXPECT_EQ(one.idle.after_last, 50U);
  EXPECT_EQ(one.idle.other, 0U);
  EXPECT_EQ(one.overlap.communication, 230U);
  EXPECT_EQ(one.overlap.covered, 50U);
  ASSERT_EQ(run.entries.size(), 3U);
  EXPECT_EQ(run.entries[0].name, "block::run");
  EXPECT_EQ(run.entries[0].time, 200U + 100U + 80U);
  EXPECT_EQ(run.entries[0].calls, 1U);
  EXPECT_EQ(run.entries[0].resumes, 2U);
  EXPECT_EQ(run.entries[0].longest, 200U);
  EXPECT_EQ(run.entries[1].time, 80U + 100U + 50U);
  EXPECT_EQ(run.entries[1].elements, 3U);
  EXPECT_EQ(run.entries[1].longest, 200U);
  EXPECT_EQ(run.entries[2].time, 20U);
  EXPECT_TRUE(run.entries[1].program);
  EXPECT_FALSE(run.entries[2].program);
  ASSERT_EQ(run.devices.size(), 1U);
  EXPECT_EQ(run.devices[0].overlap.communication, 250U);
  EXPECT_EQ(run.devices[0].overlap.computation, 150U);
  EXPECT_EQ(run.devices[0].overlap.covered, 100U);
  EXPECT_EQ(run.devices[0].bytes, 4096U);
  EXPECT_EQ(run.messages.sent, 3U);
  EXPECT_EQ(run.messages.begun, 3U);
  EXPECT_EQ(run.messages.between_pes_bytes, 1069U);
  EXPECT_EQ(run.messages.sizes[10], 1U);
  EXPECT_EQ(run.messages.sizes[7], 1U);
  EXPECT_EQ(run.messages.sizes[3], 1U);
  EXPECT_EQ(run.messages.network.percentile(0.5), 120U);
  EXPECT_EQ(run.messages.queue.most(), 140U);
  EXPECT_EQ(run.path.length, 850U);
  EXPECT_EQ(run.path.pe, 1U);
  EXPECT_EQ(run.path.takeovers, 2U);
  EXPECT_EQ(run.path.parts[chain_network], 110U);
  EXPECT_EQ(run.path.parts[chain_wait_other], 40U);
  EXPECT_EQ(run.path.parts[chain_wait_device], 200U);
  EXPECT_EQ(run.path.parts[chain_wait_timer], 100U);
  EXPECT_EQ(run.path.parts[chain_runtime], 20U);
  EXPECT_EQ(run.path.parts[run.entries[0].chain_part], 50U + 100U + 80U);
  EXPECT_EQ(run.path.parts[run.entries[1].chain_part], 100U + 50U);
  EXPECT_EQ(run.bound.busiest, 330U);
  EXPECT_EQ(run.bound.mean, 305U);
  EXPECT_EQ(run.bound.overlapped, 450U);
}

TEST(Analysis, SaysTheSameInTablesAndInJson) {
  const temporary_trace folder;
  write_golden(folder.file());
  const run_report run = report_on(folder.file());
  const std::string text = report_text(run);
  for (const char* const part :
       {"28 records, 2 PEs of 1 process, 900 ns of time", "31.1 %", "block::halo", "completion  (runtime)",
        "50 ns   180 ns   21.7 %       330 ns  PE 1", "100 ns   150 ns   40.0 %", "3 sent with 1.069 kB",
        "Critical path: 850 ns, to the end of the last item, on PE 1", "450 ns  2.000 times"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const auto json = nlohmann::json::parse(report_json(std::vector{run, run}));
  const auto& first = json["runs"][0];
  EXPECT_EQ(first["pes"][1]["overlap"]["covered"], 50);
  EXPECT_NEAR(first["pes"][1]["overlap"]["fraction"].get<double>(), 50.0 / 230, 1e-9);
  EXPECT_EQ(first["critical_path"]["wait_device"], 200);
  EXPECT_EQ(first["summary"]["length"], 900);
  EXPECT_EQ(json["compared"]["length"]["ratio"], 1);
  const std::string both = comparison_text(run, run);
  EXPECT_NE(both.find("900 ns    900 ns         1.000  length of the run"), std::string::npos) << both;
}

TEST(Analysis, ComparesNoPartOfNothing) {
  const temporary_trace folder;
  {
    trace_builder out(folder.file());
    out.write(0, {a_record(100, record_kind::item_begin), a_record(200, record_kind::item_end)});
  }
  const run_report run = report_on(folder.file());
  EXPECT_NE(comparison_text(run, run).find("-        -             -  communication covered"),
            std::string::npos)
      << comparison_text(run, run);
  const auto json = nlohmann::json::parse(report_json(std::vector{run, run}));
  EXPECT_TRUE(json["runs"][0]["summary"]["overlap"].is_null());
  EXPECT_TRUE(json["compared"]["overlap"]["ratio"].is_null());
}

TEST(Analysis, DoesNotTakeAMessageForAnotherThatCameToItsAddress) {
  const temporary_trace folder;
  {
    trace_builder out(folder.file());
    out.write(0, {
                     a_record(100, record_kind::item_begin),
                     a_record(150, record_kind::sent, 0x10, 1000, 0, 1),
                     a_record(200, record_kind::item_end),
                     a_record(200, record_kind::off),  // the message begins while recording is off
                     a_record(5000, record_kind::on),
                     a_record(5100, record_kind::item_begin, 0x10, 0, 1, 2),
                     a_record(5200, record_kind::item_end),
                 });
    out.end();
  }
  const run_report run = report_on(folder.file());
  EXPECT_EQ(run.messages.begun, 0U);
  EXPECT_EQ(run.messages.unknown, 1U);
}

// A chare has moved, so its message is forwarded. A value taken from a mailbox may use the message's address
// again.
TEST(Analysis, CountsNoCallWhereAMessageWasOnlyPassedOn) {
  const temporary_trace folder;
  {
    trace_builder out(folder.file(), {.pes = 2});
    out.write(0, {
                     a_record(100, record_kind::item_begin, 0x10, 0, 1, 1, program),
                     a_record(100, record_kind::sent, 0x20, 8, 0, 2),  // forwarded to the chare's PE
                     a_record(100, record_kind::sent, 0x10, 8, 1, 1),
                     a_record(100, record_kind::item_end),
                     a_record(300, record_kind::item_begin, 0x30, 0, 1, 3, program),
                     a_record(310, record_kind::resumed, 0, 0, 1, 4, mailbox),
                     a_record(320, record_kind::sent, 0x30, 8, 1, 3),
                     a_record(400, record_kind::item_end),
                 });
    out.write(1, {
                     a_record(200, record_kind::item_begin, 0x10, 0, 1, 1, program),
                     a_record(1200, record_kind::item_end),
                 });
    out.end();
  }
  const run_report run = report_on(folder.file());
  for (const entry_report& e : run.entries) {
    if (e.name != "entry 1" && e.name != "entry 3") continue;
    EXPECT_EQ(e.calls, 1U) << e.name;
  }
  EXPECT_EQ(run.pes.at(0).items, 2U);
  EXPECT_EQ(run.messages.sent, 3U);
}

TEST(Analysis, EndsTheWaitsOfCoroutinesThatWereDestroyed) {
  const temporary_trace folder;
  {
    trace_builder out(folder.file());
    out.write(0, {
                     a_record(100, record_kind::item_begin),
                     a_record(150, record_kind::suspended, 0, 0, 0, 0, timer),
                     a_record(200, record_kind::item_end),
                     a_record(300, record_kind::item_begin),
                     a_record(350, record_kind::abandoned, 0, 0, 0, 0, timer),
                     a_record(400, record_kind::item_end),
                     a_record(900, record_kind::item_begin),
                     a_record(1000, record_kind::item_end),
                 });
    out.end();
  }
  const run_report run = report_on(folder.file());
  EXPECT_EQ(run.pes.at(0).idle.timer, 100U);
  EXPECT_EQ(run.pes.at(0).idle.other, 500U);
}

TEST(Analysis, WaitsForTheDeviceWhileThatKeepsThePeFromItsMessages) {
  const temporary_trace folder;
  {
    trace_builder out(folder.file());
    out.write(0, {
                     a_record(0, record_kind::item_begin),
                     a_record(40, record_kind::sent, 0x10, 8, 0, 1),
                     a_record(50, record_kind::suspended, 0, 3, 1, 0, device),
                     a_record(100, record_kind::item_end),
                     a_record(900, record_kind::item_begin, 0, 0, 0, 2, other),
                     a_record(900, record_kind::resumed, 0, 3, 1, 0, device),
                     a_record(1000, record_kind::suspended, 0, 3, 1, 0, device),
                     a_record(1000, record_kind::item_end),
                     a_record(1007, record_kind::item_begin, 0x10, 0, 1, 1, program),
                     a_record(1100, record_kind::item_end),
                 });
    out.end();
  }
  const run_report run = report_on(folder.file());
  EXPECT_EQ(run.pes.at(0).idle.device, 800U);
  EXPECT_EQ(run.pes.at(0).idle.waking, 7U);
}

TEST(Analysis, GoesFromQuiescenceToThePeThatWorkedLast) {
  const temporary_trace folder;
  {
    trace_builder out(folder.file(), {.pes = 3});
    out.entry(0, "the main task");
    out.write(0, {
                     a_record(0, record_kind::item_begin, 0, 0, 0, 0, other),
                     a_record(10, record_kind::sent, 0x10, 8, 1, 1),
                     a_record(20, record_kind::suspended, 0, 0, 0, 0),
                     a_record(20, record_kind::item_end),
                     a_record(1000, record_kind::quiet),
                     a_record(1000, record_kind::sent, 0x50, 0, 0, 3),
                     a_record(1010, record_kind::item_begin, 0x50, 0, 0, 3, runtime),
                     a_record(1010, record_kind::resumed, 0, 0, 0, 0),
                     a_record(1050, record_kind::item_end),
                 });
    out.write(1, {
                     a_record(30, record_kind::item_begin, 0x10, 0, 1, 1, program),
                     a_record(40, record_kind::sent, 0x20, 8, 2, 2),
                     a_record(900, record_kind::item_end),
                 });
    out.write(2, {
                     a_record(50, record_kind::item_begin, 0x20, 0, 1, 2, program),
                     a_record(100, record_kind::item_end),
                     a_record(950, record_kind::item_begin, 0, 0, 0, 4, other),  // a timer, which is no work
                     a_record(960, record_kind::item_end),
                 });
    out.end();
  }
  const run_report run = report_on(folder.file());
  std::map<std::string, std::uint64_t> path;
  for (const entry_report& e : run.entries)
    if (e.chain_part != 0) path[e.name] = run.path.parts[e.chain_part];
  EXPECT_EQ(run.path.length, 1050U);
  EXPECT_EQ(path["the main task"], 10U + 40U);
  EXPECT_EQ(path["entry 1"], 870U);
  EXPECT_EQ(path["entry 2"], 0U);
  EXPECT_EQ(run.path.parts[chain_wait_other], 20U + 110U);
}

TEST(Analysis, CountsTheMainTaskAsTheProgram) {
  const temporary_trace folder;
  {
    trace_builder out(folder.file());
    out.entry(0, "the main task");
    out.entry(1, "timer");
    out.write(0, {
                     a_record(0, record_kind::item_begin, 0, 0, 0, 0, other),
                     a_record(100, record_kind::suspended, 0, 0, 0, 0, timer),
                     a_record(100, record_kind::item_end),
                     a_record(300, record_kind::item_begin, 0, 0, 0, 1, other),
                     a_record(310, record_kind::resumed, 0, 0, 0, 0, timer),
                     a_record(500, record_kind::item_end),
                 });
    out.end();
  }
  const run_report run = report_on(folder.file());
  EXPECT_EQ(run.pes.at(0).program, 290U);
  EXPECT_EQ(run.pes.at(0).runtime, 10U);
  EXPECT_EQ(run.entries.at(0).time, 290U);
  EXPECT_EQ(run.path.parts[run.entries.at(0).chain_part], 290U);
}

// The coroutine may have resumed while nothing was recorded.
TEST(Analysis, KnowsOfNoWaitAfterAPauseOfTheRecording) {
  const temporary_trace folder;
  {
    trace_builder out(folder.file());
    out.write(0, {
                     a_record(0, record_kind::item_begin),
                     a_record(50, record_kind::suspended, 0, 3, 1, 0, device),
                     a_record(100, record_kind::item_end),
                     a_record(150, record_kind::off),
                     a_record(1000, record_kind::on),
                     a_record(1000, record_kind::item_begin),
                     a_record(1100, record_kind::item_end),
                     a_record(9000, record_kind::item_begin),
                     a_record(9100, record_kind::item_end),
                 });
    out.end();
  }
  const run_report run = report_on(folder.file());
  EXPECT_EQ(run.pes.at(0).idle.device, 50U);
  EXPECT_EQ(run.pes.at(0).idle.other, 7900U);
}

TEST(Analysis, LeavesOutWhatTheRingHasDropped) {
  const temporary_trace folder;
  {
    trace_builder out(folder.file());
    out.write(0, {
                     a_record(100, record_kind::item_begin),
                     a_record(200, record_kind::mark),
                     a_record(500, record_kind::dropped, 7),
                     a_record(600, record_kind::item_end),
                     a_record(700, record_kind::item_begin),
                     a_record(800, record_kind::item_end),
                 });
  }
  const run_report run = report_on(folder.file());
  const pe_report& pe = run.pes.at(0);
  EXPECT_EQ(pe.dropped, 7U);
  EXPECT_EQ(pe.program, 100U + 100U);
  EXPECT_EQ(run.by_process.at(0).overlap.computation, pe.program);
  EXPECT_EQ(pe.unrecorded, 400U);
  EXPECT_EQ(pe.idle.all(), 100U);
  EXPECT_EQ(run.entries.at(0).name, "entry 0");
  ASSERT_EQ(run.warnings.size(), 2U);
  EXPECT_NE(run.warnings[0].find("has not ended"), std::string::npos);
  EXPECT_NE(run.warnings[1].find("7 of 13 records are missing"), std::string::npos) << run.warnings[1];
  EXPECT_NE(report_text(run).find("7 records dropped"), std::string::npos);
}

TEST(Analysis, KnowsTheComputationOfAProcessWhereOnePeHasDroppedRecords) {
  for (const bool says_when : {true, false}) {
    const temporary_trace folder;
    {
      trace_builder out(folder.file(), {.pes = 2});
      out.write(0, {a_record(0, record_kind::item_begin)});
      if (says_when) out.write(0, {a_record(40, record_kind::off)});
      out.write(0, {a_record(1'000'000, record_kind::dropped, 1), a_record(1'000'001, record_kind::parked)});
      out.write(1, {a_record(10, record_kind::item_begin), a_record(100'000, record_kind::item_end),
                    a_record(1'000'002, record_kind::parked)});
      out.end();
    }
    const run_report run = report_on(folder.file());
    EXPECT_EQ(run.pes.at(0).program, says_when ? 40U : 0U);
    EXPECT_EQ(run.pes.at(1).program, 99'990U);
    EXPECT_EQ(run.by_process.at(0).overlap.computation, 100'000U);
  }
}

TEST(Analysis, CountsWhatTheRingsOfDevicesHaveDropped) {
  const temporary_trace folder;
  {
    trace_builder out(folder.file());
    out.write(0, {a_record(100, record_kind::item_begin), a_record(110, record_kind::dropped, 3),
                  a_record(200, record_kind::item_end)});
    out.write(track_number(trace::track_class::device, 0),
              {a_record(150, record_kind::dropped, 40), a_record(160, record_kind::operation, 5)});
    out.write(track_number(trace::track_class::comm_thread, 0), {a_record(170, record_kind::dropped, 500)});
    out.end();
  }
  const run_report run = report_on(folder.file());
  EXPECT_EQ(run.dropped, 543U);
  EXPECT_EQ(run.pes.at(0).dropped, 3U);
  EXPECT_EQ(run.devices.at(0).dropped, 40U);
  ASSERT_EQ(run.warnings.size(), 1U);
  EXPECT_TRUE(run.warnings[0].starts_with("543 of 549 records are missing")) << run.warnings[0];
  EXPECT_NE(report_text(run).find("1 operations, 40 records dropped"), std::string::npos);
}

TEST(Analysis, HasTheBlocksOfKernelsAsRows) {
  const temporary_trace folder;
  {
    trace_builder out(folder.file());
    out.write(0, {a_record(100, record_kind::item_begin), a_record(1100, record_kind::item_end)});
    out.write(track_number(trace::track_class::block, 3),
              {a_record(150, record_kind::operation, 40), a_record(260, record_kind::operation, 60),
               a_record(300, record_kind::dropped, 7)});
    out.write(track_number(trace::track_class::block, 20U << 16U | 2U << 8U | 5U),
              {a_record(1000, record_kind::operation, 500)});
    out.end();
  }
  const run_report run = report_on(folder.file());
  ASSERT_EQ(run.blocks.size(), 2U);
  EXPECT_EQ(run.blocks[0].entries, 2U);
  EXPECT_EQ(run.blocks[0].busy, 100U);
  EXPECT_EQ(run.blocks[0].longest, 60U);
  EXPECT_EQ(run.blocks[0].dropped, 7U);
  EXPECT_EQ(run.blocks[1].busy, 500U);
  EXPECT_TRUE(run.devices.empty());
  const std::string text = report_text(run);
  EXPECT_NE(text.find("block 3 of device 0 of process 0, 7 records dropped"), std::string::npos) << text;
  EXPECT_NE(text.find("block 5 of kernel 2 of device 20 of process 0"), std::string::npos) << text;
  EXPECT_NE(report_json(std::vector{run}).find("block 5 of kernel 2 of device 20"), std::string::npos);
}

// A model's clock may show the same time for send and begin, and the receiver's track is read first.
TEST(Analysis, KnowsAMessageThatBeginsWhenItIsSent) {
  const temporary_trace folder;
  {
    trace_builder out(folder.file(), {.pes = 3, .flags = trace::simulated_clock});
    out.write(0, {
                     a_record(50, record_kind::item_begin, 0x20, 0, 0, 1, program),
                     a_record(80, record_kind::item_end),
                 });
    out.write(1, {
                     a_record(30, record_kind::item_begin, 0x10, 0, 0, 2, program),
                     a_record(50, record_kind::sent, 0x20, 1, 0, 1),
                     a_record(60, record_kind::item_end),
                 });
    out.write(2, {
                     a_record(0, record_kind::item_begin, 0, 0, 0, 3, program),
                     a_record(30, record_kind::sent, 0x10, 1, 1, 2),
                     a_record(40, record_kind::item_end),
                 });
    out.end();
  }
  const run_report run = report_on(folder.file());
  EXPECT_TRUE(run.simulated_time);
  EXPECT_EQ(run.messages.begun, 2U);
  EXPECT_EQ(run.messages.unknown, 0U);
  EXPECT_EQ(run.path.takeovers, 2U);
  EXPECT_EQ(run.path.length, 80U);
  for (const entry_report& e : run.entries) {
    const std::uint64_t expected = e.name == "entry 3" ? 30 : e.name == "entry 2" ? 20 : 30;
    EXPECT_EQ(run.path.parts[e.chain_part], expected) << e.name;
  }
}

TEST(Analysis, CountsWhatAShortHistoryHasCut) {
  const temporary_trace folder;
  {
    trace::file_header head;
    head.pes = 2;
    trace::file_writer out(folder.file(), head);
    out.write(0, std::vector{a_record(0, record_kind::sent, 0x10, 8, 1)});
    std::vector<trace::record> items;
    for (std::uint64_t k = 0; k < 100; ++k) {
      items.push_back(a_record(10 * k, record_kind::item_begin));
      items.push_back(a_record(10 * k + 5, record_kind::item_end));
    }
    items.push_back(a_record(1000, record_kind::arrived, 0x10));
    items.push_back(a_record(1000, record_kind::item_begin, 0x10));
    items.push_back(a_record(1001, record_kind::item_end));
    out.write(1, items);
  }
  const run_report exact = report_on(folder.file());
  EXPECT_EQ(exact.pes.at(1).overlap.communication, 1000U);
  EXPECT_EQ(exact.pes.at(1).overlap.covered, 500U);
  EXPECT_EQ(exact.pes.at(1).overlap.cut, 0U);
  const run_report cut = report_on(folder.file(), 4);
  EXPECT_EQ(cut.pes.at(1).overlap.cut, 1U);
  EXPECT_EQ(cut.pes.at(1).overlap.cut_time + cut.pes.at(1).overlap.communication, 1000U);
  EXPECT_NE(report_text(cut).find("1 intervals cut by"), std::string::npos);
}

TEST(Analysis, CountsMessagesThatWereInAQueueForLongerThanAShortHistory) {
  const temporary_trace folder;
  {
    trace::file_writer out(folder.file(), {});
    std::vector<trace::record> items{a_record(0, record_kind::item_begin),
                                     a_record(0, record_kind::sent, 0x10, 8, 0),
                                     a_record(0, record_kind::item_end)};
    for (std::uint64_t k = 0; k < 100; ++k) {
      items.push_back(a_record(10 * k, record_kind::item_begin));
      items.push_back(a_record(10 * k + 5, record_kind::item_end));
    }
    items.push_back(a_record(1000, record_kind::item_begin, 0x10));
    items.push_back(a_record(1001, record_kind::item_end));
    out.write(0, items);
  }
  const idle_report exact = report_on(folder.file()).pes.at(0).idle;
  EXPECT_EQ(exact.waking, 500U);
  EXPECT_EQ(exact.cut, 0U);
  const run_report cut = report_on(folder.file(), 4);
  const idle_report& idle = cut.pes.at(0).idle;
  EXPECT_EQ(idle.all(), 500U);
  EXPECT_LT(idle.waking, 500U);
  EXPECT_EQ(idle.cut, 1U);
  EXPECT_GE(idle.cut_time, 500U - idle.waking);
  EXPECT_NE(report_text(cut).find("1 intervals cut by"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(report_json(std::vector{cut}))["runs"][0]["pes"][0]["idle"]["cut"], 1);
}

TEST(Analysis, CountsOfADeviceWhatTheRunHas) {
  const temporary_trace folder;
  {
    trace_builder out(folder.file());
    out.write(0, {a_record(100'000, record_kind::item_begin), a_record(100'900, record_kind::item_end)});
    out.write(track_number(trace::track_class::device, 0),
              {a_record(100'500, record_kind::operation, 50'000)});
    out.end();
  }
  const run_report run = report_on(folder.file());
  EXPECT_EQ(run.length, 900U);
  EXPECT_EQ(run.devices.at(0).overlap.computation, 500U);
  EXPECT_EQ(run.bound.device, 500U);
}

TEST(Analysis, SurvivesFilesThatWereCutOrDamaged) {
  const temporary_trace folder;
  test::random_schedule schedule(9, {.processes = 1, .pes_a_process = 3, .steps = 60, .pauses = true});
  schedule.write(folder.file("whole"));
  const std::string whole = temporary_trace::bytes_of(folder.file("whole"));
  const auto survives = [&](const std::string& bytes) {
    temporary_trace::make_file(folder.file(), bytes);
    try {
      const run_report run = report_on(folder.file(), 8);
      for (const pe_report& pe : run.pes) {
        EXPECT_LE(pe.overlap.covered, pe.overlap.communication);
        EXPECT_EQ(pe.program + pe.runtime + pe.unrecorded + pe.idle_awake + pe.parked, run.length);
      }
      EXPECT_FALSE(report_text(run).empty());
      EXPECT_TRUE(nlohmann::json::accept(report_json(std::vector{run})));
    } catch (const usage_error&) {  // the header is damaged
    }
  };
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += 3) survives(whole.substr(0, bytes));
  std::mt19937 random(12);
  for (int round = 0; round < 1000; ++round) {
    auto bytes = whole;
    for (auto left = random() % 9 + 1; left > 0; --left)
      bytes[64 + random() % (bytes.size() - 64)] = static_cast<char>(random());
    survives(bytes);
  }
}

}  // namespace
}  // namespace imbrex::tools
