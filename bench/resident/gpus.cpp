// SPDX-License-Identifier: Apache-2.0
// Costs of messages, signals and puts between the GPUs of two processes, one per line. Each is the difference
// of a short and a long run.
//   imbrex run -n 2 resident_gpus_bench --device emulated --pes 1
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <imbrex/resident.hpp>

#include "cells.hpp"

namespace {

namespace resident = imbrex::resident;
using bench::pinger;

/// Chare of which each process has one.
class owner : public imbrex::chare<owner> {
 public:
  imbrex::task<int> measure(imbrex::process_group<resident::heap_exchange> place) {
    const auto heap =
        co_await resident::symmetric_heap::of_processes(place, imbrex::gpu(), std::size_t{1} << 24U);
    resident::settings s;
    s.pes = heap.gpus();
    s.parcel_bytes = 1U << 14U;
    resident::program<pinger> p(heap, s, {2});
    co_await print(p, "8 B", [&p](std::uint32_t n) { p.start<&pinger::ping>(0, std::uint64_t{n}); });
    co_await print(p, "by a trigger of one signal",
                   [&p](std::uint32_t n) { p.start<&pinger::ping_trigger>(0, std::uint64_t{n}); });
    for (const std::uint32_t bytes : {1'024U, 8'192U}) {
      const std::uint32_t words = bytes / 8;
      co_await print(p, std::to_string(bytes) + " B as a payload",
                     [&p, words](std::uint32_t n) { p.start<&pinger::start_payload>(0, n, words); });
      const auto memory = heap.make<std::uint64_t>(std::size_t{6} * words);
      co_await print(p, std::to_string(bytes) + " B by a channel", [&](std::uint32_t n) {
        std::vector<pinger> both(2);
        for (std::uint32_t e = 0; e < 2; ++e) {
          both[e].of_other.buffers = memory.what().part(std::size_t{2} * (1 - e) * words, 2 * words);
          both[e].to_put = memory.what().part(std::size_t{4 + e} * words, words);
          both[e].last = n;
        }
        p.write(both);
        p.start<&pinger::ping_put>(0, std::uint32_t{0});
      });
    }
    co_return 0;
  }

 private:
  imbrex::task<> print(resident::program<pinger>& p, std::string what,
                       std::function<void(std::uint32_t)> start) {
    constexpr std::uint32_t few = 100, many = 2'100;
    double took[2] = {};
    for (int n = 0; n < 2; ++n) {
      const double begin = imbrex::seconds();
      start(n == 0 ? few : many);
      co_await p.stream().done();
      p.end();
      took[n] = imbrex::seconds() - begin;
    }
    if (where()[0] != 0) co_return;
    std::printf("between GPUs of two processes, one way, %-28s %10.4g us\n", what.c_str(),
                (took[1] - took[0]) * 1e6 / (many - few));
    std::fflush(stdout);
  }
};

imbrex::task<int> measure() {
  const auto place = imbrex::make_process_group<resident::heap_exchange>();
  const auto owners = imbrex::make_process_group<owner>();
  co_return co_await owners.reduce<&owner::measure>(imbrex::sum, place);
}

}  // namespace

int main(int argc, char** argv) { return imbrex::run(argc, argv, measure); }
