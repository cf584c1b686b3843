// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/rank_process.hpp>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <utility>

namespace imbrex::tools {
namespace {

struct two_ends {
  descriptor parent_end;
  descriptor child_end;
};

std::string name_of(int rank) { return "process " + std::to_string(rank); }

two_ends make_pipe(const std::string& process) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_to_start(process, errno);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {descriptor(ends[0]), descriptor(ends[1])};
}

two_ends make_socket(int rank) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    fail_to_start(name_of(rank), errno);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {descriptor(ends[0]), descriptor(ends[1])};
}

void set_number(const char* name, int value) { ::setenv(name, std::to_string(value).c_str(), 1); }

void inherit(int number) { ::fcntl(number, F_SETFD, 0); }

/// In the new process.
void take_over(const process_request& request, const two_ends& out, const two_ends& error) {
  ::dup2(out.child_end.get(), STDOUT_FILENO);
  ::dup2(error.child_end.get(), STDERR_FILENO);
  inherit(request.kept_open);
  for (const auto& [name, value] : request.environment) ::setenv(name.c_str(), value.c_str(), 1);
}

}  // namespace

rank_process start_rank(const process_request& request, int rank, int size, const descriptor& launcher_pipe) {
  two_ends socket = make_socket(rank);
  two_ends out = make_pipe(name_of(rank));
  two_ends error = make_pipe(name_of(rank));

  const pid_t pid = start_program(request.command, request.state, name_of(rank), [&] {
    if (rank != 0) ::dup2(descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)).get(), STDIN_FILENO);
    take_over(request, out, error);
    if (request.ignored != 0) ::signal(request.ignored, SIG_IGN);
    inherit(socket.child_end.get());
    inherit(launcher_pipe.get());
    set_number("IMBREX_RANK", rank);
    set_number("IMBREX_SIZE", size);
    set_number("IMBREX_BOOTSTRAP_FD", socket.child_end.get());
    set_number("IMBREX_LAUNCHER_FD", launcher_pipe.get());
  });
  return {pid, std::move(socket.parent_end), std::move(out.parent_end), std::move(error.parent_end)};
}

rank_process start_foreign_launcher(const process_request& request) {
  two_ends out = make_pipe(request.command.front());
  two_ends error = make_pipe(request.command.front());
  const pid_t pid = start_program(request.command, request.state, request.command.front(), [&] {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // killed, srun would leave its processes
    take_over(request, out, error);
  });
  return {pid, {}, std::move(out.parent_end), std::move(error.parent_end)};
}

}  // namespace imbrex::tools
