// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/commands.hpp>

#include <imbrex/tools/balance/command.hpp>
#include <imbrex/tools/built_with.hpp>
#include <imbrex/tools/calibrate/calibrate.hpp>
#include <imbrex/tools/checkpoint/command.hpp>
#include <imbrex/tools/demo/demo.hpp>
#include <imbrex/tools/findings.hpp>
#include <imbrex/tools/flow/simulate.hpp>
#include <imbrex/tools/info_command.hpp>
#include <imbrex/tools/overlap/command.hpp>
#include <imbrex/tools/predict/predict.hpp>
#include <imbrex/tools/project/new_command.hpp>
#include <imbrex/tools/resize_request.hpp>
#include <imbrex/tools/restarts.hpp>
#include <imbrex/tools/run_command.hpp>
#include <imbrex/tools/top_command.hpp>
#include <imbrex/tools/trace/command/trace_command.hpp>
#include <imbrex/tools/tune/tune.hpp>
#include <imbrex/tools/who_command.hpp>
#include <nlohmann/json.hpp>

namespace imbrex::tools {
namespace {

int write_project(const project_settings& request) {
  make_project(request, this_build().version);
  print(request.name + "/README.md says how to build it, run it and test it\n");
  return 0;
}

}  // namespace

command_list commands() {
  command_list all(
      "imbrex", "Creates, runs, analyses and tunes programs that use Imbrex.",
      {{"new", "create a CMake project with a program and a test", parse_and_run<parse_new, write_project>},
       {"demo", "show by a program that comes with Imbrex what overlap gains",
        parse_and_run<parse_demo, show_demo>},
       {"run", "run a program as several processes on this host",
        parse_and_run<parse_run, run_with_restarts>},
       {"mpiexec", "run the ranks of an MPI program in one process",
        parse_and_run<parse_mpiexec, run_with_restarts>},
       {"resize", "let a job of `imbrex run` go on with another number of processes",
        parse_and_run<parse_resize, send_resize>},
       {"who", "print what running programs do, and which of their entries wait for what",
        parse_and_run<parse_who, print_who>},
       {"top", "show each second what running programs do", parse_and_run<parse_top, show_top>},
       {"metrics", "print figures of running programs for Prometheus",
        parse_and_run<parse_metrics, print_metrics>},
       {"info", "print the processors, devices and networks found here, and a program's use of them",
        parse_and_run<parse_info, print_info>},
       {"overlap", "compute how much of a program's communication its computation could hide",
        parse_and_run<overlap::parse_command, overlap::print_overlap>},
       {"balance", "replay the recorded loads of a program with other strategies of balancing",
        parse_and_run<balance::parse_command, balance::replay_record>},
       {"checkpoint", "list, verify, compare and export checkpoints of programs",
        [](std::span<const std::string> words) { return checkpoint_commands().run(words); }},
       {"trace", "report on traces of runs, and convert them",
        [](std::span<const std::string> words) { return trace_commands().run(words); }},
       {"tune", "find options that make a program faster, and write them to a file",
        parse_and_run<tune::parse_command, tune::tune>},
       {"predict", "predict a program's times on other numbers of nodes, and what bounds it there",
        parse_and_run<predict::parse_command, predict::predict>},
       {"simulate", "evaluate a recorded flow, or a schedule in GOAL, on another machine",
        parse_and_run<parse_simulate, simulate>},
       {"calibrate", "measure this machine, and print a machine file for predictions",
        parse_and_run<calibrate::parse_command, calibrate::calibrate>}});
  all.version("imbrex " + std::string(this_build().version), [] { return build_findings().dump(); });
  return all;
}

}  // namespace imbrex::tools
