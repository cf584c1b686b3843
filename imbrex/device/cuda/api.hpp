// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The driver's interface, by CUDA's names. With IMBREX_GPU_HIP the same names mean HIP's functions, which
/// differ in their prefix only. So AMD's GPUs need no second copy of the backend. This header contains all of
/// the difference, and so is the only one with macros. Functions below cover differences in meaning.

#if IMBREX_GPU_HIP

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>

#define cudaDevAttrAsyncEngineCount hipDeviceAttributeAsyncEngineCount
#define cudaDevAttrConcurrentKernels hipDeviceAttributeConcurrentKernels
#define cudaDeviceGetAttribute hipDeviceGetAttribute
#define cudaDeviceGetPCIBusId hipDeviceGetPCIBusId
#define cudaDeviceGetStreamPriorityRange hipDeviceGetStreamPriorityRange
#define cudaDeviceProp hipDeviceProp_t
#define cudaDeviceSynchronize hipDeviceSynchronize
#define cudaErrorInsufficientDriver hipErrorInsufficientDriver
#define cudaErrorMemoryAllocation hipErrorOutOfMemory
#define cudaErrorNoDevice hipErrorNoDevice
#define cudaErrorNotReady hipErrorNotReady
#define cudaError_t hipError_t
#define cudaEventCreate hipEventCreate
#define cudaEventCreateWithFlags hipEventCreateWithFlags
#define cudaEventDestroy hipEventDestroy
#define cudaEventDisableTiming hipEventDisableTiming
#define cudaEventElapsedTime hipEventElapsedTime
#define cudaEventQuery hipEventQuery
#define cudaEventRecord hipEventRecord
#define cudaEventSynchronize hipEventSynchronize
#define cudaEvent_t hipEvent_t
#define cudaFree hipFree
#define cudaFreeHost hipHostFree
#define cudaGetDeviceCount hipGetDeviceCount
#define cudaGetDeviceProperties hipGetDeviceProperties
#define cudaGetErrorName hipGetErrorName
#define cudaGetErrorString hipGetErrorString
#define cudaGetLastError hipGetLastError
#define cudaGraphDestroy hipGraphDestroy
#define cudaGraphExecDestroy hipGraphExecDestroy
#define cudaGraphExec_t hipGraphExec_t
#define cudaGraphLaunch hipGraphLaunch
#define cudaGraph_t hipGraph_t
#define cudaHostAlloc hipHostMalloc
#define cudaHostAllocPortable hipHostMallocPortable
#define cudaHostAllocMapped hipHostMallocMapped
#define cudaIpcCloseMemHandle hipIpcCloseMemHandle
#define cudaIpcGetMemHandle hipIpcGetMemHandle
#define cudaIpcMemHandle_t hipIpcMemHandle_t
#define cudaIpcMemLazyEnablePeerAccess hipIpcMemLazyEnablePeerAccess
#define cudaIpcOpenMemHandle hipIpcOpenMemHandle
#define cudaLaunchHostFunc hipLaunchHostFunc
#define cudaMalloc hipMalloc
#define cudaMemGetInfo hipMemGetInfo
#define cudaMemcpyAsync hipMemcpyAsync
#define cudaMemcpyDeviceToDevice hipMemcpyDeviceToDevice
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemcpyPeerAsync hipMemcpyPeerAsync
#define cudaMemoryTypeDevice hipMemoryTypeDevice
#define cudaMemsetAsync hipMemsetAsync
#define cudaPeekAtLastError hipPeekAtLastError
#define cudaPointerGetAttributes hipPointerGetAttributes
#define cudaSetDevice hipSetDevice
#define cudaStreamBeginCapture hipStreamBeginCapture
#define cudaStreamCaptureModeRelaxed hipStreamCaptureModeRelaxed
#define cudaStreamCaptureStatus hipStreamCaptureStatus
#define cudaStreamCaptureStatusNone hipStreamCaptureStatusNone
#define cudaStreamCreateWithFlags hipStreamCreateWithFlags
#define cudaStreamCreateWithPriority hipStreamCreateWithPriority
#define cudaStreamDestroy hipStreamDestroy
#define cudaStreamEndCapture hipStreamEndCapture
#define cudaStreamIsCapturing hipStreamIsCapturing
#define cudaStreamNonBlocking hipStreamNonBlocking
#define cudaStreamQuery hipStreamQuery
#define cudaStreamSynchronize hipStreamSynchronize
#define cudaStreamWaitEvent hipStreamWaitEvent
#define cudaStream_t hipStream_t
#define cudaSuccess hipSuccess

