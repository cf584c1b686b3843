// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/given_options.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/nearest.hpp>

namespace imbrex::overlap {
namespace {

std::vector<std::string> names_of_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

[[noreturn]] void refuse_unknown(const CLI::App& app, const std::string& given) {
  const std::string name = given.substr(0, given.find('='));
  const auto names = names_of_options(app);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const auto meant = nearest(name, known);
  if (!given.starts_with('-'))
    throw usage_error("unknown argument " + given + ": imbrex overlap reads one file");
  throw usage_error(
      "unknown option " + name +
      (meant.empty() ? ": see imbrex overlap --help" : "; did you mean " + std::string(meant) + "?"));
}

/// CLI11 would read them as true or false.
void refuse_values_of_flags(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    for (const std::string_view flag : {"--json", "--verify"})
      if (word.starts_with(flag) && word.substr(flag.size()).starts_with('='))
        throw usage_error(word + ": " + std::string(flag) + " takes no value; leave it out");
}

/// An option that may be given an empty text, which the one that reads it refuses.
void declare(CLI::App& app, const char* name, const char* value, std::optional<std::string>& to,
             const char* description) {
  app.add_option_function<std::string>(
         name, [&to](const std::string& text) { to = text; }, description)
      ->type_name(value);
}

void declare_networks(CLI::App& app, given_options& given) {
  declare(app, "--latency", "TIME,...", given.latency, "of the networks: 1us,2us,4us,8us if not given");
  declare(app, "--bandwidth", "RATE,...", given.bandwidth,
          "of the networks: 1,10,50,100,200,400,950,2000 and 5000MB/s if not given; overlap is\n"
          "compared with the largest without");
  declare(app, "--testbed", "TIME,RATE", given.testbed,
          "the network that there is: 4us,950MB/s if not given");
  declare(app, "--gap", "TIME", given.gap, "between two small messages of a processor: 1us if not given");
}

void declare_measuring(CLI::App& app, given_options& given) {
  declare(app, "--from", "TRACE", given.from,
          "measure the parameters in this trace (--trace TRACE of a program)");
  declare(app, "--phase", "NAME", given.phase,
          "of a run, look at the phases of that name: else at all of it");
  declare(app, "--iterations", "N", given.iterations,
          "that these hold: else they are counted by the reference numbers of messages");
  declare(app, "--save", "FILE.json", given.save,
          "write the measured parameters as a file that imbrex overlap takes");
}

void declare_verifying(CLI::App& app, given_options& given) {
  app.add_flag("--verify", given.verify,
               "run the program behind -- over the networks: latencies of 50us to 1ms and bandwidths of\n"
               "100MB/s to 10GB/s if not given");
  declare(app, "--repeat", "N", given.repeat,
          "how often each of these runs is made: 3 if not given, the fastest counts");
  declare(app, "--limit", "TIME", given.limit, "that one run may take: 60s if not given");
}

}  // namespace

std::optional<std::string> take_options(given_options& given, std::vector<std::string> words) {
  CLI::App app(
      "Tells how much of a program's communication its computation could hide, by the method of Sancho et "
      "al.\n"
      "(SC2006), from the parameters in a file of TOML or JSON, or measured in a recorded run:\n"
      "imbrex overlap FILE, or imbrex overlap --from TRACE. With --verify a program is run over modelled\n"
      "networks and compared with what one run without predicts:\n"
      "imbrex overlap --verify [OPTIONS] -- PROGRAM [ARGUMENTS...]; see docs/overlap.md.",
      "imbrex overlap");
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.allow_extras();
  app.add_option("FILE", given.file, "the parameters of the programs")->type_name("");
  app.add_flag("--json", given.json, "print one object of JSON instead of tables");
  declare(app, "--svg", "DIRECTORY", given.svg, "draw the paper's figures 6 to 10 there");
  declare_networks(app, given);
  declare_measuring(app, given);
  declare_verifying(app, given);
  refuse_values_of_flags(words);
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::ParseError& e) {
    throw usage_error(std::string(e.what()) + "; see imbrex overlap --help");
  }
  if (const auto unknown = app.remaining(); !unknown.empty()) refuse_unknown(app, unknown.front());
  return std::nullopt;
}

}  // namespace imbrex::overlap
