// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/process/signal_source.hpp>

#include <unistd.h>

namespace imbrex::tools {

signal_source::signal_source(std::initializer_list<int> more, std::initializer_list<int> warnings)
    : warnings_(warnings) {
  ended_child_ = ::signal(SIGCHLD, SIG_DFL);  // an ignored SIGCHLD would hide the status of children
  inherited_.broken_pipe = ::signal(SIGPIPE, SIG_IGN);
  sigset_t taken;
  ::sigemptyset(&taken);
  ::sigaddset(&taken, SIGCHLD);
  std::vector<int> all{SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  all.insert(all.end(), more);
  all.insert(all.end(), warnings);
  for (const int one : all) {
    struct sigaction before{};
    ::sigaction(one, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaddset(&taken, one);
  }
  ::sigprocmask(SIG_BLOCK, &taken, &inherited_.mask);
  descriptor_ = descriptor(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  // Each process of a job takes three descriptors in this one.
  ::getrlimit(RLIMIT_NOFILE, &inherited_.open_files);
  allow_many_descriptors();
}

signal_source::~signal_source() {
  for (const int warning : warnings_) ::signal(warning, SIG_IGN);  // drops those that are pending
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

void signal_source::forget(int signal) {
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  constexpr timespec at_once{};
  ::sigtimedwait(&only, nullptr, &at_once);
}

void signal_source::stop() {
  sigset_t stops;
  ::sigemptyset(&stops);
  ::sigaddset(&stops, SIGTSTP);
  ::raise(SIGTSTP);
  ::sigprocmask(SIG_UNBLOCK, &stops, nullptr);  // the process stops here
  ::sigprocmask(SIG_BLOCK, &stops, nullptr);
}

}  // namespace imbrex::tools
