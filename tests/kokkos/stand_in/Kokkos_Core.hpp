// SPDX-License-Identifier: Apache-2.0
#pragma once
// Execution spaces as Kokkos has them where it is built for GPUs, which it is not everywhere. Only what
// <imbrex/kokkos.hpp> uses is here.

#include <type_traits>

namespace Kokkos {

template <class T>
struct is_execution_space : std::false_type {};

/// Has the stream of whoever makes it, as an instance of Kokkos' space of CUDA may have.
class Cuda {
 public:
  explicit Cuda(void* stream) : stream_(stream) {}
  void* cuda_stream() const { return stream_; }

 private:
  void* stream_;
};
template <>
struct is_execution_space<Cuda> : std::true_type {};

class HIP {
 public:
  explicit HIP(void* stream) : stream_(stream) {}
  void* hip_stream() const { return stream_; }

 private:
  void* stream_;
};
template <>
struct is_execution_space<HIP> : std::true_type {};

class Serial {
 public:
  explicit Serial(int& fences) : fences_(&fences) {}
  void fence() const { ++*fences_; }

 private:
  int* fences_;
};
template <>
struct is_execution_space<Serial> : std::true_type {};

}  // namespace Kokkos
