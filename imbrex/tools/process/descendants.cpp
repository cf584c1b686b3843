// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/process/descendants.hpp>

#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace imbrex::tools {

std::set<pid_t> running_children(const std::set<pid_t>& strangers) {
  std::set<pid_t> found;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", problem)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    const char* const end = name.data() + name.size();
    if (std::from_chars(name.data(), end, pid).ptr != end) continue;
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text, '\0');  // of a process that ends meanwhile there is nothing
    // "pid (name) state parent ..."; the name may hold anything, also ')'.
    const std::size_t after_name = text.rfind(')');
    if (after_name == std::string::npos) continue;
    std::istringstream fields(text.substr(after_name + 1));
    char state = 0;
    pid_t parent = 0;
    if (fields >> state >> parent && parent == ::getpid() && state != 'Z' && !strangers.contains(pid))
      found.insert(pid);
  }
  return found;
}

}  // namespace imbrex::tools
