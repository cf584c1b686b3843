// SPDX-License-Identifier: Apache-2.0
// `imbrex demo` as a separate program, which compiles in a fraction of the time of the whole command.
#include <imbrex/tools/command/command_list.hpp>
#include <imbrex/tools/command/program.hpp>
#include <imbrex/tools/demo/demo.hpp>

int main(int argc, char** argv) {
  using namespace imbrex::tools;
  const command_list commands("imbrex-demo", "Shows by Jacobi3D what overlap gains.",
                              {{"demo", "run the demo", parse_and_run<parse_demo, show_demo>}});
  return run_program(commands, argc, argv);
}
