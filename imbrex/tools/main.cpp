// SPDX-License-Identifier: Apache-2.0
// The command imbrex; `imbrex --help` lists what it can do.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/commands.hpp>
#include <imbrex/tools/process/trial.hpp>

namespace {

void complain(const std::string& command, const std::exception& why) {
  std::fprintf(stderr, "%s: %s\n", command.c_str(), imbrex::printable_lines(why.what()).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  imbrex::open_standard_descriptors();
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const imbrex::tools::command_list commands = imbrex::tools::commands();
  const std::string command = commands.name_of(words);
  try {
    return commands.run(words);
  } catch (const imbrex::usage_error& e) {
    complain(command, e);
    return imbrex::usage_error::exit_status;
  } catch (const imbrex::tools::interrupted& e) {
    complain(command, e);
    return 128 + e.signal();
  } catch (const std::exception& e) {
    complain(command, e);
    return 1;
  }
}
