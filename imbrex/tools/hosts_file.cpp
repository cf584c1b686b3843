// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/hosts_file.hpp>

#include <unistd.h>

#include <array>
#include <fstream>
#include <string_view>

#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex::tools {

namespace {

/// The name of this host.
std::string name_of_host() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// A host's name without its domain.
std::string_view short_name(std::string_view name) { return name.substr(0, name.find('.')); }

bool is_this_host(std::string_view name) {
  for (const char* const local : {"localhost", "127.0.0.1"})
    if (name == local) return true;
  const std::string own = name_of_host();
  return name == own || short_name(name) == own || name == short_name(own);
}

}  // namespace

void check_hosts_file(const std::string& option, const std::string& file) {
  std::ifstream lines(file);
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#') continue;
    const std::size_t end = line.find_first_of(" \t\r:#", begin);  // "host slots=4", "host:4"
    const std::string host = line.substr(begin, end == std::string::npos ? end : end - begin);
    if (!is_this_host(host))
      throw usage_error(option + " " + printable(file) + " names the host " + printable(host) +
                        ", and imbrex run starts processes on this host alone; for several hosts start the "
                        "program by srun, by mpirun of another MPI, or by torchrun (docs/launch.md)");
  }
  if (!lines.eof())
    throw usage_error(option + " " + printable(file) +
                      ": the file cannot be read; name a file with a host in each line");
}

}  // namespace imbrex::tools
