// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/background_thread.hpp>

namespace imbrex {

void throw_no_thread(const std::string& which, const std::system_error& why, const std::string& remedy) {
  throw error("cannot start the thread " + which + ": " + why.code().message() + "; " + remedy +
              "raise the limit of processes (ulimit -u, pids.max of the control group), or that of memory "
              "(ulimit -v), of which a thread takes a stack (ulimit -s)");
}

}  // namespace imbrex
