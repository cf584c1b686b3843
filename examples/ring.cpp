// SPDX-License-Identifier: Apache-2.0
// A token goes around a ring of chares, several laps. Shows: an array, a mailbox, entries that suspend.
#include <chrono>
#include <cstdio>

#include <imbrex/imbrex.hpp>

#include "arguments.hpp"

class station : public imbrex::chare<station> {
 public:
  imbrex::mailbox<int> token;  // the number of stations that the token has visited

  // Every station runs this. A station that waits for the token costs nothing: its PE runs others.
  imbrex::task<int> run(int laps) {
    const int here = where()[0];
    const int stations = peers().shape()[0];
    const auto next = peers()[(here + 1) % stations];
    const bool first = here == 0;

    if (first) imbrex::send<&station::token>(next, 1);
    int visits = 0;
    for (int lap = 1; lap <= laps; ++lap) {
      visits = co_await token.receive();
      const bool done = first && lap == laps;
      if (!done) imbrex::send<&station::token>(next, visits + 1);
    }
    co_return visits;
  }
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "ring [STATIONS [LAPS]]");
    const int stations = command_line.next("STATIONS", 100, 1'000'000);
    const int laps = command_line.next("LAPS", 100, 1'000);
    command_line.finish();

    const auto ring = imbrex::make_array<station>(stations);
    const auto start = std::chrono::steady_clock::now();
    // Calls run of every station; when all have returned, the result is the largest returned value.
    const int visits = co_await ring.reduce<&station::run>(imbrex::max, laps);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;

    std::printf("%d stations, %d laps: the token came to a station %d times, %.0f ns each\n", stations, laps,
                visits, time.count() / visits);
    co_return visits == stations* laps ? 0 : 1;
  });
}
