// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/command/program.hpp>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/process/trial.hpp>

namespace imbrex::tools {
namespace {

void complain(const std::string& command, const std::exception& why) {
  std::fprintf(stderr, "%s: %s\n", command.c_str(), printable_lines(why.what()).c_str());
}

}  // namespace

int run_program(const command_list& commands, int argc, char** argv) {
  open_standard_descriptors();
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const std::string command = commands.name_of(words);
  try {
    return commands.run(words);
  } catch (const usage_error& e) {
    complain(command, e);
    return usage_error::exit_status;
  } catch (const interrupted& e) {
    complain(command, e);
    return 128 + e.signal();
  } catch (const std::exception& e) {
    complain(command, e);
    return 1;
  }
}

}  // namespace imbrex::tools
