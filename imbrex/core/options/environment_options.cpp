// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/options/environment_options.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/core/options/internal/runtime_table.hpp>

namespace imbrex {

options parse_environment(std::span<const option_words> others,
                          const std::function<void(std::size_t, parsed_option)>& take) {
  environment_line environment(options_variable);
  options chosen;
  environment.naming([&] {
    command_line line(environment.count(), environment.words(), options_help);
    line.take(others, take);
    const int processes = line.processes();
    int argc = environment.count();
    char** argv = environment.words();
    std::move(line).give_rest(argc, argv);
    chosen.source.processes = std::max(runtime_table().parse(chosen, argc, argv), processes);
    std::vector<std::string_view> names = runtime_table().names();
    std::ranges::transform(others, std::back_inserter(names), &option_words::name);
    command_line(argc, argv, options_help).refuse_rest(names);
  });
  ::unsetenv(options_variable);
  imply_options(chosen);
  return chosen;
}

std::span<const option_words> runtime_options() { return runtime_table().words(); }

}  // namespace imbrex
