// SPDX-License-Identifier: Apache-2.0
// `imbrex trace` as a program of its own, which compiles in a fraction of the time that the command takes.
#include <imbrex/tools/command/program.hpp>
#include <imbrex/tools/trace/command/trace_command.hpp>

int main(int argc, char** argv) {
  return imbrex::tools::run_program(imbrex::tools::trace_commands(), argc, argv);
}
