// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/process/needed_libraries.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>
#include <utility>

#include <imbrex/base/host/descriptor.hpp>

extern char** environ;

namespace imbrex::tools {
namespace {

/// Redirects the standard output of a started program, and discards its errors.
class redirection {
 public:
  explicit redirection(int output) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  ~redirection() { ::posix_spawn_file_actions_destroy(&actions_); }
  redirection(const redirection&) = delete;
  redirection& operator=(const redirection&) = delete;

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

std::string read_all(int from) {
  std::string text;
  std::array<char, 4096> piece;
  for (;;) {
    const ssize_t got = ::read(from, piece.data(), piece.size());
    if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
  }
}

/// The text that a program writes to its standard output; empty if it cannot be started.
std::string output_of(std::vector<std::string> command) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const descriptor parent_end(ends[0]);
  descriptor child_end(ends[1]);
  const redirection to(child_end.get());
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (::posix_spawn(&child, arguments[0], to.get(), nullptr, arguments.data(), environ) != 0) return {};
  child_end.close();
  std::string text = read_all(parent_end.get());
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  return text;
}

}  // namespace

std::vector<std::string> needed_libraries(const std::string& loader, const std::string& program) {
  // A line is "libfoo.so.1 => /usr/lib/libfoo.so.1 (0x00007f...)", or "libfoo.so.1 => not found".
  std::istringstream lines(output_of({loader, "--list", program}));
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    std::string name;
    std::istringstream(line) >> name;
    if (!name.empty()) names.push_back(name.substr(name.rfind('/') + 1));
  }
  return names;
}

}  // namespace imbrex::tools
