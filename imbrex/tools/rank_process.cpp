// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/rank_process.hpp>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace imbrex::tools {
namespace {

struct two_ends {
  descriptor parent_end;
  descriptor child_end;
};

std::string name_of(int rank) { return "process " + std::to_string(rank); }

two_ends make_pipe(int rank) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_to_start(name_of(rank), errno);
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

}  // namespace

rank_process start_rank(const std::vector<std::string>& command, const environment_variables& environment,
                        int rank, int size, const descriptor& launcher_pipe, int kept_open, int ignored,
                        const inherited_state& state) {
  two_ends socket = make_socket(rank);
  two_ends out = make_pipe(rank);
  two_ends error = make_pipe(rank);

  const pid_t pid = start_program(command, state, name_of(rank), [&] {
    if (rank != 0) ::dup2(descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)).get(), STDIN_FILENO);
    ::dup2(out.child_end.get(), STDOUT_FILENO);
    ::dup2(error.child_end.get(), STDERR_FILENO);
    inherit(socket.child_end.get());
    inherit(launcher_pipe.get());
    inherit(kept_open);
    if (ignored != 0) ::signal(ignored, SIG_IGN);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    set_number("IMBREX_RANK", rank);
    set_number("IMBREX_SIZE", size);
    set_number("IMBREX_BOOTSTRAP_FD", socket.child_end.get());
    set_number("IMBREX_LAUNCHER_FD", launcher_pipe.get());
  });
  return {pid, std::move(socket.parent_end), std::move(out.parent_end), std::move(error.parent_end)};
}

}  // namespace imbrex::tools
