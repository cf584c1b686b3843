// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/rank_process.hpp>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <imbrex/base/error.hpp>

namespace imbrex::tools {
namespace {

struct two_ends {
  descriptor ours;
  descriptor theirs;
};

[[noreturn]] void fail_to_start(int rank, int code) {
  throw error("cannot start process " + std::to_string(rank) + ": " + std::strerror(code) +
              "; start fewer, or raise the limits of open files and processes (ulimit -n, ulimit -u)");
}

two_ends make_pipe(int rank, int flags) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_to_start(rank, errno);
  ::fcntl(ends[0], F_SETFL, flags);
  return {descriptor(ends[0]), descriptor(ends[1])};
}

two_ends make_socket(int rank) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail_to_start(rank, errno);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {descriptor(ends[0]), descriptor(ends[1])};
}

void set_number(const char* name, int value) { ::setenv(name, std::to_string(value).c_str(), 1); }

void inherit(int number) { ::fcntl(number, F_SETFD, 0); }

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

rank_process start_rank(const std::vector<std::string>& command, int rank, int size,
                        const descriptor& launcher_pipe, const inherited_state& state) {
  two_ends socket = make_socket(rank);
  two_ends out = make_pipe(rank, O_NONBLOCK);
  two_ends error = make_pipe(rank, O_NONBLOCK);
  two_ends complaints = make_pipe(rank, 0);

  const pid_t launcher = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) fail_to_start(rank, errno);
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != launcher) ::_exit(1);  // it died before the line above
    if (rank != 0) ::dup2(descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)).get(), STDIN_FILENO);
    ::dup2(out.theirs.get(), STDOUT_FILENO);
    ::dup2(error.theirs.get(), STDERR_FILENO);
    inherit(socket.theirs.get());
    inherit(launcher_pipe.get());
    set_number("IMBREX_RANK", rank);
    set_number("IMBREX_SIZE", size);
    set_number("IMBREX_BOOTSTRAP_FD", socket.theirs.get());
    set_number("IMBREX_LAUNCHER_FD", launcher_pipe.get());
    // Else UCX, when it is loaded, takes SIGHUP to switch its debug output on, and the process does not end
    // by it.
    ::setenv("UCX_DEBUG_SIGNO", "0", 0);
    become(command, state, complaints.theirs.get());
  }

  complaints.theirs.close();
  int code = 0;
  ssize_t got = 0;
  do got = ::read(complaints.ours.get(), &code, sizeof code);
  while (got < 0 && errno == EINTR);
  if (got == sizeof code) {
    ::waitpid(pid, nullptr, 0);
    refuse(command.front(), code);
  }
  return {pid, std::move(socket.ours), std::move(out.ours), std::move(error.ours)};
}

}  // namespace imbrex::tools
