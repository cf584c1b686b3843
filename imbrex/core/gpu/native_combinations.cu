// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/native_combinations.hpp>

#if IMBREX_GPU_HIP
#include <hip/hip_runtime.h>
using gpu_stream = hipStream_t;
#else
using gpu_stream = cudaStream_t;
#endif

namespace imbrex::detail {
namespace {

struct add {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct multiply {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a * b;
  }
};
// As on the host: for equal and for unordered values the first is the result.
struct lesser {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct greater {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

template <class T, class Operation>
__global__ void combine(T* to, const combined_arrays<T> from, std::size_t size) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < size;
       i += stride) {
    T all = to[i];
#pragma unroll
    for (int a = 0; a < combined_arrays<T>::most; ++a)
      if (a < from.count) all = Operation()(all, from.of[a][i]);
    to[i] = all;
  }
}

template <class Operation, class T>
void launch(native_stream on, device_span<T> to, combined_arrays<T> from) {
  constexpr std::size_t threads = 256, most_blocks = 4096;
  const std::size_t blocks = (to.size() + threads - 1) / threads;
  combine<T, Operation>
      <<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), static_cast<unsigned>(threads),
         0, static_cast<gpu_stream>(on.handle)>>>(to.data(), from, to.size());
}

}  // namespace

template <class T>
void native_combinations<T>::sum(native_stream on, device_span<T> to, combined_arrays<T> from) {
  launch<add>(on, to, from);
}
template <class T>
void native_combinations<T>::product(native_stream on, device_span<T> to, combined_arrays<T> from) {
  launch<multiply>(on, to, from);
}
template <class T>
void native_combinations<T>::min(native_stream on, device_span<T> to, combined_arrays<T> from) {
  launch<lesser>(on, to, from);
}
template <class T>
void native_combinations<T>::max(native_stream on, device_span<T> to, combined_arrays<T> from) {
  launch<greater>(on, to, from);
}

template struct native_combinations<int>;
template struct native_combinations<unsigned>;
template struct native_combinations<long>;
template struct native_combinations<unsigned long>;
template struct native_combinations<long long>;
template struct native_combinations<unsigned long long>;
template struct native_combinations<float>;
template struct native_combinations<double>;

}  // namespace imbrex::detail
