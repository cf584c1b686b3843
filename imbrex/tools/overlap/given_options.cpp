// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/given_options.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/command.hpp>

namespace imbrex::overlap {
namespace {

void declare_networks(command& overlap, given_options& given) {
  overlap.option("--latency", "TIME,...", given.latency, "of the networks: 1us,2us,4us,8us if not given")
      .option("--bandwidth", "RATE,...", given.bandwidth,
              "of the networks: 1,10,50,100,200,400,950,2000 and 5000MB/s if not given; overlap is compared "
              "with the largest without")
      .option("--testbed", "TIME,RATE", given.testbed, "the network that there is: 4us,950MB/s if not given")
      .option("--gap", "TIME", given.gap, "between two small messages of a processor: 1us if not given");
}

void declare_measuring(command& overlap, given_options& given) {
  overlap
      .option("--from", "TRACE", given.from,
              "measure the parameters in this trace (--trace TRACE of a program)")
      .option("--phase", "NAME", given.phase, "of a run, look at the phases of that name: else at all of it")
      .option("--iterations", "N", given.iterations,
              "that these hold: else they are counted by the reference numbers of messages")
      .option("--save", "FILE.json", given.save,
              "write the measured parameters as a file that imbrex overlap takes");
}

void declare_verifying(command& overlap, given_options& given) {
  overlap
      .flag("--verify", given.verify,
            "run the program behind -- over the networks: latencies of 50us to 1ms and bandwidths of 100MB/s "
            "to 10GB/s if not given")
      .option("--repeat", "N", given.repeat,
              "how often each of these runs is made: 3 if not given, the fastest counts")
      .option("--limit", "TIME", given.limit, "that one run may take: 60s if not given");
}

}  // namespace

std::optional<std::string> take_options(given_options& given, std::span<const std::string> words) {
  std::vector<std::string> files;
  command overlap(
      "imbrex overlap",
      "FILE [OPTIONS]\n--from TRACE [OPTIONS]\n--verify [OPTIONS] -- PROGRAM [ARGUMENTS...]",
      "Tells how much of a program's communication its computation could hide, by the method of "
      "Sancho et al. (SC2006), from the parameters in a file of TOML or JSON, or measured in a "
      "recorded run. With --verify a program is run over modelled networks and compared with what "
      "one run without predicts. See docs/overlap.md.");
  overlap.arguments(files)
      .flag("--json", given.json, "print one object of JSON instead of tables")
      .option("--svg", "DIRECTORY", given.svg, "draw the paper's figures 6 to 10 there");
  declare_networks(overlap, given);
  declare_measuring(overlap, given);
  declare_verifying(overlap, given);
  if (auto help = overlap.read(words)) return help;
  if (files.size() > 1)
    throw usage_error("unknown argument '" + files[1] + "': imbrex overlap reads one file");
  if (!files.empty()) given.file = files.front();
  return std::nullopt;
}

}  // namespace imbrex::overlap
