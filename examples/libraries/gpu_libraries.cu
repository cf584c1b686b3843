// SPDX-License-Identifier: Apache-2.0
#include "gpu_libraries.hpp"

#include <cublas_v2.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <stdexcept>
#include <string>

namespace {

/// A handle of cuBLAS for each thread, so for each PE; it is made once, since that takes long.
cublasHandle_t handle_of_thread() {
  thread_local cublasHandle_t handle = [] {
    cublasHandle_t created = nullptr;
    if (const cublasStatus_t status = cublasCreate(&created); status != CUBLAS_STATUS_SUCCESS)
      throw std::runtime_error(std::string("cublasCreate: ") + cublasGetStatusString(status));
    return created;
  }();
  return handle;
}

}  // namespace

void sort_by_thrust(imbrex::native_stream on, imbrex::device_span<double> numbers) {
  const auto where = thrust::cuda::par_nosync.on(static_cast<cudaStream_t>(on.handle));
  thrust::sort(where, numbers.data(), numbers.data() + numbers.size());
}

void multiply_by_cublas(imbrex::native_stream on, imbrex::device_span<const double> a,
                        imbrex::device_span<const double> b, imbrex::device_span<double> c, int size) {
  const double one = 1, zero = 0;
  cublasHandle_t handle = handle_of_thread();
  cublasSetStream(handle, static_cast<cudaStream_t>(on.handle));
  const cublasStatus_t status = cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one,
                                            a.data(), size, b.data(), size, &zero, c.data(), size);
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cublasDgemm: ") + cublasGetStatusString(status));
}
