// SPDX-License-Identifier: Apache-2.0
#include <imbrex/serial/file.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>
#include <imbrex/base/type_name.hpp>
#include <imbrex/testing/error_of.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace imbrex {
namespace {

using values = std::map<std::string, std::vector<double>>;

std::string contents_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string refusal_of(const std::string& contents) {
  const test::temporary_file file(contents);
  try {
    static_cast<void>(from_file<values>(file.name()));
  } catch (const serial_error& e) {
    std::string text = e.what();
    EXPECT_EQ(text.find('"' + file.name() + "\" "), 0U) << text;
    return text.substr(std::min(text.size(), file.name().size() + 3));
  }
  return "";
}

TEST(file, holds_a_value) {
  const test::temporary_file file("");
  for (const std::size_t size : {0U, 1U, 7U, 1001U}) {
    const values written{{"a", std::vector<double>(size, 0.1)}, {"b", {}}};
    to_file(file.name(), written);
    EXPECT_EQ(from_file<values>(file.name()), written);
  }
}

TEST(file, is_refused_if_any_byte_is_missing_or_changed) {
  const test::temporary_file file("");
  to_file(file.name(), values{{"a", {1, 2, 3}}});
  const std::string right = contents_of(file.name());
  EXPECT_EQ(refusal_of(right), "");
  for (std::size_t kept = 0; kept < right.size(); ++kept) EXPECT_NE(refusal_of(right.substr(0, kept)), "");
  for (std::size_t at = 0; at < right.size(); ++at) {
    std::string wrong = right;
    wrong[at] = static_cast<char>(wrong[at] ^ 4);
    EXPECT_NE(refusal_of(wrong), "") << "byte " << at;
  }
}

struct state {
  int step = 0;
  float time = 0;
  std::vector<double> cells;
};
struct changed_state {
  float time = 0;
  int step = 0;
  std::vector<std::int64_t> cells;
};
namespace next {
struct state {
  int step = 0;
  int time = 0;
  std::vector<double> cells;
};
}  // namespace next

struct two_blocks {
  std::vector<int> first;
  std::vector<int> second;
  void serialize(auto& ar) { ar(first, second); }
};
/// A class of the old program, or of the changed one if `is_changed`.
struct kept {
  static inline bool is_changed = false;
  int step = 1;
  float time = 2;
  void serialize(auto& ar) { is_changed ? void(ar(time, step)) : void(ar(step, time)); }
};
struct keeper {
  std::vector<kept> all;
};

template <class Expected, class Written>
std::string refusal(const Written& value) {
  const test::temporary_file file("");
  to_file(file.name(), value);
  static_cast<void>(from_file<Written>(file.name()));
  return testing::error_of<serial_error>([&] { static_cast<void>(from_file<Expected>(file.name())); });
}

template <class Expected, class Written>
void refuses(const Written& value, const std::vector<std::string>& parts) {
  const std::string text = refusal<Expected>(value);
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST(file, of_another_type_is_refused) {
  refuses<changed_state>(state{7, 0.5F, {1, 2, 3}},
                         {"it is ", "state, and not ", "changed_state; field 1 of ",
                          " is int32 step in the file, and here float32 time"});
  refuses<next::state>(state{},
                       {"field 2 of ", "next::state is float32 time in the file, and here int32 time"});
  refuses<std::map<int, changed_state>>(std::map<int, state>{{1, {}}}, {"map of int32 to ", "changed_state"});
  refuses<std::vector<unsigned>>(std::vector<int>{}, {"it is list of int32, and not list of uint32"});
  refuses<std::array<float, 4>>(std::array<float, 2>{}, {"it is float32[2], and not float32[4]"});
  refuses<std::variant<int, float>>(std::variant<float, int>{}, {"variant(float32, int32)"});
}

TEST(file, of_a_class_that_has_changed_is_refused) {
  const test::temporary_file file("");
  for (const std::vector<kept>& all : {std::vector<kept>{}, std::vector<kept>(2)}) {
    kept::is_changed = false;
    to_file(file.name(), keeper{all});
    EXPECT_EQ(from_file<keeper>(file.name()).all.size(), all.size());
    kept::is_changed = true;
    const std::string text =
        testing::error_of<serial_error>([&] { return from_file<keeper>(file.name()).all.size(); });
    EXPECT_NE(text.find("kept is int32 in the file, and here float32"), std::string::npos) << text;
  }
}

struct measured {
  static constexpr int version = 2;
  int step = 0;
  double seconds = -1;
  void serialize(auto& ar) {
    ar(step);
    if (ar.version() >= 2) ar(seconds);
  }
};
/// The class before it had a version.
struct formerly_measured {
  int step = 0;
  void serialize(auto& ar) { ar(step); }
};

/// Writes values, as if their class had the name of another.
template <class Present, class Written>
void write_as(const std::string& file, const std::vector<Written>& values) {
  class_schema schema = schema_of(values);
  const std::string name(type_name<Written>()), other(type_name<Present>());
  schema.name.replace(schema.name.find(name), name.size(), other);
  auto fields = schema.classes.extract(name);
  fields.key() = other;
  schema.classes.insert(std::move(fields));
  detail::file_writer(file, schema).finish(to_bytes(values));
}

TEST(file, of_a_class_with_a_lower_version_is_read_as_it_was) {
  const test::temporary_file file("");
  to_file(file.name(), std::vector<measured>{{1, 0.5}, {2, 1.5}});
  const auto same = from_file<std::vector<measured>>(file.name());
  ASSERT_EQ(same.size(), 2U);
  EXPECT_EQ(same[1].seconds, 1.5);
  write_as<measured>(file.name(), std::vector<formerly_measured>{{3}, {4}});
  const auto former = from_file<std::vector<measured>>(file.name());
  ASSERT_EQ(former.size(), 2U);
  EXPECT_EQ(former[1].step, 4);
  EXPECT_EQ(former[1].seconds, -1);
  write_as<formerly_measured>(file.name(), std::vector<measured>{{1, 0.5}});
  const std::string text = testing::error_of<serial_error>(
      [&] { return from_file<std::vector<formerly_measured>>(file.name()).size(); });
  EXPECT_NE(text.find("formerly_measured has version 2 in the file, and here 0"), std::string::npos) << text;
}

TEST(file, of_a_type_of_equal_bytes_is_not_refused) {
  EXPECT_EQ((refusal<std::deque<int>, std::vector<int>>({1, 2})), "");
  EXPECT_EQ((refusal<std::unique_ptr<int>, std::optional<int>>(3)), "");
  EXPECT_EQ((refusal<std::pair<int, char>, std::tuple<int, char>>({3, 'c'})), "");
}

TEST(file, holds_values_that_are_longer_than_its_buffers) {
  const test::temporary_file file("");
  std::map<int, std::vector<double>> blocks;
  for (int i = 0; i < 5; ++i) blocks[i] = std::vector<double>(static_cast<std::size_t>(i) * 30'000, i + 0.5);
  to_file(file.name(), blocks);
  EXPECT_EQ(from_file<decltype(blocks)>(file.name()), blocks);
  const std::vector<std::string> texts(50'000, "text");
  to_file(file.name(), texts);
  EXPECT_EQ(from_file<std::vector<std::string>>(file.name()), texts);
  to_file(file.name(), two_blocks{std::vector<int>(100'000, 3), std::vector<int>(200'000, 4)});
  const auto read = from_file<two_blocks>(file.name());
  EXPECT_EQ(read.first, std::vector<int>(100'000, 3));
  EXPECT_EQ(read.second, std::vector<int>(200'000, 4));
}

TEST(file, says_what_is_wrong) {
  const test::temporary_file file("");
  to_file(file.name(), values{});
  const std::string right = contents_of(file.name());
  EXPECT_EQ(refusal_of("text"), "is no file of imbrex::to_file");
  EXPECT_EQ(refusal_of(right + "x").substr(0, 18), "is not whole: it h");
  EXPECT_EQ(refusal_of(right.substr(0, right.size() - 1) + "x"), "is damaged: its checksum is another");
  to_file(file.name(), std::string("another type"));
  EXPECT_NE(refusal_of(contents_of(file.name())).find("does not hold the wanted type: "), std::string::npos);
  EXPECT_THROW(from_file<int>("/nowhere/at/all"), error);
  EXPECT_THROW(to_file("/nowhere/at/all", 1), error);
  EXPECT_THROW(to_file("/dev/null", 1), error);
}

}  // namespace
}  // namespace imbrex
