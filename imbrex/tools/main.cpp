// SPDX-License-Identifier: Apache-2.0
// The command imbrex; `imbrex --help` lists what it can do.
#include <imbrex/tools/command/program.hpp>
#include <imbrex/tools/commands.hpp>

int main(int argc, char** argv) { return imbrex::tools::run_program(imbrex::tools::commands(), argc, argv); }
