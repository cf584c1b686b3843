// SPDX-License-Identifier: Apache-2.0
// Each chare squares its numbers on a device; while the device works, the PE runs other chares.
//   build/release/bin/squares --pes 2 --device emulated
#include <cstdint>
#include <cstdio>

#include <imbrex/gpu.hpp>

namespace {

using imbrex::device_span;

// The host function is for the emulated device. For a GPU `.native` names a function of a .cu file that
// launches an equivalent CUDA kernel.
constexpr imbrex::kernel<device_span<std::int64_t>> square{.name = "square",
                                                           .host = [](device_span<std::int64_t> numbers) {
                                                             for (std::size_t i = 0; i < numbers.size(); ++i)
                                                               numbers.data()[i] *= numbers.data()[i];
                                                           }};

class piece : public imbrex::chare<piece> {
 public:
  imbrex::task<std::int64_t> sum_of_squares() {
    for (std::size_t i = 0; i < size; ++i)
      on_host_[i] = where()[0] * std::int64_t{size} + static_cast<std::int64_t>(i);
    work_.copy(on_device_.span(), on_host_.span());
    work_.launch(square, on_device_.span());
    work_.copy(on_host_.span(), on_device_.span());
    co_await work_.done();
    std::int64_t sum = 0;
    for (const std::int64_t n : on_host_.span()) sum += n;
    co_return sum;
  }

 private:
  static constexpr std::int64_t size = 1000;
  imbrex::stream work_{imbrex::gpu(), imbrex::stream_priority::normal, "a piece"};
  imbrex::device_buffer<std::int64_t> on_device_{imbrex::gpu(), size};
  imbrex::pinned_buffer<std::int64_t> on_host_{imbrex::gpu(), size};
};

imbrex::task<int> program() {
  const auto pieces = imbrex::make_array<piece>(50);
  const std::int64_t sum = co_await pieces.reduce<&piece::sum_of_squares>(imbrex::sum);
  const std::int64_t last = 49'999;
  const bool right = sum == last * (last + 1) * (2 * last + 1) / 6;
  std::printf("the squares up to %lld have the sum %lld%s\n", static_cast<long long>(last),
              static_cast<long long>(sum), right ? "" : ", which is wrong");
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return imbrex::run(argc, argv, program); }
