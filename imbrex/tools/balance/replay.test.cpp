// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <imbrex/balance/record_writer.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/tools/balance/neighbours.hpp>
#include <imbrex/tools/balance/replay.hpp>
#include <imbrex/tools/balance/report.hpp>

namespace imbrex::tools::balance {
namespace {

using imbrex::balance::object_name;
using imbrex::balance::record_reader;
using imbrex::balance::record_writer;
using imbrex::balance::recorded_period;
using imbrex::testing::error_of;
using test::temporary_file;

using names_of_strategies = std::vector<std::string>;

/// A period of objects in a line, two on each PE. `heavy`: an object with nine times the load of the others.
recorded_period line_of(std::size_t objects, std::size_t heavy) {
  recorded_period period;
  period.problem.dimensions = 1;
  for (std::size_t i = 0; i < objects; ++i) {
    period.problem.pe.push_back(static_cast<int>(i / 2));
    period.problem.load.push_back(i == heavy ? 9 : 1);
    period.problem.movable.push_back(1);
    period.problem.coordinates.push_back(static_cast<float>(i));
    period.measured.push_back(i == heavy ? 9 : 1);
  }
  return period;
}

std::vector<object_name> names_of(std::size_t objects) {
  std::vector<object_name> names;
  for (std::size_t i = 0; i < objects; ++i) names.push_back({0, i});
  return names;
}

/// Four PEs on two nodes with eight objects; the second of them is heavy.
void write_line(const std::string& file, int periods) {
  record_writer out(file);
  out.write({.strategy = "none", .pes = 4, .node = {0, 0, 1, 1}});
  for (int i = 0; i < periods; ++i) out.write(names_of(8), line_of(8, 1));
}

replayed_record replayed(const std::string& file, const names_of_strategies& strategies,
                         const other_machine& on = {}) {
  record_reader record(file);
  return replay(record, strategies, on);
}

TEST(balance_replay, judges_each_strategy_by_the_next_period) {
  const temporary_file file("");
  write_line(file.name(), 4);
  const replayed_record all = replayed(file.name(), {"none", "refine", "rotate"});
  EXPECT_EQ(all.decisions, 3);
  EXPECT_EQ(all.objects, 8);
  EXPECT_EQ(all.pes, 4);
  EXPECT_EQ(all.nodes, 2);
  EXPECT_EQ(all.edges, cut_edges::neighbours);
  ASSERT_EQ(all.strategies.size(), 3);
  const auto& [none, refine, rotate] = std::tie(all.strategies[0], all.strategies[1], all.strategies[2]);
  EXPECT_EQ(none.imbalance, std::vector<double>(3, 2.5));  // 10 of 16 on one of four PEs
  EXPECT_EQ(none.moved, 0);
  EXPECT_DOUBLE_EQ(none.cut, 3.0 / 7);
  EXPECT_DOUBLE_EQ(none.node_cut, 1.0 / 7);
  EXPECT_DOUBLE_EQ(refine.mean(), 9.0 / 4);
  EXPECT_GT(refine.moved, 0);
  EXPECT_DOUBLE_EQ(rotate.worst(), 2.5);
  EXPECT_DOUBLE_EQ(rotate.moved, 1);
}

/// The loads of the deciding period differ from those of the judging one.
TEST(balance_replay, judges_by_loads_that_the_strategy_has_not_seen) {
  const temporary_file file("");
  record_writer out(file.name());
  out.write({.strategy = "none", .pes = 4});
  for (const std::size_t heavy : {0U, 7U}) {
    recorded_period period = line_of(8, heavy);
    period.problem.load.assign(8, 1);  // the expected loads
    out.write(names_of(8), period);
  }
  EXPECT_DOUBLE_EQ(replayed(file.name(), {"greedy"}).strategies.front().worst(), 2.5);
}

TEST(balance_replay, moves_the_objects_to_another_machine) {
  const temporary_file file("");
  write_line(file.name(), 2);
  const replayed_record two = replayed(file.name(), {"none"}, {.pes = 2});
  EXPECT_EQ(two.pes, 2);
  EXPECT_EQ(two.nodes, 1);
  EXPECT_DOUBLE_EQ(two.strategies.front().worst(), 12.0 / 8);
  const replayed_record eight = replayed(file.name(), {"none"}, {.pes = 8});
  EXPECT_EQ(eight.nodes, 4);
  EXPECT_DOUBLE_EQ(eight.strategies.front().worst(), 9.0 / 2);
  EXPECT_DOUBLE_EQ(eight.strategies.front().cut, 1);
  EXPECT_DOUBLE_EQ(eight.strategies.front().node_cut, 3.0 / 7);
  const replayed_record other_nodes = replayed(file.name(), {"none"}, {.node_pes = 1});
  EXPECT_EQ(other_nodes.nodes, 4);
  EXPECT_DOUBLE_EQ(other_nodes.strategies.front().node_cut, 3.0 / 7);
}

TEST(balance_replay, keeps_the_places_of_objects_while_others_come_and_go) {
  const temporary_file file("");
  record_writer out(file.name());
  out.write({.strategy = "none", .pes = 4});
  out.write(names_of(8), line_of(8, 1));
  out.write(names_of(8), line_of(8, 1));
  std::vector<object_name> names = names_of(8);
  names.erase(names.begin() + 3);
  recorded_period fewer = line_of(7, 1);
  fewer.problem.pe = {0, 0, 1, 2, 2, 3, 3};
  out.write(names, fewer);
  out.write(names_of(8), line_of(8, 1));
  const replayed_record all = replayed(file.name(), {"none", "refine"});
  EXPECT_DOUBLE_EQ(all.strategies[0].imbalance[1], 10 / (15.0 / 4));
  EXPECT_DOUBLE_EQ(all.strategies[0].imbalance[2], 2.5);
  EXPECT_DOUBLE_EQ(all.strategies[1].imbalance[0], 9.0 / 4);
}

TEST(balance_replay, leaves_out_periods_without_measured_loads) {
  const temporary_file file("");
  record_writer out(file.name());
  out.write({.strategy = "none", .pes = 4});
  for (int i = 0; i < 6; ++i) {
    const bool is_measured = i != 1;
    recorded_period period = line_of(8, is_measured ? 1 : 7);
    period.is_measured = is_measured;
    if (i < 2) period.problem.load[7] = 1000;
    out.write(names_of(8), period);
  }
  const replayed_record all = replayed(file.name(), {"greedy"});
  EXPECT_EQ(all.decisions, 3);
  EXPECT_DOUBLE_EQ(all.strategies.front().worst(), 9.0 / 4);
}

TEST(balance_replay, uses_recorded_edges) {
  const temporary_file file("");
  record_writer out(file.name());
  out.write({.strategy = "none", .pes = 4});
  recorded_period period = line_of(8, 1);
  period.problem.first_edge = {0, 1, 2, 2, 2, 2, 2, 2, 2};
  period.problem.edge_to = {1, 2};
  period.problem.edge_bytes = {30, 10};
  for (int i = 0; i < 2; ++i) out.write(names_of(8), period);
  const replayed_record all = replayed(file.name(), {"none"});
  EXPECT_EQ(all.edges, cut_edges::recorded);
  EXPECT_DOUBLE_EQ(all.strategies.front().cut, 0.25);
  EXPECT_EQ(all.sent_messages, 0);
}

TEST(balance_replay, sums_up_what_objects_send) {
  const temporary_file file("");
  record_writer out(file.name());
  out.write({.strategy = "none", .pes = 4});
  for (const float scale : {100.0F, 1.0F, 3.0F}) {
    recorded_period period = line_of(8, 1);
    period.problem.sent.assign(8, {10 * scale, scale});
    out.write(names_of(8), period);
  }
  const replayed_record all = replayed(file.name(), {"none"});
  EXPECT_DOUBLE_EQ(all.sent_messages, 16);
  EXPECT_DOUBLE_EQ(all.sent_bytes, 160);
}

TEST(balance_replay, connects_elements_with_neighbouring_indices) {
  imbrex::balance::snapshot grid;
  std::vector<object_name> names;
  grid.dimensions = 2;
  for (std::uint64_t array = 0; array < 2; ++array)
    for (int x = 0; x < 3; ++x)
      for (int y = 0; y < 2; ++y) {
        names.push_back({array, names.size()});
        grid.coordinates.insert(grid.coordinates.end(), {static_cast<float>(x), static_cast<float>(y)});
      }
  connect_neighbours(grid, names);
  EXPECT_EQ(grid.edge_to.size(), 2U * (4 + 3));
  EXPECT_EQ(grid.first_edge.size(), names.size() + 1);
  EXPECT_EQ(grid.edge_to[0], 2U);
  EXPECT_EQ(grid.edge_to[1], 1U);
}

TEST(balance_replay, refuses_what_cannot_be_replayed) {
  const temporary_file file("");
  write_line(file.name(), 1);
  const auto refusal = [&](const names_of_strategies& strategies, const other_machine& on) {
    return error_of<usage_error>([&] { return replayed(file.name(), strategies, on); });
  };
  EXPECT_NE(refusal({"none"}, {}).find("none of the 1 periods of the record"), std::string::npos);
  EXPECT_NE(refusal({"segment"}, {}).find("there is no strategy 'segment'"), std::string::npos);
  EXPECT_NE(refusal({"none"}, {.node_pes = 5}).find("--node-pes 5: the machine has 4 PEs"),
            std::string::npos);
}

TEST(balance_replay, is_reported_as_a_table_and_a_page) {
  const temporary_file file("");
  write_line(file.name(), 3);
  replayed_record all = replayed(file.name(), {"none", "refine"});
  const std::string text = report_text("loads.imb", all);
  EXPECT_NE(text.find("loads.imb: 2 decisions for 8 objects on 4 PEs of 2 nodes, recorded with none\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("node cut"), std::string::npos) << text;
  EXPECT_NE(text.find("2.500  2.500"), std::string::npos) << text;
  const std::string page = report_page("<loads>.imb", all);
  for (const char* const part : {"<svg ", "<polyline ", "&lt;loads&gt;.imb", "<td>refine</td>", "</html>"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(text.find("messages"), std::string::npos) << text;
  all.sent_messages = 1234.4;
  all.sent_bytes = 5.6e6;
  EXPECT_NE(report_text("loads.imb", all).find("the objects send 1 234 messages of 5.6 MB in all."),
            std::string::npos)
      << report_text("loads.imb", all);
  all.edges = cut_edges::none;
  EXPECT_EQ(report_text("loads.imb", all).find("cut"), std::string::npos);
}

}  // namespace
}  // namespace imbrex::tools::balance
