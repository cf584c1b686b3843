// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/input.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/random.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/tools/overlap/examples.test.hpp>

namespace imbrex::overlap {
namespace {

const std::string in_toml = R"([[applications]]
name = "app"
computation_time_us = 100
processors = 8
collectives = 2
collective_processors = 16
[[applications.data]]
name = "edge"
kind = "concurrent"
produce_period_ns = 1.5
consume_period_ns = 2000
produced_words = 5
consumed_words = 4
sent_words = 3
production_order = [4, 0, 2]
consumption_order = [0, 1, 3]
additional_produce_us = 1
additional_consume_us = 2
loop_distribution_us = 3
produce_loop_indexing_us = 4
consume_loop_indexing_us = 5
rearranged_subroutines_us = 6
local_part_us = 7
dependent_work = true
[[applications.data]]
name = "face"
kind = "pipelined"
produce_period_ns = 1
consume_period_ns = 1
produced_words = 1
consumed_words = 1
sent_words = 1
order = "reverse"
)";

const std::string in_json = R"({"applications": [{
  "name": "app", "computation_time_us": 100, "processors": 8, "collectives": 2, "collective_processors": 16,
  "data": [
    {"name": "edge", "kind": "concurrent", "produce_period_ns": 1.5, "consume_period_ns": 2000,
     "produced_words": 5, "consumed_words": 4, "sent_words": 3, "production_order": [4, 0, 2],
     "consumption_order": [0, 1, 3], "additional_produce_us": 1, "additional_consume_us": 2,
     "loop_distribution_us": 3, "produce_loop_indexing_us": 4, "consume_loop_indexing_us": 5,
     "rearranged_subroutines_us": 6, "local_part_us": 7, "dependent_work": true},
    {"name": "face", "kind": "pipelined", "produce_period_ns": 1, "consume_period_ns": 1,
     "produced_words": 1, "consumed_words": 1, "sent_words": 1, "order": "reverse"}
  ]}]})";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto place = text.find(what);
  EXPECT_NE(place, std::string::npos) << what;
  return text.replace(place, what.size(), by);
}

std::string complaint(const std::string& text) {
  return testing::error_of<usage_error>([&] { parse_applications(text, "some.file"); });
}

TEST(input, reads_all_keys_of_both_formats) {
  for (const std::string& text : {in_toml, in_json}) {
    const auto all = parse_applications(text, "f");
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].name, "app");
    EXPECT_EQ(all[0].computation.count(), 100);
    EXPECT_EQ(all[0].processors, 8);
    EXPECT_EQ(all[0].collectives, 2);
    EXPECT_EQ(all[0].collective_processors, 16);
    ASSERT_EQ(all[0].data.size(), 2U);
    const datum& edge = all[0].data[0];
    EXPECT_EQ(edge.name, "edge");
    EXPECT_EQ(edge.kind, execution::concurrent);
    EXPECT_DOUBLE_EQ(edge.produce_period.count(), 0.0015);
    EXPECT_DOUBLE_EQ(edge.consume_period.count(), 2);
    EXPECT_EQ(edge.produced, 5U);
    EXPECT_EQ(edge.consumed, 4U);
    EXPECT_EQ(edge.sent, 3U);
    EXPECT_EQ(std::get<listed_order>(edge.order).production, (std::vector<std::uint64_t>{4, 0, 2}));
    EXPECT_EQ(std::get<listed_order>(edge.order).consumption, (std::vector<std::uint64_t>{0, 1, 3}));
    const independent_work work = independent(edge);
    EXPECT_EQ(work.additional_produce.count(), 1);
    EXPECT_EQ(work.additional_consume.count(), 2);
    EXPECT_EQ(work.loop_distribution.count(), 3);
    EXPECT_EQ(work.produce_loop_indexing.count(), 4);
    EXPECT_EQ(work.consume_loop_indexing.count(), 5);
    EXPECT_EQ(work.rearranged_subroutines.count(), 6);
    EXPECT_EQ(work.local_part.count(), 7);
    EXPECT_TRUE(edge.dependent_work);
    EXPECT_EQ(all[0].data[1].kind, execution::pipelined);
    EXPECT_EQ(std::get<named_order>(all[0].data[1].order), named_order::reverse);
  }
}

