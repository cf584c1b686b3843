// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/bootstrap/launcher_watch.hpp>

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/background_thread.hpp>
#include <imbrex/base/log.hpp>

namespace imbrex {
namespace {

/// Held while a watch must not end the process.
constinit std::mutex not_now;

void watch(int launcher, int stop) {
  pollfd waiting[] = {{launcher, POLLIN, 0}, {stop, POLLIN, 0}};
  while (::poll(waiting, 2, -1) < 0 && errno == EINTR) continue;
  if (waiting[1].revents != 0) return;
  const std::lock_guard now(not_now);
  // The output may have no reader. A background thread takes no SIGPIPE, and this must not block on a full
  // pipe.
  pollfd error_output{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&error_output, 1, 0) > 0 && (error_output.revents & POLLOUT) != 0)
    log(log_level::error, "the launcher of this process has gone; the process ends");
  ::_exit(1);
}

}  // namespace

launcher_watch::launcher_watch(int launcher) {
  if (launcher < 0) return;
  stop_ = descriptor(::eventfd(0, EFD_CLOEXEC));
  if (!stop_)
    throw error(std::string("cannot watch the launcher: ") + std::strerror(errno) +
                "; raise the limit of open files (ulimit -n)");
  thread_ = background_thread("that watches the launcher",
                              [launcher, stop = stop_.get()] { watch(launcher, stop); });
}

launcher_watch::~launcher_watch() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  while (::write(stop_.get(), &one, sizeof one) < 0 && errno == EINTR) continue;
  thread_.join();
}

outliving_launcher::outliving_launcher() : watch_waits_(not_now), parent_(::getppid()) {
  ::prctl(PR_GET_PDEATHSIG, &signal_);
  if (signal_ != 0) ::prctl(PR_SET_PDEATHSIG, 0);
}

outliving_launcher::~outliving_launcher() {
  if (signal_ == 0) return;
  ::prctl(PR_SET_PDEATHSIG, signal_);
  if (::getppid() != parent_) ::kill(::getpid(), signal_);  // the parent has ended meanwhile
}

}  // namespace imbrex
