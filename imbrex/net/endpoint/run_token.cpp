// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/endpoint/run_token.hpp>

#include <sys/random.h>

#include <atomic>
#include <cerrno>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/base/log.hpp>

namespace imbrex::endpoints {

run_token draw_token() {
  run_token drawn = 0;
  ssize_t got = 0;
  do got = ::getrandom(&drawn, sizeof drawn, 0);
  while (got < 0 && errno == EINTR);
  if (got != sizeof drawn) throw error(std::string("getrandom: ") + std::strerror(errno));
  return drawn;
}

void tell_of_stranger(std::string_view receiver) noexcept {
  static constinit std::atomic<bool> is_reported = false;
  if (is_reported.exchange(true)) return;
  log(log_level::warning,
      "a message that is not of this run came to " + std::string(receiver) +
          " and was dropped, as will be all others: another program sends to the network's address");
}

}  // namespace imbrex::endpoints
