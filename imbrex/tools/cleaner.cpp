// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/cleaner.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <imbrex/tools/abandoned_segments.hpp>
#include <imbrex/tools/process/program_start.hpp>

namespace imbrex::tools {

namespace {

/// In place of a process id: the launcher has ended by itself.
constexpr pid_t all_is_well = 0;

/// Lets signals of a terminal or a batch system, and the ends of others, concern this process no more.
void stand_apart(int kept) {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::setsid();
  ::prctl(PR_SET_NAME, "imbrex-cleaner");
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, standard);
  const int lowest = STDERR_FILENO + 1;
  if (kept != lowest) ::dup2(kept, lowest);
  ::close_range(static_cast<unsigned>(lowest) + 1, ~0U, 0);
}

[[noreturn]] void wait_and_clean(const std::string& folder) {
  const int from_launcher = STDERR_FILENO + 1;
  const std::time_t began = std::time(nullptr);
  std::set<pid_t> job;
  pid_t process = 0;
  ssize_t got = 0;
  while ((got = ::recv(from_launcher, &process, sizeof process, 0)) != 0) {
    if (got == sizeof process && process == all_is_well) ::_exit(0);
    if (got == sizeof process) job.insert(process);
    if (got < 0 && errno != EINTR) break;
  }
  remove_abandoned_segments(segment_folder(), began, job);
  std::error_code ignored;
  if (!folder.empty()) std::filesystem::remove_all(folder, ignored);
  ::_exit(0);
}

}  // namespace

cleaner::cleaner(std::string folder) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    fail_to_start("the process that cleans up", errno);
  own_end_ = imbrex::descriptor(ends[0]);
  const imbrex::descriptor other_end(ends[1]);
  child_ = ::fork();
  if (child_ < 0) fail_to_start("the process that cleans up", errno);
  if (child_ > 0) return;
  stand_apart(other_end.get());
  wait_and_clean(folder);
}

cleaner::~cleaner() {
  note(all_is_well);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) continue;
}

void cleaner::note(pid_t process) const { ::send(own_end_.get(), &process, sizeof process, MSG_NOSIGNAL); }

}  // namespace imbrex::tools
