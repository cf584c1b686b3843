// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/process/program_start.hpp>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>

namespace imbrex::tools {
namespace {

[[noreturn]] void become(const std::vector<std::string>& command, const inherited_state& state,
                         int complaints) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::setrlimit(RLIMIT_NOFILE, &state.open_files);
  ::signal(SIGPIPE, state.broken_pipe);
  ::sigprocmask(SIG_SETMASK, &state.mask, nullptr);
  ::execvp(arguments[0], arguments.data());
  const int code = errno;
  [[maybe_unused]] const ssize_t written = ::write(complaints, &code, sizeof code);
  ::_exit(usage_error::exit_status);
}

[[noreturn]] void refuse(const std::string& program, int code) {
  std::string remedy;
  if (code == ENOENT && program.find('/') == std::string::npos)
    remedy = "; there is no such program in PATH, and one in this folder is called ./" + program;
  if (code == EACCES) remedy = "; is it a program, and executable (chmod +x)?";
  throw usage_error("cannot run '" + program + "': " + std::strerror(code) + remedy);
}

}  // namespace

pid_t start_program(const std::vector<std::string>& command, const inherited_state& state,
                    const std::string& who, const std::function<void()>& prepare) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_to_start(who, errno);
  const descriptor parent_end(ends[0]);
  descriptor child_end(ends[1]);

  const pid_t starter = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) fail_to_start(who, errno);
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != starter) ::_exit(1);  // the starter died before prctl
    prepare();
    become(command, state, child_end.get());
  }

  child_end.close();
  int code = 0;
  ssize_t got = 0;
  do got = ::read(parent_end.get(), &code, sizeof code);
  while (got < 0 && errno == EINTR);
  if (got == sizeof code) {
    ::waitpid(pid, nullptr, 0);
    refuse(command.front(), code);
  }
  return pid;
}

void fail_to_start(const std::string& who, int code) {
  throw error("cannot start " + who + ": " + std::strerror(code) +
              "; start fewer, or raise the limits of open files and processes (ulimit -n, ulimit -u)");
}

}  // namespace imbrex::tools
