// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/process/signal_source.hpp>

#include <unistd.h>

namespace imbrex::tools {

signal_source::signal_source() {
  ended_child_ = ::signal(SIGCHLD, SIG_DFL);  // ignored, it would hide how children end
  inherited_.broken_pipe = ::signal(SIGPIPE, SIG_IGN);
  sigset_t taken;
  ::sigemptyset(&taken);
  ::sigaddset(&taken, SIGCHLD);
  for (const int one : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) {
    struct sigaction before{};
    ::sigaction(one, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaddset(&taken, one);
  }
  ::sigprocmask(SIG_BLOCK, &taken, &inherited_.mask);
  descriptor_ = descriptor(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  // Each process of a job takes three descriptors here.
  ::getrlimit(RLIMIT_NOFILE, &inherited_.open_files);
  const rlimit most{inherited_.open_files.rlim_max, inherited_.open_files.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &most);
}

signal_source::~signal_source() {
  ::setrlimit(RLIMIT_NOFILE, &inherited_.open_files);
  ::sigprocmask(SIG_SETMASK, &inherited_.mask, nullptr);
  ::signal(SIGPIPE, inherited_.broken_pipe);
  ::signal(SIGCHLD, ended_child_);
}

std::optional<signalfd_siginfo> signal_source::next() const {
  signalfd_siginfo info{};
  if (::read(descriptor_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  return info;
}

}  // namespace imbrex::tools
