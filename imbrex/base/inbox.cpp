// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/inbox.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

inbox::inbox(bool sleeps) {
  if (!sleeps) return;
  event_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (event_ < 0)
    throw error(std::string("cannot create an eventfd for a PE: ") + std::strerror(errno) +
                "; lower --pes or raise the limit of open files (ulimit -n)");
}

inbox::~inbox() {
  if (event_ >= 0) ::close(event_);
}

void inbox::wake() {
  const std::uint64_t one = 1;
  while (::write(event_, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void inbox::sleep(std::optional<std::chrono::nanoseconds> at_most, int descriptor) {
  pollfd ready[] = {{event_, POLLIN, 0}, {descriptor, POLLIN, 0}};  // poll() ignores negative descriptors
  timespec limit{};
  if (at_most) {
    const auto left = at_most->count() > 0 ? at_most->count() : 0;
    limit = {static_cast<time_t>(left / 1'000'000'000), static_cast<long>(left % 1'000'000'000)};
  }
  while (is_parked()) {
    if (::ppoll(ready, 2, at_most ? &limit : nullptr, nullptr) == 0 || ready[1].revents != 0) break;
    std::uint64_t wakes;  // may belong to an earlier sleep: then the loop repeats
    [[maybe_unused]] const auto drained = ::read(event_, &wakes, sizeof wakes);
  }
  work* mark = parked();
  head_.compare_exchange_strong(mark, nullptr, std::memory_order_seq_cst, std::memory_order_relaxed);
}

}  // namespace imbrex::detail
