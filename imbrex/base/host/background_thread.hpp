// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <imbrex/base/error.hpp>

namespace imbrex {

/// Throws `error`: no further thread can be made. `which` names its purpose, such as "of PE 3"; the `remedy`
/// for this thread ends with ", or ".
[[noreturn]] void throw_no_thread(const std::string& which, const std::system_error& why,
                                  const std::string& remedy = {});

/// Starts a thread that takes no signals, which are for the program's own threads. Throws `error` if no
/// further thread can be made; `which` names its purpose in the text: "that writes the trace".
template <class Function>
std::thread background_thread(const char* which, Function run) {
  struct block {
    block() {
      sigset_t all;
      ::sigfillset(&all);
      ::pthread_sigmask(SIG_SETMASK, &all, &before);  // the new thread inherits the mask
    }
    ~block() { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); }
    sigset_t before{};
  };
  const block signals;
  try {
    return std::thread(std::move(run));
  } catch (const std::system_error& e) {
    throw_no_thread(which, e);
  }
}

}  // namespace imbrex
