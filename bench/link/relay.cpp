// SPDX-License-Identifier: Apache-2.0
// The link between two network namespaces: a TUN device in each, and this program, which delays each packet
// as a link of the given delay and rate would. Started by link.py.
//
// It writes "ready" when the devices exist. It ends when its standard input is closed, so that it never
// outlives its parent; then it writes its statistics as one line of JSON. Status 2 for a wrong command line,
// else 1 if the link cannot be created or breaks.
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "tun.hpp"
#include "wire.hpp"

namespace bench::link {
namespace {

using time = wire::time;

constexpr const char* usage =
    "usage: link_relay NAMESPACE NAMESPACE DEVICE DELAY RATE MTU QUEUE\n"
    "(files of two network namespaces, name of the device in both, ns, bit/s, bytes, packets)\n";

time read_clock(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return std::chrono::seconds(t.tv_sec) + time(t.tv_nsec);
}

time now() { return read_clock(CLOCK_MONOTONIC); }

time processor_time() { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

std::int64_t number(std::string_view text, std::int64_t least) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least) {
    throw std::invalid_argument("'" + std::string(text) + "' is not a whole number of at least " +
                                std::to_string(least));
  }
  return value;
}

/// One direction of the link: packets read from one device are written to the other when they are due.
class direction {
 public:
  direction(wire_properties properties, int from, int to) : wire_(properties), from_(from), to_(to) {}

  /// Reads one packet; false if there is none.
  bool take() {
    const std::span<std::byte> buffer = wire_.buffer();
    const ssize_t size = read(from_, buffer.data(), buffer.size());
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (size < 0) throw std::system_error(errno, std::generic_category(), "read from the device");
    wire_.accept(static_cast<std::size_t>(size), now());
    return true;
  }

  /// Delivers all due packets.
  void deliver() {
    while (const auto due = wire_.due()) {
      const time late = now() - *due;
      if (late < time(0)) return;
      const auto packet = wire_.front();
      // A device that is down refuses packets; they are lost, as on a real link.
      if (write(to_, packet.data(), packet.size()) < 0) ++refused_;
      ++packets_;
      bytes_ += packet.size();
      late_sum_ += late;
      late_most_ = std::max(late_most_, late);
      wire_.pop();
    }
  }

  std::optional<time> due() const { return wire_.due(); }

  void report(const char* name) const {
    const std::int64_t late_mean = packets_ == 0 ? 0 : late_sum_.count() / packets_;
    std::printf(R"("%s": {"packets": %lld, "bytes": %llu, "dropped": %llu, "refused": %llu, )", name,
                static_cast<long long>(packets_), static_cast<unsigned long long>(bytes_),
                static_cast<unsigned long long>(wire_.dropped()), static_cast<unsigned long long>(refused_));
    std::printf(R"("late_ns_mean": %lld, "late_ns_most": %lld})", static_cast<long long>(late_mean),
                static_cast<long long>(late_most_.count()));
  }

 private:
  wire wire_;
  int from_;
  int to_;
  std::int64_t packets_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t refused_ = 0;
  time late_sum_{};
  time late_most_{};
};

/// Standard input, the first and the second device, as arguments of `ppoll`.
using polled_files = std::array<pollfd, 3>;

/// Sleeps until one of the first `count` files is readable, or until `moment`, if given. False if standard
/// input has ended.
bool sleep_until(polled_files& files, nfds_t count, std::optional<time> moment) {
  timespec timeout{};
  if (moment) {
    const time left = std::max(*moment - now(), time(0));
    timeout.tv_sec = left / std::chrono::seconds(1);
    timeout.tv_nsec = (left % std::chrono::seconds(1)).count();
  }
  if (ppoll(files.data(), count, moment ? &timeout : nullptr, nullptr) < 0) {
    if (errno == EINTR) return true;
    throw std::system_error(errno, std::generic_category(), "wait for packets");
  }
  for (const pollfd& device : {files[1], files[2]}) {
    if ((device.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
      throw std::runtime_error("a device of the link was removed");
    }
  }
  return files[0].revents == 0;
}

/// Packet times must not depend on the load of the processors. This program sleeps most of the time, and must
/// run at once when a packet is due.
void run_at_once() {
  prctl(PR_SET_TIMERSLACK, 1UL);
  sched_param parameters{};
  parameters.sched_priority = 80;
  if (sched_setscheduler(0, SCHED_FIFO, &parameters) != 0) {
    std::fprintf(stderr, "link_relay: no real-time priority (%s): delays vary more on a busy machine\n",
                 std::strerror(errno));
  }
}

/// Carries packets in both directions until standard input ends.
void carry(direction& forth, direction& back, polled_files files) {
  using namespace std::chrono_literals;
  // The approximate time of a wake-up. Sleeps end this much earlier; the rest is spent polling.
  constexpr time wakeup = 40us;
  // The kernel stops a real-time thread for 50 ms once it has worked for 95 % of a second. So this thread
  // sleeps after a period with too much work.
  constexpr time period = 1ms;
  constexpr time most_work = 850us;
  constexpr time rest = 150us;
  time begin = now();
  time worked_before = processor_time();
  for (bool open = true; open;) {
    bool idle = true;
    for (direction* way : {&forth, &back}) {
      forth.deliver();
      back.deliver();
      if (way->take()) idle = false;
    }
    const time t = now();
    if (t - begin > period) {
      if (processor_time() - worked_before > most_work) open = sleep_until(files, 1, t + rest);
      begin = now();
      worked_before = processor_time();
      continue;
    }
    std::optional<time> until = forth.due();
    if (const auto due = back.due()) until = until ? std::min(*until, *due) : *due;
    if (until) *until -= wakeup;
    if (!idle || (until && *until < t)) continue;
    open = sleep_until(files, files.size(), until);
  }
}

void relay(int argc, char** argv) {
  if (argc != 8) throw std::invalid_argument("seven arguments are needed");
  wire_properties properties;
  properties.delay = time(number(argv[4], 0));
  properties.bits_per_second = static_cast<double>(number(argv[5], 1));
  properties.largest_packet = static_cast<std::size_t>(number(argv[6], 1));
  properties.queue = static_cast<std::size_t>(number(argv[7], 1));
  const descriptor first = open_tun(argv[1], argv[3], properties.bits_per_second);
  const descriptor second = open_tun(argv[2], argv[3], properties.bits_per_second);
  direction forth(properties, first.number(), second.number());
  direction back(properties, second.number(), first.number());
  run_at_once();
  std::puts("ready");
  std::fflush(stdout);

  carry(forth, back,
        {{{STDIN_FILENO, POLLIN, 0}, {first.number(), POLLIN, 0}, {second.number(), POLLIN, 0}}});

  std::printf("{");
  forth.report("forth");
  std::printf(", ");
  back.report("back");
  std::printf(R"(, "processor_seconds": %.6f})", std::chrono::duration<double>(processor_time()).count());
  std::puts("");
}

}  // namespace
}  // namespace bench::link

int main(int argc, char** argv) {
  try {
    bench::link::relay(argc, argv);
    return 0;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "link_relay: %s\n%s", error.what(), bench::link::usage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "link_relay: %s\n", error.what());
    return 1;
  }
}
