// SPDX-License-Identifier: Apache-2.0
#include <imbrex/serial/class_schema.hpp>

#include <imbrex/serial/bytes.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace imbrex::class_schema_test {

struct point {
  double x, y;
};
struct particle {
  int charge = 0;
  point place{};
};
struct tree {
  int value = 0;
  std::vector<tree> children;
};
struct block {
  static constexpr int version = 3;
  std::vector<particle> all;
  std::optional<tree> root;
  bool has_more = false;
  int version_seen = -1;

  void serialize(auto& ar) {
    version_seen = ar.version();
    ar(all, root, has_more);
    if (has_more) ar(version_seen);
  }
};
struct holder {
  std::map<int, block> blocks;
};
/// A field with the name of the constant.
struct numbered {
  int version = 7;
  void serialize(auto& ar) { ar(version); }
};

constexpr const char* text_of_holder =
    "imbrex::class_schema_test::holder\n"
    "imbrex::class_schema_test::block, version 3 {list of imbrex::class_schema_test::particle; "
    "optional imbrex::class_schema_test::tree; bool}\n"
    "imbrex::class_schema_test::holder {map of int32 to imbrex::class_schema_test::block blocks}\n"
    "imbrex::class_schema_test::particle {int32 charge; imbrex::class_schema_test::point place}\n"
    "imbrex::class_schema_test::point {float64 x; float64 y}\n"
    "imbrex::class_schema_test::tree {int32 value; list of imbrex::class_schema_test::tree children}\n";

TEST(class_schema, names_each_class_and_its_fields) {
  EXPECT_EQ(to_text(schema_of<holder>()), text_of_holder);
  holder full;
  full.blocks[1].all.resize(2);
  EXPECT_EQ(to_text(schema_of(full)), text_of_holder);
  EXPECT_EQ(to_text(schema_of<int>()), "int32\n");
  EXPECT_EQ((schema_of<std::tuple<char, std::array<float, 3>, std::unique_ptr<int>>>().name),
            "tuple(char, float32[3], optional int32)");
}

TEST(class_schema, travels_as_bytes) {
  const auto schema = schema_of<holder>();
  EXPECT_EQ(to_text(from_bytes<class_schema>(to_bytes(schema))), text_of_holder);
}

TEST(class_schema, of_equal_types_does_not_differ) {
  EXPECT_EQ(difference(schema_of<holder>(), schema_of<holder>()), "");
}

class_schema schema_with(std::vector<class_schema::field> fields, int version = 0) {
  return {"block", {{"block", {version, std::move(fields), 0}}}};
}

TEST(class_schema, differs_by_the_first_field_of_another_type) {
  const auto written = schema_with({{"int32"}, {"float32"}});
  EXPECT_EQ(difference(written, schema_with({{"int32"}, {"int32"}})),
            "field 2 of block is float32 in the file, and here int32");
  EXPECT_EQ(difference(written, schema_with({{"int32"}})), "block has 2 fields in the file, and here 1");
}

TEST(class_schema, differs_if_fields_of_one_type_have_changed_places) {
  const auto written = schema_with({{"float64", "x"}, {"float64", "y"}});
  EXPECT_EQ(difference(written, schema_with({{"float64", "y"}, {"float64", "x"}})),
            "field 1 of block is x in the file, and here y");
  EXPECT_EQ(difference(written, schema_with({{"float64", "first"}, {"float64", "second"}})), "");
}

TEST(class_schema, of_a_higher_version_reads_the_former_one) {
  const auto written = schema_with({{"int32"}}, 1);
  EXPECT_EQ(difference(written, schema_with({{"float32"}, {"int32"}}, 2)), "");
  EXPECT_NE(difference(written, schema_with({{"float32"}, {"int32"}}, 1)), "");
  EXPECT_EQ(difference(written, schema_with({{"int32"}}, 0)), "block has version 1 in the file, and here 0");
}

enum class shape : std::uint8_t { round, square };

TEST(class_schema, has_the_sizes_of_what_is_copied) {
  auto written = schema_of<std::vector<shape>>();
  EXPECT_EQ(written.classes.begin()->second.bytes, 1U);
  EXPECT_EQ(schema_of<particle>().classes.at("imbrex::class_schema_test::particle").bytes, 24U);
  EXPECT_EQ(schema_of<tree>().classes.at("imbrex::class_schema_test::tree").bytes, 0U);
  written.classes.begin()->second.bytes = 4;
  EXPECT_EQ(difference(written, schema_of<std::vector<shape>>()),
            "imbrex::class_schema_test::shape has 4 bytes in the file, and here 1");
}

TEST(class_schema, gives_a_reader_the_written_versions) {
  block written;
  written.version_seen = 0;
  const auto bytes = to_bytes(written);
  EXPECT_EQ(written.version_seen, 3);
  const class_schema former{"", {{std::string(type_name<block>()), {2, {}, 0}}}};
  const versions_of_schema versions(former);
  reader in(bytes);
  in.at_version(versions.place());
  block read;
  in(read);
  in.finish();
  EXPECT_EQ(read.version_seen, 2);
  EXPECT_EQ(in.version(), 0);
  EXPECT_EQ(from_bytes<block>(bytes).version_seen, 3);
  EXPECT_EQ(from_bytes<numbered>(to_bytes(numbered{8})).version, 8);
  EXPECT_EQ(schema_of<numbered>().classes.begin()->second.version, 0);
}

}  // namespace imbrex::class_schema_test
