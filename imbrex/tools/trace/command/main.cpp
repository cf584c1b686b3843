// SPDX-License-Identifier: Apache-2.0
// `imbrex trace` as a separate program, which compiles in a fraction of the time of the whole command.
#include <imbrex/tools/command/program.hpp>
#include <imbrex/tools/trace/command/trace_command.hpp>

int main(int argc, char** argv) {
  return imbrex::tools::run_program(imbrex::tools::trace_commands(), argc, argv);
}
