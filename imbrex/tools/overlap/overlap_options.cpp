// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/overlap_options.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/command.hpp>

namespace imbrex::overlap {
namespace {

void declare_networks(command& overlap, overlap_options& input) {
  overlap
      .option("--latency", "TIME,...", input.latency, "latencies of the networks (default 1us,2us,4us,8us)")
      .option("--bandwidth", "RATE,...", input.bandwidth,
              "bandwidths of the networks (default 1,10,50,100,200,400,950,2000 and 5000MB/s); overlap is "
              "compared with no overlap at the largest")
      .option("--testbed", "TIME,RATE", input.testbed,
              "latency and bandwidth of the existing network (default 4us,950MB/s)")
      .option("--gap", "TIME", input.gap, "time between two small messages of a processor (default 1us)");
}

void declare_measuring(command& overlap, overlap_options& input) {
  overlap
      .option("--from", "TRACE", input.from,
              "measure the parameters in this trace (--trace TRACE of a program)")
      .option("--phase", "NAME", input.phase, "analyse only the phases of this name (default the whole run)")
      .option("--iterations", "N", input.iterations,
              "number of iterations in them (default counted by the messages' reference numbers)")
      .option("--save", "FILE.json", input.save,
              "write the measured parameters as a file that imbrex overlap takes");
}

void declare_verifying(command& overlap, overlap_options& input) {
  overlap
      .flag("--verify", input.verify,
            "run the program after -- over the networks (default latencies 50us to 1ms, bandwidths 100MB/s "
            "to 10GB/s)")
      .option("--repeat", "N", input.repeat,
              "number of runs over each network, of which the fastest counts (default 3)")
      .option("--limit", "TIME", input.limit, "time limit of each run (default 60s)");
}

}  // namespace

std::optional<std::string> take_options(overlap_options& input, std::span<const std::string> words) {
  std::vector<std::string> files;
  command overlap("imbrex overlap",
                  "FILE [OPTIONS]\n--from TRACE [OPTIONS]\n--verify [OPTIONS] -- PROGRAM [ARGUMENTS...]",
                  "Computes how much of a program's communication its computation could hide, by the method "
                  "of Sancho et al. (SC2006). The parameters are read from a file of TOML or JSON, or "
                  "measured in a recorded run. With --verify a program is run over modelled networks, and "
                  "its times are compared with those predicted from a run without one. See docs/overlap.md.");
  overlap.arguments(files)
      .flag("--json", input.json, "print one object of JSON instead of tables")
      .option("--svg", "DIRECTORY", input.svg, "draw the paper's figures 6 to 10 in this directory");
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
