// SPDX-License-Identifier: Apache-2.0
// Kokkos in entries: each chare computes by a loop of Kokkos, and sends its view to the next.
//   build/release/bin/kokkos --pes 2
#include <cstdio>

#include <Kokkos_Core.hpp>
#include <imbrex/imbrex.hpp>
#include <imbrex/kokkos.hpp>
#include <imbrex/serial/kokkos.hpp>

namespace {

using space = Kokkos::DefaultExecutionSpace;
using numbers = Kokkos::View<double*, Kokkos::HostSpace>;

class part : public imbrex::chare<part> {
 public:
  imbrex::mailbox<numbers> before;

  imbrex::task<double> run(int size) {
    numbers own("own", static_cast<std::size_t>(size));
    const space work;
    const double index = where()[0];
    Kokkos::parallel_for(
        Kokkos::RangePolicy<space>(work, 0, size), KOKKOS_LAMBDA(int i) { own(i) = index + i; });
    co_await imbrex::done(work);  // on a GPU the PE runs other chares until the loop has ended
    if (where()[0] + 1 < peers().shape()[0]) imbrex::send<&part::before>(peers()[where()[0] + 1], own);
    double sum = own(0);
    if (where()[0] > 0) {
      const numbers others = co_await before.receive();
      sum += others(0);
    }
    co_return sum;
  }
};

}  // namespace

int main(int argc, char** argv) {
  Kokkos::initialize(argc, argv);
  const int status = imbrex::run(argc, argv, []() -> imbrex::task<int> {
    const auto parts = imbrex::make_array<part>(10);
    const double sum = co_await parts.reduce<&part::run>(imbrex::sum, 100);
    std::printf("the views' first elements have the sum %.0f\n", sum);
    co_return sum == 81 ? 0 : 1;
  });
  Kokkos::finalize();
  return status;
}
