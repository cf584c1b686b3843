// SPDX-License-Identifier: Apache-2.0
// Thrust and cuBLAS in entries: as kernels, whose functions for GPUs call the library. On an emulated device
// plain C++ does the same.
//   build/release/bin/gpu_libraries --pes 2 --device emulated
#include <algorithm>
#include <cstddef>
#include <cstdio>

#include <imbrex/gpu.hpp>

#include "gpu_libraries.hpp"

namespace {

using imbrex::device_span;

void sort_on_host(device_span<double> numbers) { std::sort(numbers.data(), numbers.data() + numbers.size()); }

void multiply_on_host(device_span<const double> a, device_span<const double> b, device_span<double> c,
                      int size) {
  const auto n = static_cast<std::size_t>(size);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a.data()[i + k * n] * b.data()[k + j * n];
      c.data()[i + j * n] = sum;
    }
}

#if !IMBREX_HAS_CUDA
constexpr void (*sort_by_thrust)(imbrex::native_stream, device_span<double>) = nullptr;
constexpr void (*multiply_by_cublas)(imbrex::native_stream, device_span<const double>,
                                     device_span<const double>, device_span<double>, int) = nullptr;
#endif

constexpr imbrex::kernel<device_span<double>> sort{
    .name = "sort", .native = sort_by_thrust, .host = sort_on_host};
constexpr imbrex::kernel<device_span<const double>, device_span<const double>, device_span<double>, int>
    multiply{.name = "multiply", .native = multiply_by_cublas, .host = multiply_on_host};

class piece : public imbrex::chare<piece> {
 public:
  /// Sorts descending numbers, and squares the matrix that has them. Returns the first element of the result.
  imbrex::task<double> run() {
    for (std::size_t i = 0; i < elements; ++i) on_host_.span()[i] = static_cast<double>(elements - i);
    work_.copy(numbers_.span(), on_host_.span());
    work_.launch(sort, numbers_.span());
    work_.launch(multiply, numbers_.span(), numbers_.span(), product_.span(), size);
    work_.copy(on_host_.span(), product_.span());
    co_await work_.done();  // the PE runs other chares until the device is done
    co_return on_host_.span()[0];
  }

 private:
  static constexpr int size = 16;
  static constexpr std::size_t elements = std::size_t{size} * size;
  imbrex::stream work_{imbrex::gpu(), imbrex::stream_priority::normal, "a piece"};
  imbrex::device_buffer<double> numbers_{imbrex::gpu(), elements};
  imbrex::device_buffer<double> product_{imbrex::gpu(), elements};
  imbrex::pinned_buffer<double> on_host_{imbrex::gpu(), elements};
};

}  // namespace

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, []() -> imbrex::task<int> {
    const auto pieces = imbrex::make_array<piece>(10);
    const double least = co_await pieces.reduce<&piece::run>(imbrex::min);
    const double most = co_await pieces.reduce<&piece::run>(imbrex::max);
    // The first row of the sorted matrix is 1, 17, 33, ... and its first column 1, 2, 3, ...
    double expected = 0;
    for (int k = 0; k < 16; ++k) expected += (1 + 16 * k) * (1 + k);
    const bool is_right = least == expected && most == expected;
    std::printf("10 products of sorted matrices: %s\n", is_right ? "right" : "wrong");
    co_return is_right ? 0 : 1;
  });
}
