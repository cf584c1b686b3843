// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/balance/record_reader.hpp>
#include <imbrex/balance/record_writer.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::balance {
namespace {

using test::temporary_file;
using testing::error_of;

const recorded_run a_run{.strategy = "segments", .pes = 3, .node = {0, 0, 1}};

std::vector<object_name> some_names(std::size_t count) {
  std::vector<object_name> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back({i / 2, i});
  return names;
}

/// A period with so many objects, whose loads depend on a number.
recorded_period some_period(std::size_t objects, int number) {
  recorded_period period{.ended = 1.5 * number, .taken = action::act};
  snapshot& p = period.problem;
  p.dimensions = 2;
  for (std::size_t i = 0; i < objects; ++i) {
    const auto place = static_cast<float>(i);
    p.pe.push_back(static_cast<int>(i % 3));
    p.load.push_back(number + 0.1 * place);
    p.movable.push_back(i != 1);
    p.sent.push_back({100 * place, place});
    p.coordinates.insert(p.coordinates.end(), {place, place / 2});
    period.measured.push_back(static_cast<float>(number));
  }
  p.seed = static_cast<std::uint64_t>(number);
  if (objects > 2) {
    period.moved = {0, 2};
    period.to = {2, 1};
  }
  return period;
}

void write_periods(const std::string& file, const std::vector<std::size_t>& objects) {
  record_writer out(file);
  out.write(a_run);
  int number = 0;
  for (const std::size_t count : objects) out.write(some_names(count), some_period(count, ++number));
}

std::string contents_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const std::string& file, const std::string& contents) {
  std::ofstream(file, std::ios::binary) << contents;
}

/// The number of periods of a file.
std::uint64_t periods_in(const std::string& file) {
  record_reader in(file);
  while (in.next()) {
  }
  return in.number();
}

TEST(record, is_read_as_it_was_written) {
  const temporary_file file("");
  write_periods(file.name(), {4, 4, 5});
  record_reader in(file.name());
  EXPECT_EQ(in.run().strategy, "segments");
  EXPECT_EQ(in.run().pes, 3);
  EXPECT_EQ(in.run().node, a_run.node);
  int number = 0;
  for (const std::size_t count : {4U, 4U, 5U}) {
    ASSERT_TRUE(in.next());
    const recorded_period expected = some_period(count, ++number);
    const recorded_period& found = in.period();
    EXPECT_EQ(in.number(), static_cast<std::uint64_t>(number));
    EXPECT_EQ(in.names(), some_names(count));
    EXPECT_EQ(found.ended, expected.ended);
    EXPECT_EQ(found.taken, action::act);
    EXPECT_EQ(found.problem.pe, expected.problem.pe);
    EXPECT_EQ(found.problem.load, expected.problem.load);
    EXPECT_EQ(found.problem.movable, expected.problem.movable);
    EXPECT_EQ(found.problem.sent, expected.problem.sent);
    EXPECT_EQ(found.problem.dimensions, 2);
    EXPECT_EQ(found.problem.coordinates, expected.problem.coordinates);
    EXPECT_EQ(found.problem.curve.size(), count);
    EXPECT_EQ(found.problem.seed, expected.problem.seed);
    EXPECT_EQ(found.problem.pes, 3);
    EXPECT_EQ(found.problem.node, a_run.node);
    EXPECT_EQ(found.measured, expected.measured);
    EXPECT_EQ(found.moved, expected.moved);
    EXPECT_EQ(found.to, expected.to);
  }
  EXPECT_FALSE(in.next());
}

TEST(record, has_the_coordinates_once_while_the_objects_stay) {
  const temporary_file once(""), twice(""), changed("");
  write_periods(once.name(), {1000});
  write_periods(twice.name(), {1000, 1000});
  write_periods(changed.name(), {1000, 1001});
  const auto size = [](const temporary_file& of) { return std::filesystem::file_size(of.name()); };
  EXPECT_GE(size(changed) - size(twice), 1000 * (sizeof(object_name) + 2 * sizeof(float)));
}

/// A writer that is killed in the middle of a block leaves its first bytes behind the whole blocks.
TEST(record, of_a_killed_run_has_its_whole_periods) {
  const temporary_file file("");
  write_periods(file.name(), {4, 4});
  put(file.name(), contents_of(file.name()) + std::string(100, '\3'));
  EXPECT_EQ(periods_in(file.name()), 2);
}

