// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/process/descendants.hpp>

#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace imbrex::tools {
namespace {

/// The text after the name in "pid (name) state parent ..."; the name may contain any character, also ')'.
/// Empty if the process no longer exists.
std::istringstream after_name(const std::filesystem::path& process) {
  std::ifstream file(process / "stat");
  std::string text;
  std::getline(file, text, '\0');
  const std::size_t end = text.rfind(')');
  return std::istringstream(end == std::string::npos ? std::string() : text.substr(end + 1));
}

}  // namespace

std::set<pid_t> running_children(const std::set<pid_t>& strangers) {
  std::set<pid_t> found;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", problem)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    const char* const end = name.data() + name.size();
    if (std::from_chars(name.data(), end, pid).ptr != end) continue;
    std::istringstream fields = after_name(entry.path());
    char state = 0;
    pid_t parent = 0;
    if (fields >> state >> parent && parent == ::getpid() && state != 'Z' && !strangers.contains(pid))
      found.insert(pid);
  }
  return found;
}

pid_t parent_of(pid_t process) {
  std::istringstream fields = after_name("/proc/" + std::to_string(process));
  char state = 0;
  pid_t parent = 0;
  return fields >> state >> parent ? parent : 0;
}

bool is_stopped(pid_t process) {
  std::istringstream fields = after_name("/proc/" + std::to_string(process));
  char state = 0;
  fields >> state;
  return state == 'T' || state == 't';
}

bool is_ending(pid_t process) {
  constexpr unsigned exiting = 4;  // Linux's PF_EXITING
  const std::filesystem::path folder = "/proc/" + std::to_string(process);
  std::istringstream fields = after_name(folder);
  char state = 0;
  std::array<int, 5> ids{};  // parent, group, session, terminal, foreground group
  unsigned flags = 0;
  fields >> state;
  for (int& id : ids) fields >> id;
  if (fields >> flags && (flags & exiting) != 0) return true;
  std::ifstream status(folder / "status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigPnd:") || line.starts_with("ShdPnd:"))
      if ((std::stoull(line.substr(line.find(':') + 1), nullptr, 16) >> (SIGKILL - 1) & 1) != 0) return true;
  return false;
}

}  // namespace imbrex::tools
