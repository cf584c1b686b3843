// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/calibrate/measure_messages.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include <imbrex/base/standard/duration.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/mailbox.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/core/run/spend.hpp>

namespace imbrex::calibrate {
namespace {

using bytes = std::vector<std::byte>;

constexpr int balls = 400;     // messages there and back of a round
constexpr int volley = 1'000;  // messages in a row
constexpr std::size_t small = 8;
constexpr std::size_t large = std::size_t{1} << 20U;
constexpr std::size_t very_large = std::size_t{4} << 20U;

double nanoseconds_since(nanoseconds moment) { return static_cast<double>((now() - moment).count()); }

/// Works for this time, real or simulated.
void work_for(nanoseconds time) {
  const nanoseconds begin = now();
  spend(time);
  while (now() - begin < time) {
  }
}

/// One of the two PEs between which messages are measured: a group, of which the others do nothing.
class player : public chare<player> {
 public:
  mailbox<double> results;

  // On PE 0.

  /// The time of a message of that size from one PE to the other, with all costs: ns.
  task<double> one_way(int other, std::size_t size, int count) {
    for (const int all : {count / 4 + 1, count}) {  // the first ones warm up
      began_ = now();
      send<&player::ball>(peers()[other], bytes(size), pe(), 2 * all - 1);
      const double time = co_await results.receive();
      last_ = time / (2.0 * all);
    }
    co_return last_;
  }
  /// The time of a PE to send a message, and to receive one.
  task<std::pair<double, double>> costs(int other) {
    send<&player::work>(peers()[other], std::chrono::milliseconds(20));
    const nanoseconds begin = now();
    for (int i = 0; i < volley; ++i) send<&player::take>(peers()[other], pe(), i);
    const double sending = nanoseconds_since(begin) / volley;
    const double receiving = co_await results.receive();
    co_return std::pair(sending, receiving);
  }

  // On both.

  void ball(bytes data, int first, int left) {
    if (left > 0)
      return send<&player::ball>(peers()[pe() == first ? other_ : first], std::move(data), first, left - 1);
    send<&player::results>(self(), nanoseconds_since(began_));
  }
  void meet(int other) { other_ = other; }

  // On the other one.

  void work(nanoseconds time) { work_for(time); }
  void take(int from, int number) {
    if (number == 0) began_ = now();
    if (number == volley - 1) send<&player::results>(peers()[from], nanoseconds_since(began_) / (volley - 1));
  }

 private:
  nanoseconds began_{0};
  double last_ = 0;
  int other_ = 0;
};

int other_pe() {
  // The PEs of process 0 come first.
  return num_processes() > 1 ? num_pes() - 1 : 1;
}

}  // namespace

task<> measure_messages(int rounds, measurement& into) {
  const auto players = make_group<player>();
  const int other = other_pe();
  co_await players.call<&player::meet>(other);
  std::vector<double> send_times, receive_times, latencies, rates;
  for (int round = 0; round < rounds; ++round) {
    const auto [sending, receiving] = co_await players[0].call<&player::costs>(other);
    const double short_way = co_await players[0].call<&player::one_way>(other, small, balls);
    const double long_way = co_await players[0].call<&player::one_way>(other, large, 8);
    const double longer_way = co_await players[0].call<&player::one_way>(other, very_large, 8);
    send_times.push_back(sending);
    receive_times.push_back(receiving);
    latencies.push_back(std::max(1.0, short_way - sending - receiving));
    rates.push_back(static_cast<double>(very_large - large) * 1e9 / std::max(1.0, longer_way - long_way));
  }
  into.numbers["message.send"] = summary_of(std::move(send_times));
  into.numbers["message.receive"] = summary_of(std::move(receive_times));
  into.numbers["message.latency"] = summary_of(std::move(latencies));
  into.numbers["message.bandwidth"] = summary_of(std::move(rates));
}

void measure_host_copy(int rounds, measurement& into) {
  constexpr std::size_t size = std::size_t{64} << 20U;  // beyond the caches
  const bytes from(size, std::byte(1));
  bytes to(size);
  std::vector<double> rates;
  for (int round = 0; round < rounds; ++round) {
    const nanoseconds begin = now();
    std::memcpy(to.data(), from.data(), size);
    spend_copy(size);
    if (to[static_cast<std::size_t>(round)] == std::byte(1))
      rates.push_back(static_cast<double>(size) * 1e9 / std::max(1.0, nanoseconds_since(begin)));
  }
  into.numbers["host.copy_bandwidth"] = summary_of(std::move(rates));
}

}  // namespace imbrex::calibrate
