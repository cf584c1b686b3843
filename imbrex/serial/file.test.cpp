// SPDX-License-Identifier: Apache-2.0
#include <imbrex/serial/file.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
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
  return "none";
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
  EXPECT_EQ(refusal_of(right), "none");
  for (std::size_t kept = 0; kept < right.size(); ++kept)
    EXPECT_NE(refusal_of(right.substr(0, kept)), "none");
  for (std::size_t at = 0; at < right.size(); ++at) {
    std::string wrong = right;
    wrong[at] = static_cast<char>(wrong[at] ^ 4);
    EXPECT_NE(refusal_of(wrong), "none") << "byte " << at;
  }
}

TEST(file, says_what_is_wrong) {
  const test::temporary_file file("");
  to_file(file.name(), values{});
  const std::string right = contents_of(file.name());
  EXPECT_EQ(refusal_of("text"), "is no file of imbrex::to_file");
  EXPECT_EQ(refusal_of(right + "x"), "is not whole: it has 9 bytes of 8");
  EXPECT_EQ(refusal_of(right.substr(0, right.size() - 1) + "x"), "is damaged: its checksum is another");
  to_file(file.name(), std::string("another type"));
  EXPECT_NE(refusal_of(contents_of(file.name())).find("does not hold the wanted type: "), std::string::npos);
  EXPECT_THROW(from_file<int>("/nowhere/at/all"), error);
  EXPECT_THROW(to_file("/nowhere/at/all", 1), error);
}

}  // namespace
}  // namespace imbrex
