// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/overlap_options.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/command.hpp>

namespace imbrex::overlap {
namespace {

void declare_networks(command& overlap, overlap_options& input) {
  overlap.option("--latency", "TIME,...", input.latency, "of the networks: 1us,2us,4us,8us if not given")
      .option("--bandwidth", "RATE,...", input.bandwidth,
              "of the networks: 1,10,50,100,200,400,950,2000 and 5000MB/s if not given; overlap is compared "
              "with the largest without")
      .option("--testbed", "TIME,RATE", input.testbed, "the network that there is: 4us,950MB/s if not given")
      .option("--gap", "TIME", input.gap, "between two small messages of a processor: 1us if not given");
}

void declare_measuring(command& overlap, overlap_options& input) {
  overlap
      .option("--from", "TRACE", input.from,
              "measure the parameters in this trace (--trace TRACE of a program)")
      .option("--phase", "NAME", input.phase, "of a run, look at the phases of that name: else at all of it")
      .option("--iterations", "N", input.iterations,
              "that these hold: else they are counted by the reference numbers of messages")
      .option("--save", "FILE.json", input.save,
              "write the measured parameters as a file that imbrex overlap takes");
}

void declare_verifying(command& overlap, overlap_options& input) {
  overlap
      .flag("--verify", input.verify,
            "run the program behind -- over the networks: latencies of 50us to 1ms and bandwidths of 100MB/s "
            "to 10GB/s if not given")
      .option("--repeat", "N", input.repeat,
              "how often each of these runs is made: 3 if not given, the fastest counts")
      .option("--limit", "TIME", input.limit, "that one run may take: 60s if not given");
}

}  // namespace

std::optional<std::string> take_options(overlap_options& input, std::span<const std::string> words) {
  std::vector<std::string> files;
  command overlap(
      "imbrex overlap",
      "FILE [OPTIONS]\n--from TRACE [OPTIONS]\n--verify [OPTIONS] -- PROGRAM [ARGUMENTS...]",
      "Tells how much of a program's communication its computation could hide, by the method of "
      "Sancho et al. (SC2006), from the parameters in a file of TOML or JSON, or measured in a "
      "recorded run. With --verify a program is run over modelled networks and compared with what "
      "one run without predicts. See docs/overlap.md.");
  overlap.arguments(files)
      .flag("--json", input.json, "print one object of JSON instead of tables")
      .option("--svg", "DIRECTORY", input.svg, "draw the paper's figures 6 to 10 there");
  declare_networks(overlap, input);
  declare_measuring(overlap, input);
  declare_verifying(overlap, input);
  if (auto help = overlap.read(words)) return help;
  if (files.size() > 1)
    throw usage_error("unknown argument '" + files[1] + "': imbrex overlap reads one file");
  if (!files.empty()) input.file = files.front();
  return std::nullopt;
}

}  // namespace imbrex::overlap