TEST(input, has_defaults) {
  const auto all = parse_applications(R"({"applications": [{"name": "a", "computation_time_us": 1,
    "processors": 1, "data": [{"name": "d", "produce_period_ns": 1, "consume_period_ns": 1,
    "produced_words": 1, "consumed_words": 1, "sent_words": 1}]}]})",
                                      "f");
  EXPECT_EQ(all[0].collectives, 0);
  EXPECT_FALSE(all[0].collective_processors);
  const datum& one = all[0].data[0];
  EXPECT_EQ(one.kind, execution::concurrent);
  EXPECT_EQ(std::get<named_order>(one.order), named_order::same);
  EXPECT_FALSE(one.produce_loop_indexing);
  EXPECT_FALSE(one.dependent_work);
  EXPECT_EQ(independent(one).total().count(), 0);
}

TEST(input, takes_minus_0_for_0) {
  const auto all = parse_applications(
      R"({"applications": [{"name": "a", "computation_time_us": 1, "processors": 1, "data": [{"name": "d",
          "produce_period_ns": 1, "consume_period_ns": 1, "produced_words": 1, "consumed_words": 1,
          "sent_words": 1, "produce_loop_indexing_us": -0.0}]}]})",
      "a.json");
  EXPECT_FALSE(std::signbit(all[0].data[0].produce_loop_indexing->count()));
}

TEST(input, reads_what_is_shipped) {
  EXPECT_EQ(test::paper_programs().size(), 5U);
  EXPECT_EQ(read_applications(IMBREX_OVERLAP_EXAMPLES "/halo.json").size(), 1U);
}