namespace imbrex::gpu {

inline constexpr const char* backend = "hip";
inline constexpr const char* hiding_variable = "HIP_VISIBLE_DEVICES";
inline constexpr const char* blocking_variable = "HIP_LAUNCH_BLOCKING";

/// True for errors of kernels launched before, maybe in another stream; whichever call comes next returns
/// them.
inline bool is_of_a_kernel(cudaError_t result) {
  return result == hipErrorIllegalAddress || result == hipErrorLaunchFailure ||
         result == hipErrorLaunchTimeOut || result == hipErrorAssert;
}

using pointer_attributes = hipPointerAttribute_t;

/// The allocation that contains an address of a device.
inline cudaError_t find_range(const void* address, const std::byte*& first, std::size_t& bytes) {
  hipDeviceptr_t base{};
  const cudaError_t result = hipMemGetAddressRange(&base, &bytes, const_cast<void*>(address));
  first = static_cast<const std::byte*>(base);
  return result;
}

inline cudaError_t instantiate(cudaGraphExec_t* graph, cudaGraph_t from) {
  return hipGraphInstantiateWithFlags(graph, from, 0);
}

/// Writes of 32-bit values in a stream and waits for them. HIP's wait compares without wrapping around.
inline bool has_stream_values(int device) {
  int can = 0;
  return hipDeviceGetAttribute(&can, hipDeviceAttributeCanUseStreamWaitValue, device) == hipSuccess &&
         can != 0;
}
inline cudaError_t write_value(cudaStream_t in, void* word, std::uint32_t value) {
  return hipStreamWriteValue32(in, word, value, 0);
}
inline cudaError_t wait_value(cudaStream_t in, void* word, std::uint32_t at_least) {
  return hipStreamWaitValue32(in, word, at_least, hipStreamWaitValueGte, 0xffffffffU);
}

}  // namespace imbrex::gpu

#else

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace imbrex::gpu {

inline constexpr const char* backend = "cuda";
inline constexpr const char* hiding_variable = "CUDA_VISIBLE_DEVICES";
inline constexpr const char* blocking_variable = "CUDA_LAUNCH_BLOCKING";

/// True for errors of kernels launched before, maybe in another stream; whichever call comes next returns
/// them.
inline bool is_of_a_kernel(cudaError_t result) {
  switch (result) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure: return true;
    default: return false;
  }
}

inline cudaError_t instantiate(cudaGraphExec_t* graph, cudaGraph_t from) {
  return cudaGraphInstantiate(graph, from, 0);
}

/// Functions that exist only in the driver's interface. They are looked up at run time, so that programs
/// start where there is no driver.
using value_function = CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned int);
using range_function = CUresult (*)(CUdeviceptr*, std::size_t*, CUdeviceptr);

template <class Function>
Function find_driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult state{};
#if CUDART_VERSION >= 12050
  const cudaError_t result = cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &state);
#else
  const cudaError_t result = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &state);
#endif
  return result == cudaSuccess && state == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(found)
                                                                       : nullptr;
}

inline value_function write_function() {
  static const auto found = find_driver_function<value_function>("cuStreamWriteValue32");
  return found;
}
inline value_function wait_function() {
  static const auto found = find_driver_function<value_function>("cuStreamWaitValue32");
  return found;
}

using pointer_attributes = cudaPointerAttributes;

/// The allocation that contains an address of a device. The driver's errors have the runtime's numbers.
inline cudaError_t find_range(const void* address, const std::byte*& first, std::size_t& bytes) {
  static const auto find = find_driver_function<range_function>("cuMemGetAddressRange");
  if (find == nullptr) return cudaErrorNotSupported;
  CUdeviceptr base = 0;
  const CUresult result = find(&base, &bytes, reinterpret_cast<CUdeviceptr>(address));
  first = reinterpret_cast<const std::byte*>(base);
  return static_cast<cudaError_t>(result);
}

inline bool has_stream_values(int) { return write_function() != nullptr && wait_function() != nullptr; }

inline cudaError_t write_value(cudaStream_t in, void* word, std::uint32_t value) {
  return static_cast<cudaError_t>(
      write_function()(in, reinterpret_cast<CUdeviceptr>(word), value, CU_STREAM_WRITE_VALUE_DEFAULT));
}
inline cudaError_t wait_value(cudaStream_t in, void* word, std::uint32_t at_least) {
  return static_cast<cudaError_t>(
      wait_function()(in, reinterpret_cast<CUdeviceptr>(word), at_least, CU_STREAM_WAIT_VALUE_GEQ));
}

}  // namespace imbrex::gpu

#endif

namespace imbrex::gpu {

/// Clears the status "not ready", so that the next launch does not report it; other errors stay.
inline void forget_not_ready() {
  if (cudaPeekAtLastError() == cudaErrorNotReady) static_cast<void>(cudaGetLastError());
}

}  // namespace imbrex::gpu
