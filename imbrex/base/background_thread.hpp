// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <imbrex/base/error.hpp>

namespace imbrex {

/// Starts a thread that takes no signals: those that the program handles are for its own threads. Throws
/// `error` if there can be no further thread.
template <class Function>
std::thread background_thread(Function run) {
  struct block {
    block() {
      sigset_t all;
      ::sigfillset(&all);
      ::pthread_sigmask(SIG_SETMASK, &all, &before);  // the new thread inherits it
    }
    ~block() { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); }
    sigset_t before{};
  };
  const block signals;
  try {
    return std::thread(std::move(run));
  } catch (const std::system_error& e) {
    throw error(std::string("cannot start a thread: ") + e.what() +
                "; raise the limit of processes (ulimit -u)");
  }
}

}  // namespace imbrex
