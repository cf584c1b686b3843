// SPDX-License-Identifier: Apache-2.0
// Reads inputs of imbrex overlap from arbitrary text, TOML and JSON. Inputs that are accepted must be
// reported and drawn without NaN; others must be refused with the file's name.

#include <imbrex/base/error.hpp>
#include <imbrex/tools/overlap/figures.hpp>
#include <imbrex/tools/overlap/input.hpp>
#include <imbrex/tools/overlap/report.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include "mutator.hpp"

namespace {

constexpr std::string_view in_toml =
    "[[applications]]\nname = \"a\"\ncomputation_time_us = 9\nprocessors = 8\ncollectives = 2\n"
    "collective_processors = 4\n[[applications.data]]\nname = \"b\"\nkind = \"concurrent\"\n"
    "produce_period_ns = 1\nconsume_period_ns = 2\nproduced_words = 4\nconsumed_words = 3\nsent_words = 2\n"
    "production_order = [3, 0]\nconsumption_order = [0, 1]\nadditional_produce_us = 1\n"
    "additional_consume_us = 1\nloop_distribution_us = 1\nproduce_loop_indexing_us = 1\n"
    "consume_loop_indexing_us = 1\nrearranged_subroutines_us = 1\nlocal_part_us = 1\ndependent_work = true\n"
    "[[applications.data]]\nname = \"c\"\nkind = \"pipelined\"\nproduce_period_ns = 1\n"
    "consume_period_ns = 2\nproduced_words = 9\nconsumed_words = 9\nsent_words = 9\norder = \"same\"\n";

constexpr std::string_view in_json =
    "{\"applications\":[{\"name\":\"a\",\n\"computation_time_us\":9,\n\"processors\":8,\n\"data\":[{\n"
    "\"name\":\"b\",\n\"produce_period_ns\":1,\n\"consume_period_ns\":2,\n\"produced_words\":4,\n"
    "\"consumed_words\":3,\n\"sent_words\":2,\n\"order\":\"reverse\",\n\"dependent_work\":false,\n"
    "\"local_part_us\":1\n}]}]}";

/// A value that may be invalid, or unusual but valid.
std::string_view odd_value(std::mt19937& random) {
  static constexpr std::string_view values[] = {"0",
                                                "-1",
                                                "1e400",
                                                "nan",
                                                "1e12",
                                                "1e-6",
                                                "1000000000000000",
                                                "true",
                                                "[1, 0]",
                                                "{a = 1}",
                                                "\"\"",
                                                "\"same\"",
                                                "\"reverse\"",
                                                "\"pipelined\"",
                                                "[[[]]]",
                                                "[2, 2, 2]",
                                                "1979-05-27",
                                                "\"a<&b\"",
                                                "1.5e300",
                                                "18446744073709551615",
                                                "null",
                                                "{}",
                                                "[]",
                                                "999999999"};
  return values[random() % std::size(values)];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto programs = imbrex::overlap::parse_applications(text, "fuzz.file");
    const std::string json = imbrex::overlap::report_json(programs, {}).dump();
    // NaN becomes null in JSON; the following keys must not be null.
    for (const char* const key :
         {"_us\":null", "normalised_time\":null", "overlap\":null", "equal_bandwidth_MBs\":null"})
      if (json.find(key) != std::string::npos) std::abort();
    if (imbrex::overlap::report_text(programs, {}).empty()) std::abort();
    for (const auto& figure : imbrex::overlap::draw_figures(programs, {}))
      for (const char* const bad : {"=\"nan", "=\"-nan", "=\"inf", "=\"-inf"})
        if (figure.svg.find(bad) != std::string::npos) std::abort();
  } catch (const imbrex::usage_error& e) {
    if (!std::string_view(e.what()).starts_with("fuzz.file")) std::abort();
  }
  return 0;
}

// Starts from a valid file with one value replaced, since few random bytes are TOML or JSON.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  if (seed % 4 == 0) {
    std::mt19937 random(seed);
    const bool toml = random() % 2 == 0;
    std::string text(toml ? in_toml : in_json);
    if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
    const std::string_view before = toml ? " = " : "\":";
    const std::size_t place = text.find(before, random() % text.size());
    if (place != std::string::npos) {
      const std::size_t start = place + before.size();
      const std::size_t end = text.find(toml ? "\n" : ",\n", start);
      if (end != std::string::npos) text.replace(start, end - start, odd_value(random));
    }
    size = text.copy(reinterpret_cast<char*>(data), max_size);
    if (seed % 8 == 0) return size;
  }
  return LLVMFuzzerMutate(data, size, max_size);
}