TEST(input, refuses_values_with_place_and_remedy) {
  struct wrong {
    const char* line;
    std::string by;
    std::vector<const char*> message;
  };
  std::string long_key = "a";
  for (int part = 0; part < 100'000; ++part) long_key += ".a";
  const std::vector<wrong> all{
      {"computation_time_us = 100",
       "computation_time_us = 0",
       {"some.file, line 3: applications[0].computation_time_us = 0 must be a number from 1e-6 to 1e12"}},
      {"computation_time_us = 100", "computation_time_us = nan", {"line 3", "= nan must be"}},
      {"computation_time_us = 100", "computation_time_us = inf", {"line 3", "= inf must be"}},
      {"computation_time_us = 100", "computation_time_us = \"100\"", {"line 3", "= \"100\" must be"}},
      {"computation_time_us = 100", "computation_time_us = 1e13", {"line 3", "to 1e12"}},
      {"computation_time_us = 100\n", "", {"line 1: the key applications[0].computation_time_us is missing"}},
      {"computation_time_us = 100",
       "computation_time = 100",
       {"line 3: there is no key applications[0].computation_time; did you mean computation_time_us?"}},
      {"processors = 8", "processors = 0", {"line 4", "whole number from 1 to 1000000000"}},
      {"processors = 8", "processors = -8", {"processors = -8 must be"}},
      {"processors = 8", "processors = 8.0", {"processors = 8.0 must be a whole number"}},
      {"processors = 8", "processors = 9223372036854775807", {"must be a whole number"}},
      {"processors = 8", "processors = [8]", {"processors = a list must be"}},
      {"processors = 8", "processors = 1979-05-27", {"line 4", "date"}},
      {"collectives = 2", "collectives = -1", {"from 0 to"}},
      {"collective_processors = 16", "collective_processors = 0", {"from 1 to"}},
      {"name = \"app\"", "name = \"\"", {"line 2", "1 to 60 printable"}},
      {"name = \"app\"", "name = \"a\\nb\"", {"line 2", "printable"}},
      {"name = \"app\"", "name = 3", {"name = 3 must be a text"}},
      {"\"face\"", "\"edge\"", {"line 26: applications[0].data[1].name = \"edge\" is the name of another"}},
      {"\"concurrent\"", "\"concurent\"", {"line 9", "did you mean \"concurrent\"?"}},
      {"\"concurrent\"", "true", {"kind = true must be \"concurrent\" or \"pipelined\""}},
      {"produce_period_ns = 1.5", "produce_period_ns = 0", {"line 10", "must be a number from 1e-6"}},
      {"consume_period_ns = 2000", "consume_period_ns = -1", {"line 11"}},
      {"produced_words = 5", "produced_words = 0", {"line 12"}},
      {"sent_words = 3", "sent_words = 1000000000000001", {"line 14", "to 1000000000000000"}},
      {"produced_words = 5", "produced_words = 2", {"line 12", "less than sent_words = 3", "order = "}},
      {"[4, 0, 2]", "[4, 0]", {"line 15", "has 2 elements", "sent_words = 3"}},
      {"[4, 0, 2]", "[4, 0, 4]", {"line 15", "has 4 twice"}},
      {"[4, 0, 2]", "[4, 0, 5]", {"line 15: applications[0].data[0].production_order[2] = 5", "0 to 4"}},
      {"[4, 0, 2]", "[4, 0, -1]", {"production_order[2] = -1"}},
      {"[4, 0, 2]", "[4, 0, 1.5]", {"production_order[2] = 1.5"}},
      {"[4, 0, 2]", "[4, 0, []]", {"production_order[2] = a list"}},
      {"[4, 0, 2]", "[4, 0, [2]]", {"line 15", "more levels"}},
      {"[4, 0, 2]", "\"same\"", {"production_order = \"same\" but must be a list"}},
      {"production_order = [4, 0, 2]\n", "", {"production_order is missing"}},
      {"consumption_order = [0, 1, 3]",
       "consumption_order = [0, 1, 3]\norder = \"same\"",
       {"line 17", "remove"}},
      {"order = \"reverse\"", "order = \"revers\"", {"line 33", "did you mean \"reverse\"?"}},
      {"additional_produce_us = 1", "additional_produce_us = -1", {"line 17", "from 0 to 1e12"}},
      {"additional_produce_us = 1", "aditional_produce_us = 1", {"did you mean additional_produce_us?"}},
      {"dependent_work = true", "dependent_work = 1", {"must be true or false"}},
      {"\"pipelined\"", "\"pipelined\"\ndependent_work = false", {"line 28", "must be true"}},
      {"\"pipelined\"", "\"pipelined\"\nlocal_part_us = 3", {"line 28", "pipelined data have no"}},
      {"[[applications.data]]", "[applications.data]", {"no TOML"}},
      {"collectives = 2", "collectives = ", {"line 5", "no TOML"}},
      {"collectives = 2", "collectives = \xc3\xa9", {"line 5", "printable ASCII"}},
      {"collectives = 2", "collectives = 2\ncollectives = 3", {"line 6", "no TOML"}},
      {"collectives = 2", "collectives = 2\n" + long_key + " = 1", {"line 6", "more than 1000 parts"}},
      {"collectives = 2", "collectives = 2\n[" + long_key + "]", {"line 6", "more than 1000 parts"}},
  };
  for (const wrong& one : all) {
    const std::string message = complaint(replaced(in_toml, one.line, one.by));
    EXPECT_EQ(message.find("some.file, line "), 0U) << message;
    for (const char* const part : one.message)
      EXPECT_NE(message.find(part), std::string::npos) << part << ", but: " << message;
  }
}

TEST(input, refuses_json_with_place_and_remedy) {
  const std::vector<std::pair<std::string, const char*>> all{
      {replaced(in_json, "\"processors\": 8", "\"processors\": 0"),
       "some.file: applications[0].processors = 0"},
      {replaced(in_json, "\"processors\": 8", "\"processors\": 18446744073709551615"), "= 1844"},
      {replaced(in_json, "\"processors\": 8", "\"processors\": null"), "processors = null must be"},
      {replaced(in_json, "\"processors\": 8", "\"processors\": 8, \"processors\": 9"),
       "processors is there twice"},
      {replaced(in_json, "\"processors\": 8", "\"processors\": 1e999"), "too large"},
      {replaced(in_json, "[0, 1, 3]", "[0, 1, [[3]]]"), "more levels"},
      {replaced(in_json, "[0, 1, 3]", "[0, 1, {\"a\": {\"b\": 1}}]"), "more levels"},
      {replaced(in_json, "\"name\": \"app\",", "\"name\": \"app\""), "some.file, line 2: this is no JSON"},
      {replaced(in_json, "\"app\"", "\"\\u00e9\""), "printable"},
      {in_json + "}", "no JSON"},
      {in_json.substr(0, 400), "no JSON"},
      {std::string(100'000, '{'), "no JSON"},
      {"{\"applications\": " + std::string(100'000, '['), "more levels"},
      {"{}", "the key applications is missing"},
      {"{\"applications\": []}", "applications is empty"},
      {"{\"applications\": {}}", "applications = a table but must be a list"},
      {"{\"applications\": [3]}", "applications[0] = 3 must be a table"},
      {R"({"\u001b[31m": 1})", R"(there is no key "\u001b[31m"; remove it)"},
      {R"({"\u00e9": 1, "\u00e9": 2})", R"(the key "\u00e9" is there twice)"},
      {"{\"" + std::string(1000, 'k') + "\": 1}", "kkk...; remove it"},
      {"{\"application\": []}", "did you mean applications?"},
      {"", "the key applications is missing"},
      {"applications = 3", "applications = 3 but must be a list"},
      {std::string("{\0}", 3), "printable ASCII"},
  };
  for (const auto& [text, part] : all) {
    const std::string message = complaint(text);
    EXPECT_EQ(message.find("some.file"), 0U) << message;
    EXPECT_NE(message.find(part), std::string::npos) << part << ", but: " << message;
  }
}

std::string content(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(input, is_documented_by_an_example_that_is_shipped) {
  const std::string example = content(IMBREX_OVERLAP_EXAMPLES "/halo.json");
  ASSERT_FALSE(example.empty());
  EXPECT_NE(content(IMBREX_OVERLAP_DOCUMENTATION).find("```json\n" + example + "```\n"), std::string::npos);
}

TEST(input, survives_damage) {
  const std::string shipped = content(IMBREX_OVERLAP_EXAMPLES "/sancho2006.toml");
  ASSERT_FALSE(shipped.empty());
  random numbers(7);
  int refused = 0;
  for (const std::string& whole : {shipped, in_toml, in_json})
    for (int round = 0; round < 1000; ++round) {
      std::string text = whole;
      for (std::uint64_t k = numbers.below(4); k > 0; --k)
        text[numbers.below(text.size())] = static_cast<char>(numbers.below(round % 2 == 0 ? 128 : 256));
      if (round % 3 == 0) text.resize(numbers.below(text.size()));
      const std::string message = complaint(text);
      if (message.empty()) continue;
      ++refused;
      EXPECT_EQ(message.find("some.file"), 0U) << message;
    }
  EXPECT_GT(refused, 1500);
}

TEST(input, refuses_what_is_no_file) {
  for (const char* const path : {"/no/such/file.toml", "/", "", "/dev/zero"}) try {
      read_applications(path);
      FAIL() << path;
    } catch (const usage_error& e) {
      EXPECT_NE(std::string(e.what()).find("cannot be read"), std::string::npos) << e.what();
    }
}

}  // namespace
}  // namespace imbrex::overlap
