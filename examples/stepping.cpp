// SPDX-License-Identifier: Apache-2.0
// A test that steps the deterministic machine and inspects the messages in flight.
#include <cstdio>

#include <imbrex/deterministic.hpp>
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  imbrex::mailbox<double> halo;

  imbrex::task<double> run() {
    const double early = co_await halo.receive(3);
    const double late = co_await halo.receive(4);
    co_return early - late;
  }
};

int main() {
  imbrex::array<cell> cells;
  double difference = 0;
  imbrex::deterministic machine({.pes = 2, .seed = 7}, [&]() -> imbrex::task<> {
    cells = imbrex::make_array<cell>(4);
    imbrex::send<&cell::halo>(cells[3], 3, 1.5);
    co_await imbrex::quiescence();
    auto result = cells[3].call<&cell::run>();
    imbrex::send<&cell::halo>(cells[3], 4, 0.5);
    difference = co_await result;
  });

  machine.step();  // the main task, as far as quiescence
  machine.expect_next<&cell::halo>(cells[3], 3);
  const int status = machine.run();
  std::printf("status %d, difference %.1f\n", status, difference);
  return status == 0 && difference == 1.0 ? 0 : 1;
}
