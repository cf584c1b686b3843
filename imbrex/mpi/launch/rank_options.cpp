// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/launch/rank_options.hpp>

#include <array>
#include <cstdint>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/command_words.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/options/quantity.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/core/options/environment_options.hpp>

namespace imbrex::mpi {

namespace {

constexpr int most_ranks = 1'000'000;
constexpr std::uint64_t least_stack = 64'000;
constexpr std::uint64_t most_stack = 1'000'000'000'000;

int parse_ranks(const parsed_option& option) {
  const auto number = parse_number<int>(option.value);
  if (!number || *number < 1 || *number > most_ranks)
    throw usage_error("--ranks " + printable(option.value) +
                      ": the number of ranks of all processes must be a whole number from 1 to " +
                      std::to_string(most_ranks) + "; leave --ranks out for one in each process");
  return *number;
}

std::size_t parse_stack(const parsed_option& option) {
  const auto size = parse_size(option.value);
  if (!size || *size < least_stack || *size > most_stack)
    throw usage_error("--rank-stack " + printable(option.value) +
                      ": the bytes of each rank's stack must be from 64kB to 1000GB with their unit, B, kB, "
                      "MB or GB, such as 16MB");
  return static_cast<std::size_t>(*size);
}

struct rank_option {
  option_words words;
  void (*set)(rank_options& of, const parsed_option& option);
};

const std::array<rank_option, 6>& own_options() {
  static const std::array<rank_option, 6> all{{
      {{"--ranks", "N", "number of MPI ranks in all processes together (default one in each)"},
       [](rank_options& of, const parsed_option& option) { of.ranks = parse_ranks(option); }},
      {{"--rank-stack", "SIZE", "bytes of each rank's stack, such as 64MB (default 8 MiB)"},
       [](rank_options& of, const parsed_option& option) { of.stack = parse_stack(option); }},
      {{"--prefix", "", "put \"[rank] \" before each line of a rank's standard output"},
       [](rank_options& of, const parsed_option&) { of.prefix = true; }},
      {{"--migratable", "", "let MPI ranks go to other processes"},
       [](rank_options& of, const parsed_option&) { of.migratable = true; }},
      {{"--mpi-check", "", "report at MPI_Finalize what a rank has not freed or received"},
       [](rank_options& of, const parsed_option&) { of.check = true; }},
      {{"--privatise", "LIST", "shared libraries with separate variables in each rank: libfoo,libbar"},
       [](rank_options& of, const parsed_option& option) {
         for (std::string& name : listed_values(option.value))
           of.private_libraries.push_back(std::move(name));
       }},
  }};
  return all;
}

}  // namespace

rank_options read_rank_options() {
  std::vector<option_words> words;
  for (const rank_option& each : own_options()) words.push_back(each.words);
  rank_options chosen;
  chosen.run = parse_environment(words, [&chosen](std::size_t place, const parsed_option& option) {
    own_options()[place].set(chosen, option);
  });
  return chosen;
}

}  // namespace imbrex::mpi
