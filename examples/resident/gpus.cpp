// SPDX-License-Identifier: Apache-2.0
// Chares inside the GPUs of several processes write numbers into each other's memory.
//   build/release/bin/imbrex run -n 2 build/release/bin/resident_gpus --device emulated --pes 1
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <imbrex/resident.hpp>

#include "relay.hpp"

namespace {

namespace resident = imbrex::resident;

/// A group member in each process.
class owner : public imbrex::chare<owner> {
 public:
  imbrex::task<std::uint64_t> run_round(imbrex::process_group<resident::heap_exchange> place,
                                        std::uint32_t hops) {
    const auto heap =
        co_await resident::symmetric_heap::of_processes(place, imbrex::gpu(), std::size_t{1} << 20U);
    const auto numbers = heap.make<std::uint64_t>(1000);
    const std::vector<std::uint64_t> zeros(numbers.size());
    numbers.write(heap.first_gpu(), zeros);
    const int gpus = static_cast<int>(heap.gpus());
    resident::program<relay> relays(heap, {.pes = heap.gpus()}, {gpus});
    relays.write(std::vector<relay>(heap.gpus(), {.numbers = numbers.what(), .arrived = {}}));
    relays.start<&relay::pass>(0, hops);  // called in all processes; the message is for GPU 0
    co_await relays.stream().done();
    const resident::outcome how = relays.end();
    co_return *how.value;
  }
};

imbrex::task<int> pass_round() {
  const auto place = imbrex::make_process_group<resident::heap_exchange>();
  const auto owners = imbrex::make_process_group<owner>();
  const std::uint64_t sum = co_await owners.reduce<&owner::run_round>(imbrex::sum, place, 1'000U);
  std::printf("%d GPUs: each process received %llu\n", owners.size(), 0ULL + sum / owners.size());
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) { return imbrex::run(argc, argv, pass_round); }
