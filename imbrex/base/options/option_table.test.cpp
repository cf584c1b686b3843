// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options/option_table.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace {

using imbrex::option;
using imbrex::option_table;
using imbrex::parsed_option;
using imbrex::usage_error;

struct roof {
  std::string tile = "imbrex";
  int slope = 0;
  bool is_wet = false;
};

/// The options of one layer; those of another are below.
template <class Settings>
std::vector<option<Settings>> tile_options() {
  return {
      {.words = {"--tile", "KIND", "tegula or\nimbrex"}, .set = [](Settings& s, const parsed_option& input) {
         constexpr std::array<std::string_view, 2> kinds{"tegula", "imbrex"};
         s.tile = kinds[parse_word(input, kinds)];
       }}};
}

std::vector<option<roof>> rain_options() {
  return {{.words = {"--slope-of-the-whole-roof", "N", "degrees"},
           .set = [](roof& s, const parsed_option& input) { s.slope = static_cast<int>(input.value.size()); },
           .check =
               [](const roof& s) {
                 if (s.slope > 9) throw usage_error("too steep");
               }},
          {.words = {"--wet", "", "let it rain"},
           .set = [](roof& s, const parsed_option&) { s.is_wet = true; },
           .validate =
               [](const roof& s, const parsed_option& input) {
                 if (s.slope == 0) throw usage_error(std::string(input.name) + " needs a slope");
               }}};
}

option_table<roof> all() { return option_table<roof>().add(tile_options<roof>()).add(rain_options()); }

