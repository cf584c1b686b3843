// SPDX-License-Identifier: Apache-2.0
// Entries that wait for spaces of Kokkos, whose streams are those of an emulated device here.
#include <cstdint>
#include <cstdio>

#include <imbrex/gpu.hpp>
#include <imbrex/kokkos.hpp>

namespace {

using imbrex::device_span;

constexpr imbrex::kernel<device_span<std::int64_t>, std::int64_t> fill{
    .name = "fill",
    .host =
        [](device_span<std::int64_t> numbers, std::int64_t value) {
          for (std::size_t i = 0; i < numbers.size(); ++i) numbers.data()[i] = value;
        },
    .work = [](device_span<std::int64_t>,
               std::int64_t) { return imbrex::work_size{.time = std::chrono::milliseconds(2)}; }};

class part : public imbrex::chare<part> {
 public:
  /// The number of errors: the work must be done after the wait, and other entries must have run meanwhile.
  imbrex::task<int> run() {
    const std::int64_t index = where()[0];
    int errors = 0;
    for (std::int64_t round = 1; round <= 3; ++round) {
      library_.launch(fill, on_device_.span(), 10 * index + round);
      library_.copy(on_host_.span(), on_device_.span());
      if (round % 2 == 0)
        co_await imbrex::done(Kokkos::HIP(library_.native().handle));
      else
        co_await imbrex::done(Kokkos::Cuda(library_.native().handle));
      for (const std::int64_t number : on_host_.span()) errors += number == 10 * index + round ? 0 : 1;
      errors += library_.idle() ? 0 : 1;
    }
    int fences = 0;
    co_await imbrex::done(Kokkos::Serial(fences));
    co_return errors + (fences == 1 ? 0 : 1);
  }

 private:
  imbrex::stream library_{imbrex::gpu(), imbrex::stream_priority::normal, "a library"};
  imbrex::device_buffer<std::int64_t> on_device_{imbrex::gpu(), 100};
  imbrex::pinned_buffer<std::int64_t> on_host_{imbrex::gpu(), 100};
};

}  // namespace

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, []() -> imbrex::task<int> {
    const auto parts = imbrex::make_array<part>(6);
    const int errors = co_await parts.reduce<&part::run>(imbrex::sum);
    std::printf("%d errors\n", errors);
    co_return errors == 0 ? 0 : 1;
  });
}
