// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/checkpoint/columns.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <imbrex/base/error.hpp>
#include <imbrex/serial/bytes.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::tools::columns_test {

struct point {
  float x, y;
};
struct mixed {  // with bytes between its fields
  std::int8_t flag = 0;
  double value = 0;
  std::array<std::int16_t, 2> pair{};
};
enum class colour : std::uint16_t { red, green };
struct everything {
  int number = 0;
  bool is_set = false;
  std::string name;
  std::vector<point> points;
  std::vector<std::vector<int>> nested;
  std::optional<double> maybe;
  std::variant<int, std::string> either;
  std::map<std::int16_t, std::string> names;
  std::set<std::uint8_t> bytes;
  std::tuple<char, mixed> both;
  std::vector<bool> bits;
  colour tone = colour::red;
};
struct behind_serialize {
  void serialize(auto& ar) { ar(first_, second_); }
  int first_ = 1;
  std::vector<double> second_{1, 2};
};
struct tree {
  std::vector<tree> children;
};

template <class T>
std::map<std::string, data_column> columns_from(const std::vector<T>& values) {
  const auto columns = columns_of(schema_of(values.front()));
  if (!columns) return {};
  for (const T& value : values) {
    const auto bytes = to_bytes(value);
    reader in(bytes);
    columns->read(in);
    in.finish();
  }
  std::vector<data_column> all;
  columns->take("v", all);
  std::map<std::string, data_column> named;
  for (data_column& one : all) {
    const std::string name = one.name;
    EXPECT_TRUE(named.emplace(name, std::move(one)).second) << name;
  }
  return named;
}

template <class Number>
std::vector<Number> numbers(const data_column& column) {
  std::vector<Number> all(column.values.size() / sizeof(Number));
  std::memcpy(all.data(), column.values.data(), column.values.size());
  return all;
}

TEST(columns, of_all_kinds_of_values) {
  everything one;
  one.number = 7;
  one.name = "ab";
  one.points = {{1, 2}, {3, 4}};
  one.nested = {{1, 2}, {}, {3}};
  one.maybe = 0.5;
  one.either = "text";
  one.names = {{1, "x"}, {2, "yz"}};
  one.bytes = {9, 8};
  one.both = {'c', {1, 2.5, {3, 4}}};
  one.bits = {true, false, true};
  one.tone = colour::green;
  everything other;
  other.is_set = true;
  other.either = 5;
  const auto all = columns_from(std::vector<everything>{one, other});
  const auto at = [&all](const std::string& name) { return all.at("v/" + name); };
  EXPECT_EQ(at("number").type, "<i4");
  EXPECT_EQ(numbers<int>(at("number")), (std::vector<int>{7, 0}));
  EXPECT_EQ(at("is_set").type, "|b1");
  EXPECT_EQ(numbers<std::uint8_t>(at("is_set")), (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(numbers<char>(at("name")), (std::vector<char>{'a', 'b'}));
  EXPECT_EQ(numbers<std::uint64_t>(at("name_ends")), (std::vector<std::uint64_t>{2, 2}));
  EXPECT_EQ(numbers<float>(at("points/x")), (std::vector<float>{1, 3}));
  EXPECT_EQ(numbers<float>(at("points/y")), (std::vector<float>{2, 4}));
  EXPECT_EQ(numbers<int>(at("nested")), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(numbers<std::uint64_t>(at("nested_ends")), (std::vector<std::uint64_t>{2, 2, 3}));
  EXPECT_EQ(numbers<std::uint64_t>(at("nested_ends_ends")), (std::vector<std::uint64_t>{3, 3}));
  EXPECT_EQ(numbers<double>(at("maybe")), std::vector<double>{0.5});
  EXPECT_EQ(numbers<std::uint64_t>(at("maybe_ends")), (std::vector<std::uint64_t>{1, 1}));
  EXPECT_EQ(numbers<std::uint8_t>(at("either_which")), (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(numbers<int>(at("either/0")), std::vector<int>{5});
  EXPECT_EQ(numbers<std::int16_t>(at("names/key")), (std::vector<std::int16_t>{1, 2}));
  EXPECT_EQ(numbers<char>(at("names/value")), (std::vector<char>{'x', 'y', 'z'}));
  EXPECT_EQ(numbers<std::uint8_t>(at("bytes")), (std::vector<std::uint8_t>{8, 9}));
  EXPECT_EQ(numbers<double>(at("both/1/value")), (std::vector<double>{2.5, 0}));
  EXPECT_EQ(at("both/1/pair").shape, std::vector<std::uint64_t>{2});
  EXPECT_EQ(numbers<std::int16_t>(at("both/1/pair")), (std::vector<std::int16_t>{3, 4, 0, 0}));
  EXPECT_EQ(numbers<std::uint8_t>(at("bits")), (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_EQ(at("tone").type, "|V2");
  EXPECT_EQ(numbers<colour>(at("tone")), (std::vector<colour>{colour::green, colour::red}));
}

TEST(columns, of_classes_that_name_their_fields) {
  const auto all = columns_from(std::vector<behind_serialize>(2));
  EXPECT_EQ(numbers<int>(all.at("v/field_1")), (std::vector<int>{1, 1}));
  EXPECT_EQ(numbers<double>(all.at("v/field_2")), (std::vector<double>{1, 2, 1, 2}));
}

TEST(columns, do_not_exist_for_classes_that_hold_themselves) {
  EXPECT_EQ(columns_of(schema_of<tree>()), nullptr);
  EXPECT_EQ(columns_of({"unknown"}), nullptr);
  EXPECT_EQ(columns_of({"tuple()"}), nullptr);
  EXPECT_EQ(columns_of({"int32[0]"}), nullptr);
}

TEST(columns, refuse_records_of_other_types) {
  const auto bytes = to_bytes(std::string("text"));
  for (const std::string type : {"int64", "list of int64", "optional int32", "variant(int32)", "list of bool",
                                 "map of int32 to list of char"}) {
    const auto columns = columns_of({type});
    ASSERT_TRUE(columns) << type;
    reader in(bytes);
    const auto read = [&] {
      columns->read(in);
      in.finish();
    };
    EXPECT_NE(testing::error_of<serial_error>(read), "") << type;
  }
}

}  // namespace imbrex::tools::columns_test
