// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/measured.hpp>

#include <gtest/gtest.h>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/tools/overlap/input.hpp>
#include <imbrex/tools/overlap/parameters.hpp>
#include <imbrex/tools/replay/read_dataflow.hpp>
#include <imbrex/tools/trace/random_schedule.test.hpp>
#include <imbrex/trace/temporary_trace.test.hpp>

namespace imbrex::overlap {
namespace {

using tools::dataflow;

/// Two PEs with three iterations of 100 us: each writes 200 words in 60 us and reads 100 in 30 us. They send
/// each other 8 words 40 us before these are needed; the receiver works 25 us of that time.
dataflow exchange(bool both_ways = true) {
  dataflow run;
  run.pes = {0, 1};
  run.entries = {"cell::halo"};
  run.phase_names = {"steps"};
  run.data_names = {"cells"};
  run.length = 400'000;
  run.phases.push_back({0, 100'000, 400'000, 100'000, 400'000});
  for (std::uint32_t iteration = 0; iteration < 3; ++iteration)
    for (std::uint32_t pe = 0; pe < 2; ++pe) {
      const std::uint64_t begun = 100'000 * (iteration + 1);
      const auto here = static_cast<std::uint32_t>(run.pieces.size());
      run.pieces.push_back({.length = 90'000, .begun = begun, .pe = pe});
      run.data.push_back({0, here, 100, begun, begun + 30'000, false, {}});
      run.data.push_back({0, here, 200, begun + 30'000, begun + 90'000, true, {}});
      if (!both_ways && pe == 1) continue;
      const auto there = both_ways ? (pe == 0 ? here + 1 : here - 1) : here + 1;
      run.messages.push_back({.bytes = 64,
                              .sent = begun + 10'000,
                              .needed = begun + 50'000,
                              .needed_at = begun + 50'000,
                              .hidden = 25'000,
                              .reference = iteration,
                              .sender = here,
                              .item = there,
                              .user = there,
                              .received = true,
                              .is_program = true});
    }
  return run;
}

TEST(measured, finds_the_parameters_of_section_3_1) {
  const measured_program found = measure(exchange(), {.phase = "steps"}, "cells");
  EXPECT_EQ(found.iterations, 3U);
  EXPECT_TRUE(found.counted);
  EXPECT_EQ(found.program.name, "cells");
  EXPECT_EQ(found.program.processors, 2);
  EXPECT_DOUBLE_EQ(found.program.computation.count(), 90);
  ASSERT_EQ(found.program.data.size(), 1U);
  const datum& halo = found.program.data.front();
  EXPECT_EQ(halo.name, "cell::halo");
  EXPECT_EQ(halo.kind, execution::concurrent);
  EXPECT_EQ(halo.sent, 8U);
  EXPECT_EQ(halo.produced, 200U);
  EXPECT_EQ(halo.consumed, 100U);
  EXPECT_DOUBLE_EQ(halo.produce_period.count(), 0.3);
  EXPECT_DOUBLE_EQ(halo.consume_period.count(), 0.3);
  EXPECT_DOUBLE_EQ(halo.additional_consume.count(), 25);
  // Unchanged, 25 us hide the transfer; loop indexing would add 0.3 us for each word that is not sent.
  EXPECT_DOUBLE_EQ(independent(as_it_is(found.program).data.front()).total().count(), 25);
  EXPECT_NEAR(independent(halo).total().count(), 25 + 0.3 * 192 + 0.3 * 92, 1e-9);
}

TEST(measured, without_marks_all_work_of_a_piece_writes_what_it_sends) {
  dataflow run = exchange();
  run.data.clear();
  const datum halo = measure(run, {.phase = "steps"}, "cells").program.data.front();
  EXPECT_EQ(halo.produced, 8U);
  EXPECT_EQ(halo.consumed, 8U);
  EXPECT_DOUBLE_EQ(halo.produce_period.count(), 90.0 / 8);
  EXPECT_DOUBLE_EQ(halo.consume_period.count(), 90.0 / 8);
}

/// A loop that reads received data and writes the next data hides only one of the two transfers.
TEST(measured, counts_work_that_reads_and_writes_once) {
  dataflow run = exchange();
  for (auto& use : run.data) {
    const std::uint64_t begun = run.pieces[use.piece].begun;
    use.words = 100;
    use.begun = begun;
    use.ended = begun + 60'000;
  }
  datum halo = measure(run, {.phase = "steps"}, "cells").program.data.front();
  EXPECT_NEAR(independent(halo).total().count(), 25 + 0.6 * 92, 1e-9);
  for (auto& use : run.data)
    if (use.writes) use.begun += 45'000, use.ended += 45'000;  // the loops share a quarter of their time
  halo = measure(run, {.phase = "steps"}, "cells").program.data.front();
  EXPECT_NEAR(independent(halo).total().count(), 25 + 1.75 * 0.6 * 92, 1e-9);
}

TEST(measured, tells_the_time_from_the_writing_to_the_sending) {
  dataflow run = exchange();
  for (auto& message : run.messages)
    message.sent += 87'000;  // 7 us after the writing, or 4 us where that ended later
  for (auto& use : run.data)
    if (use.writes) use.ended = use.piece == 4 ? use.begun + 63'000 : use.begun + 60'000;
  const datum halo = measure(run, {.phase = "steps"}, "cells").program.data.front();
  EXPECT_DOUBLE_EQ(halo.additional_produce.count(), 7);
  EXPECT_DOUBLE_EQ(independent(halo).total().count(), 25 + 7 + 0.3 * 192 + 0.3 * 92);
  for (auto& use : run.data)
    if (use.writes) use.ended += 10'000;  // the writing ends after the send
  EXPECT_DOUBLE_EQ(measure(run, {.phase = "steps"}, "cells").program.data.front().additional_produce.count(),
                   0);
}

TEST(measured, tells_pipelines_from_exchanges) {
  const datum halo = measure(exchange(false), {.phase = "steps"}, "cells").program.data.front();
  EXPECT_EQ(halo.kind, execution::pipelined);
  EXPECT_DOUBLE_EQ(halo.additional_consume.count(), 0);
}

TEST(measured, follows_the_order_that_was_told) {
  dataflow run = exchange();
  for (auto& use : run.data) {
    if (use.writes)
      use.order = {7, 6, 5, 4, 3, 2, 1, 0};
    else
      use.order = {0, 1, 2, 3, 4, 5, 6, 7};
  }
  const auto listed =
      std::get<listed_order>(measure(run, {.phase = "steps"}, "x").program.data.front().order);
  EXPECT_EQ(listed.production, (std::vector<std::uint64_t>{7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(listed.consumption, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  for (auto& use : run.data)
    use.order = use.writes ? std::vector<std::uint64_t>{6, 1} : std::vector<std::uint64_t>{2, 5};
  EXPECT_EQ(std::get<named_order>(measure(run, {.phase = "steps"}, "x").program.data.front().order),
            named_order::reverse);
}

TEST(measured, lists_positions_only_where_every_word_that_is_sent_has_one) {
  for (const bool few_written : {true, false}) {
    dataflow run = exchange();
    for (auto& use : run.data) {
      use.order = {7, 6, 5, 4, 3, 2, 1, 0};
      if (use.writes == few_written) use.words = 1;
    }
    const application program = measure(run, {.phase = "steps"}, "x").program;
    EXPECT_EQ(std::get<named_order>(program.data.front().order), named_order::same);
    EXPECT_NO_THROW(parse_applications(parameters_json({&program, 1}).dump(), "measured.json"));
  }
}

TEST(measured, numbers_names_that_become_equal) {
  dataflow run = exchange();
  const std::string end = std::string(70, 'A') + "::halo";
  run.entries = {"first::" + end, "second::" + end, "third::" + end};
  for (std::size_t i = 0; i < run.messages.size(); ++i)
    run.messages[i].entry = static_cast<std::uint32_t>(i / 2);
  const application program = measure(run, {.phase = "steps"}, "x").program;
  ASSERT_EQ(program.data.size(), 3U);
  EXPECT_EQ(program.data[0].name, "..." + std::string(51, 'A') + "::halo");
  EXPECT_EQ(program.data[1].name, "..." + std::string(47, 'A') + "::halo (2)");
  EXPECT_EQ(program.data[2].name, "..." + std::string(47, 'A') + "::halo (3)");
  EXPECT_NO_THROW(parse_applications(parameters_json({&program, 1}).dump(), "measured.json"));
}

TEST(measured, counts_overlapping_phases_once) {
  dataflow run = exchange();
  run.phases.push_back({0, 150'000, 350'000, 150'000, 350'000});
  EXPECT_DOUBLE_EQ(measure(run, {.phase = "steps"}, "x").program.computation.count(), 90);
}

// In simulated time an entry that only waits ends at the time of the last message's arrival, as does the
// warm-up before it.
TEST(measured, counts_what_the_records_put_into_a_phase_that_begins_and_ends_with_a_message) {
  dataflow run = exchange();
  for (auto& message : run.messages) message.needed = 100'000 * static_cast<unsigned>(message.reference + 1);
  run.phases = {{0, 100'000, 300'000, 150'001, 350'001}};
  EXPECT_EQ(measure(run, {.phase = "steps"}, "x").iterations, 2U);
}

TEST(measured, takes_the_iterations_that_were_given) {
  const measured_program found = measure(exchange(), {.phase = "steps", .iterations = 6}, "x");
  EXPECT_EQ(found.iterations, 6U);
  EXPECT_FALSE(found.counted);
  EXPECT_EQ(found.program.data.front().sent, 4U);
}

TEST(measured, refuses_a_phase_that_is_not_there) {
  EXPECT_EQ(testing::error_of<usage_error>([&] { measure(exchange(), {.phase = "iterations"}, "x"); }),
            "--phase iterations: the trace has no such phase; it has steps");
}

TEST(measured, takes_empty_messages) {
  dataflow run = exchange(false);
  for (auto& message : run.messages) message.bytes = 0;
  const datum halo = measure(run, {.phase = "steps"}, "x").program.data.front();
  EXPECT_EQ(halo.sent, 1U);
  EXPECT_EQ(halo.produced, 200U);
  EXPECT_EQ(halo.consumed, 100U);
}

/// A file is measured while it is read.
TEST(measured, finds_the_same_in_a_file_as_in_all_that_was_read_of_it) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const test::temporary_trace folder;
    test::random_schedule(seed, {.processes = 1 + seed % 2, .steps = 3000, .clock_errors = seed % 3 == 0})
        .write(folder.file());
    trace::reader in(folder.file());
    const measured_program whole = measure(tools::read_dataflow(in), {}, "x");
    std::vector<std::string> warnings;
    const measured_program streamed = measure(folder.file(), {}, "x", warnings);
    EXPECT_FALSE(whole.program.data.empty());
    EXPECT_EQ(streamed.iterations, whole.iterations);
    EXPECT_EQ(streamed.counted, whole.counted);
    EXPECT_EQ(parameters_json({&streamed.program, 1}), parameters_json({&whole.program, 1})) << seed;
    EXPECT_EQ(warnings, in.warnings());
  }
}

TEST(measured, parameters_can_be_read_back) {
  for (const bool both_ways : {true, false}) {
    dataflow run = exchange(both_ways);
    run.entries = {
        both_ways ? "my_application::solver_block<double, 3>::halo_exchange_of_ghost_cells_of_\u00e9" : ""};
    const application program = measure(run, {.phase = "steps"}, std::string(200, 'x')).program;
    EXPECT_EQ(program.data.front().name,
              both_ways ? "...lver_block<double, 3>::halo_exchange_of_ghost_cells_of_??" : "?");
    const auto read = parse_applications(parameters_json({&program, 1}).dump(), "measured.json");
    ASSERT_EQ(read.size(), 1U);
    EXPECT_EQ(parameters_json(read), parameters_json({&program, 1}));
    EXPECT_EQ(parameters_text(read), parameters_text({&program, 1}));
  }
}

}  // namespace
}  // namespace imbrex::overlap