TEST(record, that_is_cut_is_refused) {
  const temporary_file file("");
  write_periods(file.name(), {4, 4});
  const std::string whole = contents_of(file.name());
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    put(file.name(), whole.substr(0, length));
    const std::string refusal = error_of<usage_error>([&] { periods_in(file.name()); });
    const char* const expected = length < 24 ? " is no record of a balancer" : " is cut: it has ";
    EXPECT_NE(refusal.find(expected), std::string::npos) << length << ": " << refusal;
  }
}

TEST(record, that_is_damaged_is_refused) {
  const temporary_file file("");
  write_periods(file.name(), {4, 4});
  const std::string whole = contents_of(file.name());
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    put(file.name(), damaged);
    EXPECT_NE(error_of<usage_error>([&] { periods_in(file.name()); }).find(file.name()), std::string::npos)
        << at;
  }
}

TEST(record, of_another_kind_or_version_is_refused) {
  const temporary_file file("");
  EXPECT_NE(error_of<usage_error>([&] { record_reader("/no/such/file"); }).find("No such file"),
            std::string::npos);
  EXPECT_NE(error_of<usage_error>([&] { record_reader("/tmp"); }).find("no regular file"), std::string::npos);
  put(file.name(), "#!/bin/sh\necho a file of another program\n");
  EXPECT_NE(error_of<usage_error>([&] { record_reader(file.name()); }).find("is no record of a balancer"),
            std::string::npos);
  write_periods(file.name(), {4});
  std::string other = contents_of(file.name());
  other[8] = 7;
  put(file.name(), other);
  EXPECT_NE(error_of<usage_error>([&] { record_reader(file.name()); }).find("has version 7, not 2"),
            std::string::npos);
  record_writer{file.name()};
  EXPECT_NE(error_of<usage_error>([&] { record_reader(file.name()); }).find("has no run"), std::string::npos);
}

/// The blocks are whole, but what is in them makes no sense.
TEST(record, of_problems_without_sense_is_refused) {
  const auto refusal_of = [](const recorded_run& run, const auto& change) {
    const temporary_file file("");
    record_writer out(file.name());
    out.write(run);
    recorded_period period = some_period(4, 1);
    std::vector<object_name> names = some_names(4);
    change(period, names);
    out.write(names, period);
    return error_of<usage_error>([&] { periods_in(file.name()); });
  };
  using names = std::vector<object_name>;
  const auto expect = [&](const char* text, const auto& change) {
    const std::string refusal = refusal_of(a_run, change);
    EXPECT_NE(refusal.find(text), std::string::npos) << refusal;
  };
  expect("load of object 0", [](recorded_period& p, names&) { p.problem.load[0] = -1; });
  expect("PE", [](recorded_period& p, names&) { p.problem.pe[1] = 3; });
  expect("object 2 sends -1.0", [](recorded_period& p, names&) { p.problem.sent[2].bytes = -1; });
  expect("array of sent messages", [](recorded_period& p, names&) { p.problem.sent.pop_back(); });
  expect("coordinate of object 0", [](recorded_period& p, names&) {
    p.problem.coordinates[1] = std::numeric_limits<float>::quiet_NaN();
  });
  expect("4 PEs for 3 objects", [](recorded_period&, names& n) { n.pop_back(); });
  expect("not in order", [](recorded_period&, names& n) { std::swap(n[1], n[2]); });
  expect("measured loads", [](recorded_period& p, names&) { p.measured.clear(); });
  expect("measured loads", [](recorded_period& p, names&) { p.measured[0] = -1; });
  expect("its action", [](recorded_period& p, names&) { p.taken = static_cast<action>(3); });
  expect("a move of object 4", [](recorded_period& p, names&) { p.moved[0] = 4; });
  expect("to PE 3", [](recorded_period& p, names&) { p.to[0] = 3; });
  expect("without a destination", [](recorded_period& p, names&) { p.to.pop_back(); });
  const auto no_change = [](recorded_period&, names&) {};
  EXPECT_NE(refusal_of({.strategy = "none", .pes = 0}, no_change).find("it has 0 PEs"), std::string::npos);
  EXPECT_NE(refusal_of({.strategy = "none", .pes = 1 << 25}, no_change).find("PEs"), std::string::npos);
}

TEST(record, that_cannot_be_written_is_refused_at_the_start) {
  for (const char* const file : {"/no/such/folder/loads.imb", "/dev/null", "/tmp"}) {
    const std::string refusal = error_of<usage_error>([&] { record_writer{file}; });
    EXPECT_NE(refusal.find("cannot write the record " + std::string(file)), std::string::npos) << refusal;
  }
  const temporary_file file("");
  const record_writer first(file.name());
  EXPECT_NE(error_of<usage_error>([&] { record_writer{file.name()}; }).find("another run is writing it"),
            std::string::npos);
}

}  // namespace
}  // namespace imbrex::balance