class arguments {
 public:
  arguments(std::initializer_list<std::string> input) : words_{"program"} {
    words_.insert(words_.end(), input.begin(), input.end());
    for (auto& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
    count = static_cast<int>(words_.size());
    array = pointers_.data();
  }

  std::string rest() const {
    std::string joined;
    for (int i = 1; i < count; ++i) joined += std::string(i > 1 ? " " : "") + array[i];
    EXPECT_EQ(array[count], nullptr);
    return joined;
  }

  int count = 0;
  char** array = nullptr;

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

std::string refusal(arguments input) {
  const std::string before = input.rest();
  roof settings;
  try {
    all().parse(settings, input.count, input.array);
  } catch (const usage_error& e) {
    EXPECT_EQ(input.rest(), before);
    return e.what();
  }
  return "accepted";
}

TEST(option_table, sets_the_fields_of_all_layers_and_leaves_the_rest) {
  arguments input{"a", "--wet", "--tile=tegula", "--slope-of-the-whole-roof", "1234", "b", "--", "--wet"};
  roof settings;
  EXPECT_EQ(all().parse(settings, input.count, input.array), 0);
  EXPECT_EQ(settings.tile, "tegula");
  EXPECT_EQ(settings.slope, 4);
  EXPECT_TRUE(settings.is_wet);
  EXPECT_EQ(input.rest(), "a b -- --wet");
}

TEST(option_table, takes_options_from_a_file) {
  const imbrex::test::temporary_file file("-n 3\n--tile tegula\n--own 1\n");
  arguments input{"--options", file.name(), "c"};
  roof settings;
  EXPECT_EQ(all().parse(settings, input.count, input.array), 3);
  EXPECT_EQ(settings.tile, "tegula");
  EXPECT_EQ(input.rest(), "--own 1 c");
}

TEST(option_table, refuses_and_leaves_the_command_line_as_it_is) {
  EXPECT_EQ(refusal({"--tile", "tegul"}),
            "--tile tegul: the value must be one of tegula, imbrex; did you mean --tile tegula?");
  EXPECT_EQ(refusal({"--tile=tegula", "--wet"}), "--wet needs a slope");
  EXPECT_EQ(refusal({"--wet=no"}), "--wet=no: --wet takes no value; leave it out to do without");
  EXPECT_TRUE(
      refusal({"--tile"}).starts_with("--tile needs a value\nOptions of the runtime:\n  --tile KIND"));
}

/// A variable of the environment that is set as long as this lives.
class variable {
 public:
  explicit variable(const char* value) { setenv(name, value, 1); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;
  ~variable() { unsetenv(name); }

  static constexpr const char* name = "IMBREX_OPTION_TABLE_TEST";
};

std::string refusal_of_variable(const char* value, arguments input = {}) {
  const variable set(value);
  const std::string before = input.rest();
  roof settings;
  try {
    all().parse(settings, input.count, input.array, variable::name);
  } catch (const usage_error& e) {
    EXPECT_EQ(input.rest(), before);
    return e.what();
  }
  return "accepted";
}

TEST(option_table, takes_options_of_the_environment_before_those_of_the_command_line) {
  const variable set("--tile imbrex '--slope-of-the-whole-roof' 12");
  arguments input{"--tile", "tegula", "b"};
  roof settings;
  EXPECT_EQ(all().parse(settings, input.count, input.array, variable::name), 0);
  EXPECT_EQ(settings.tile, "tegula");
  EXPECT_EQ(settings.slope, 2);
  EXPECT_EQ(input.rest(), "b");
  arguments none{"b"};
  roof untouched;
  all().parse(untouched, none.count, none.array);
  EXPECT_EQ(untouched.tile, roof{}.tile);
}

TEST(option_table, names_the_variable_of_the_environment_that_is_wrong) {
  const std::string variable_is = std::string(variable::name) + ": ";
  EXPECT_EQ(refusal_of_variable(""), "accepted");
  EXPECT_EQ(
      refusal_of_variable("--tile tegul"),
      variable_is + "--tile tegul: the value must be one of tegula, imbrex; did you mean --tile tegula?");
  EXPECT_EQ(refusal_of_variable("--tiel imbrex"),
            variable_is + "there is no option --tiel of the runtime; did you mean --tile?");
  EXPECT_EQ(
      refusal_of_variable("--grid 8"),
      variable_is +
          "there is no option --grid of the runtime; write a program's own options on its command line");
  EXPECT_EQ(refusal_of_variable("--tile 'tegula"), variable_is + "a quote is not closed in --tile 'tegula");
  EXPECT_EQ(refusal_of_variable("--wet", {"--tile", "tegula"}), variable_is + "--wet needs a slope");
  EXPECT_EQ(refusal_of_variable("--wet", {"--slope-of-the-whole-roof", "123"}), "accepted");
  EXPECT_EQ(refusal_of_variable("--tile tegula", {"--tile", "tegul"}),
            "--tile tegul: the value must be one of tegula, imbrex; did you mean --tile tegula?");
  const imbrex::test::temporary_file own("--own 1\n");
  EXPECT_EQ(refusal_of_variable(("--options " + own.name()).c_str()),
            variable_is +
                "there is no option --own of the runtime; write a program's own options on its command line");
  const imbrex::test::temporary_file many("-n 3\n");
  const variable set(("--options " + many.name()).c_str());
  arguments input{"b"};
  roof settings;
  EXPECT_EQ(all().parse(settings, input.count, input.array, variable::name), 3);
}

TEST(option_table, checks_what_a_program_has_set) {
  all().check(roof{});
  EXPECT_THROW(all().check(roof{.slope = 10}), usage_error);
}

TEST(option_table, makes_the_help_and_the_list_of_names) {
  EXPECT_EQ(
      all().help(),
      "Options of the runtime:\n"
      "  --tile KIND          tegula or\n"
      "                       imbrex\n"
      "  --slope-of-the-whole-roof N  degrees\n"
      "  --wet                let it rain\n"
      "  --options FILE       insert the options in this file here, one on each line; # begins a comment\n");
  EXPECT_EQ(all().names(),
            (std::vector<std::string_view>{"--tile", "--slope-of-the-whole-roof", "--wet", "--options"}));
}

}  // namespace
