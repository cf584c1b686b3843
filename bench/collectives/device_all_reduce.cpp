// SPDX-License-Identifier: Apache-2.0
// The sum over all PEs of an array of doubles on each PE's device, stored on each device again: by
// `all_reduce` of device_buffers, and through the host. Prints microseconds of one reduction, on the slowest
// PE.
//   build/release/bin/device_all_reduce --machine simulated --device-model summit --pes 6
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

#include <imbrex/gpu.hpp>

namespace {

class summand : public imbrex::chare<summand> {
 public:
  imbrex::task<double> on_devices(std::size_t size, int rounds) {
    imbrex::device_buffer<double> contribution(imbrex::gpu(), size);
    work_.fill(contribution.span(), std::byte(0));
    const auto begin = co_await begin_together();
    for (int round = 0; round < rounds; ++round) {
      const auto all = co_await all_reduce(std::move(contribution).ready_after(work_), imbrex::sum);
      work_.wait(all.ready());
      co_await work_.done();
      contribution = imbrex::device_buffer<double>(imbrex::gpu(), size);
    }
    co_return microseconds_since(begin) / rounds;
  }
  imbrex::task<double> through_host(std::size_t size, int rounds) {
    imbrex::device_buffer<double> contribution(imbrex::gpu(), size);
    imbrex::pinned_buffer<double> staged(imbrex::gpu(), size);
    work_.fill(contribution.span(), std::byte(0));
    const auto begin = co_await begin_together();
    for (int round = 0; round < rounds; ++round) {
      work_.copy(staged.span(), std::as_const(contribution).span());
      co_await work_.done();
      imbrex::spend_copy(size * sizeof(double));
      const std::vector<double> host_contribution(staged.span().begin(), staged.span().end());
      const std::vector<double> all = co_await all_reduce(host_contribution, imbrex::sum);
      imbrex::spend_copy(size * sizeof(double));
      std::ranges::copy(all, staged.span().begin());
      work_.copy(contribution.span(), std::as_const(staged).span());
      co_await work_.done();
    }
    co_return microseconds_since(begin) / rounds;
  }

 private:
  imbrex::task<imbrex::nanoseconds> begin_together() {
    co_await work_.done();
    co_await all_reduce(0, imbrex::sum);
    co_return imbrex::now();
  }
  static double microseconds_since(imbrex::nanoseconds begin) {
    return std::chrono::duration<double, std::micro>(imbrex::now() - begin).count();
  }

  imbrex::stream work_{imbrex::gpu(), imbrex::stream_priority::normal, "a summand"};
};

imbrex::task<> measure() {
  const auto summands = imbrex::make_array<summand>(imbrex::num_pes());
  std::printf("%10s %12s %12s   us\n", "bytes", "devices", "host");
  for (std::size_t bytes = 8; bytes <= std::size_t{16} << 20U; bytes *= 8) {
    const std::size_t size = bytes / sizeof(double);
    const double by_devices = co_await summands.reduce<&summand::on_devices>(imbrex::max, size, 3);
    const double by_host = co_await summands.reduce<&summand::through_host>(imbrex::max, size, 3);
    std::printf("%10zu %12.1f %12.1f\n", bytes, by_devices, by_host);
  }
}

}  // namespace

int main(int argc, char** argv) { return imbrex::run(argc, argv, measure); }
