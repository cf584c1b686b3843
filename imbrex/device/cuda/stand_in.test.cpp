// SPDX-License-Identifier: Apache-2.0
// The part of CUDA's runtime that Imbrex uses, without a GPU: a thread for each stream, and host memory. It
// is as strict as CUDA may be. An error stays until it is read, also "not ready". Calls that a capture
// forbids end it. Freeing memory waits for all streams. Addresses must be in the memory that a call expects.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <imbrex/device/cuda/stand_in.test.hpp>
#include <imbrex/device/device_span.hpp>
#include <imbrex/device/emulated/memory_file.hpp>
#include <imbrex/device/native_kernels.test.hpp>

namespace {

using time_point = std::chrono::steady_clock::time_point;

/// The number of devices: one for each process, if a test of several processes sets it.
int device_count() {
  static const char* const setting = std::getenv("IMBREX_TEST_STAND_IN_DEVICES");
  return setting == nullptr ? 2 : std::atoi(setting);
}
constexpr std::size_t memory_of_device = std::size_t{256} << 20U;

/// For each stream of a capture, the number of its operations that come before a point.
using history = std::map<const CUstream_st*, std::size_t>;

/// Operations of several streams, in the order of submission, which is a valid order of execution.
struct capture {
  CUstream_st* origin = nullptr;
  bool is_over = false;
  std::vector<std::function<void()>> operations{};
  history submitted{};
};

/// The point that an event has marked since its last record.
struct moment {
  bool reached = true;
  time_point at{};
  std::shared_ptr<capture> in{};  ///< set if it was captured
  history after{};
};

struct allocation {
  std::size_t bytes;
  int device;  ///< -1: host memory
};

std::mutex lock;  // guards the following variables
std::condition_variable changed;
std::map<std::uintptr_t, allocation> memory;
imbrex::emulated::foreign_files<std::byte> of_others;
imbrex::test::ipc_calls ipc;
bool opens = true;
std::set<CUstream_st*> streams;
std::vector<std::jthread> leaving;  // last, since these threads use the other variables
thread_local cudaError_t last_error = cudaSuccess;
thread_local int chosen = 0;

cudaError_t record_error(cudaError_t result) {
  if (result != cudaSuccess) last_error = result;
  return result;
}

/// Device memory that other processes can find; a forked process has its own.
imbrex::emulated::memory_file& on_devices() {
  static imbrex::emulated::memory_file* file = nullptr;
  static pid_t process = -1;
  if (process != ::getpid()) file = new imbrex::emulated::memory_file(4 * memory_of_device);
  process = ::getpid();
  return *file;
}

/// The device of a range of memory; -1 for host memory allocated here, -2 for any other.
int device_of(const void* begin, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  auto after = memory.upper_bound(address);
  if (after == memory.begin()) return -2;
  const auto& [first, known] = *--after;
  return address + bytes <= first + known.bytes ? known.device : -2;
}

}  // namespace

struct CUevent_st {
  bool is_timed = true;
  std::shared_ptr<moment> when = std::make_shared<moment>();
};

struct CUgraph_st {
  std::vector<std::function<void()>> operations;
};

struct CUgraphExec_st : CUgraph_st {
  std::shared_ptr<moment> ends = std::make_shared<moment>();  ///< end of the last launch
};

struct CUstream_st {
  explicit CUstream_st(int on) : device(on), worker([this] { run(); }) {}
  CUstream_st(const CUstream_st&) = delete;
  CUstream_st& operator=(const CUstream_st&) = delete;
  ~CUstream_st() {  // submitted work is still done
    {
      const std::lock_guard hold(lock);
      is_ending = true;
    }
    changed.notify_all();
    worker.join();
    const std::lock_guard hold(lock);
    streams.erase(this);
    changed.notify_all();
  }

  /// Called with the lock held.
  void submit(std::function<void()> operation) {
    if (captured) {
      captured->operations.push_back(std::move(operation));
      after[this] = ++captured->submitted[this];
    } else {
      queue.push_back(std::move(operation));
      changed.notify_all();
    }
  }
  bool is_idle() const { return queue.empty() && !is_busy; }

  int device;
  std::shared_ptr<capture> captured;
  history after;  ///< captured operations that this stream has submitted or waited for
  std::deque<std::function<void()>> queue;
  bool is_busy = false;
  bool is_ending = false;
  std::thread worker;

 private:
  void run() {
    std::unique_lock hold(lock);
    while (true) {
      changed.wait(hold, [this] { return !queue.empty() || is_ending; });
      if (queue.empty()) return;
      const auto operation = std::move(queue.front());
      queue.pop_front();
      is_busy = true;
      hold.unlock();
      operation();
      hold.lock();
      is_busy = false;
      changed.notify_all();
    }
  }
};

namespace {

void submit_wait(cudaStream_t in, std::shared_ptr<moment> until) {
  in->submit([until = std::move(until)] {
    std::unique_lock waiting(lock);
    changed.wait(waiting, [&] { return until->reached; });
  });
}

void submit_reach(cudaStream_t in, std::shared_ptr<moment> what) {
  in->submit([what = std::move(what)] {
    const std::lock_guard reaching(lock);
    what->reached = true;
    what->at = std::chrono::steady_clock::now();
    changed.notify_all();
  });
}

/// Waits for all streams, as freeing memory does.
void wait_for_all(std::unique_lock<std::mutex>& hold) {
  changed.wait(hold, [] { return std::ranges::all_of(streams, [](const auto* s) { return s->is_idle(); }); });
}

/// Ends the capture for all its streams.
cudaError_t end_capture(const std::shared_ptr<capture>& which, cudaError_t result) {
  which->is_over = true;
  for (CUstream_st* s : streams)
    if (s->captured == which) {
      s->captured.reset();
      s->after.clear();
    }
  return result == cudaSuccess ? result : record_error(result);
}

cudaError_t submit_copy(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                        cudaStream_t in) {
  const std::lock_guard hold(lock);
  if (device_of(to, bytes) != to_device || device_of(from, bytes) != from_device)
    return record_error(cudaErrorInvalidValue);
  in->submit([=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}

CUresult write_value(CUstream in, CUdeviceptr word, cuuint32_t value, unsigned flags) {
  const std::lock_guard hold(lock);
  if (flags != CU_STREAM_WRITE_VALUE_DEFAULT || device_of(reinterpret_cast<void*>(word), sizeof value) == -2)
    return CUDA_ERROR_INVALID_VALUE;
  in->submit(
      [=] { std::atomic_ref(*reinterpret_cast<cuuint32_t*>(word)).store(value, std::memory_order_release); });
  return CUDA_SUCCESS;
}

CUresult find_range(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
  const std::lock_guard hold(lock);
  if (device_of(reinterpret_cast<void*>(address), 1) < 0) return CUDA_ERROR_INVALID_VALUE;
  const auto& [first, known] = *std::prev(memory.upper_bound(address));
  *base = first;
  *bytes = known.bytes;
  return CUDA_SUCCESS;
}

CUresult wait_value(CUstream in, CUdeviceptr word, cuuint32_t value, unsigned flags) {
  const std::lock_guard hold(lock);
  if (flags != CU_STREAM_WAIT_VALUE_GEQ || device_of(reinterpret_cast<void*>(word), sizeof value) == -2)
    return CUDA_ERROR_INVALID_VALUE;
  in->submit([=] {
    const std::atomic_ref<cuuint32_t> at(*reinterpret_cast<cuuint32_t*>(word));
    while (static_cast<std::int32_t>(at.load(std::memory_order_acquire) - value) < 0)
      std::this_thread::sleep_for(std::chrono::microseconds(20));
  });
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = device_count();
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= device_count()) return record_error(cudaErrorInvalidDevice);
  chosen = device;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = chosen;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, "stand-in");
  properties->totalGlobalMem = memory_of_device;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  const std::string text = "0000:0" + std::to_string(device) + ":00.0";
  if (length <= static_cast<int>(text.size())) return record_error(cudaErrorInvalidValue);
  std::strcpy(id, text.c_str());
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  *value = which == cudaDevAttrConcurrentKernels ? 1 : 2;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  std::unique_lock hold(lock);
  wait_for_all(hold);
  return cudaSuccess;
}

const char* cudaGetErrorName(cudaError_t) { return "cudaErrorOfStandIn"; }
const char* cudaGetErrorString(cudaError_t) { return "an error of the stand-in"; }
cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return last_error; }

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  const std::lock_guard hold(lock);
  *free = *total = memory_of_device;
  for (const auto& [address, block] : memory)
    if (block.device == chosen) *free -= block.bytes;
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** result, size_t bytes) {
  size_t free = 0;
  size_t total = 0;
  cudaMemGetInfo(&free, &total);
  if (bytes > free) return record_error(cudaErrorMemoryAllocation);
  const std::lock_guard hold(lock);
  *result = on_devices().take(bytes);
  if (*result == nullptr) return record_error(cudaErrorMemoryAllocation);
  memory[reinterpret_cast<std::uintptr_t>(*result)] = {bytes, chosen};
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** result, size_t bytes, unsigned flags) {
  if (flags != (cudaHostAllocPortable | cudaHostAllocMapped)) return record_error(cudaErrorInvalidValue);
  if (bytes > memory_of_device) return record_error(cudaErrorMemoryAllocation);
  const std::lock_guard hold(lock);
  *result = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  memory[reinterpret_cast<std::uintptr_t>(*result)] = {bytes, -1};
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* found, const void* address) {
  const std::lock_guard hold(lock);
  const int device = device_of(address, 1);
  *found = {};
  found->type = device == -2   ? cudaMemoryTypeUnregistered
                : device == -1 ? cudaMemoryTypeHost
                               : cudaMemoryTypeDevice;
  found->device = std::max(device, 0);
  return cudaSuccess;
}
cudaError_t cudaFree(void* address) {
  std::unique_lock hold(lock);
  wait_for_all(hold);
  const auto freed = memory.extract(reinterpret_cast<std::uintptr_t>(address));
  if (freed.empty()) return record_error(cudaErrorInvalidValue);
  if (freed.mapped().device < 0)
    std::free(address);
  else
    on_devices().give_back(address, freed.mapped().bytes);
  return cudaSuccess;
}

// A handle holds the address of the file for other processes, and the length of the allocation.
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* base) {
  const std::lock_guard hold(lock);
  const auto found = memory.find(reinterpret_cast<std::uintptr_t>(base));
  const auto key = on_devices().key_of(base);
  if (found == memory.end() || !key) return record_error(cudaErrorInvalidValue);
  *handle = {};
  std::memcpy(handle, key->words.data(), sizeof *handle - sizeof found->second.bytes);
  std::memcpy(handle->reserved + sizeof *handle - sizeof found->second.bytes, &found->second.bytes,
              sizeof found->second.bytes);
  ++ipc.handles;
  return cudaSuccess;
}
cudaError_t cudaIpcOpenMemHandle(void** base, cudaIpcMemHandle_t handle, unsigned flags) {
  const std::lock_guard hold(lock);
  imbrex::memory_key key;
  std::size_t bytes = 0;
  std::memcpy(key.words.data(), &handle, sizeof handle - sizeof bytes);
  std::memcpy(&bytes, handle.reserved + sizeof handle - sizeof bytes, sizeof bytes);
  const bool is_own = key.words.front() == static_cast<std::uint64_t>(::getpid());
  if (flags != cudaIpcMemLazyEnablePeerAccess || is_own) return record_error(cudaErrorDeviceUninitialized);
  if (!opens) return record_error(cudaErrorPeerAccessUnsupported);
  *base = of_others.find(key);
  if (*base == nullptr) return record_error(cudaErrorMapBufferObjectFailed);
  if (!memory.try_emplace(reinterpret_cast<std::uintptr_t>(*base), allocation{bytes, chosen}).second)
    return record_error(cudaErrorAlreadyMapped);
  ++ipc.open_count;
  return cudaSuccess;
}
cudaError_t cudaIpcCloseMemHandle(void* base) {
  std::unique_lock hold(lock);
  wait_for_all(hold);
  if (memory.erase(reinterpret_cast<std::uintptr_t>(base)) == 0)
    return record_error(cudaErrorMapBufferObjectFailed);
  ++ipc.close_count;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* address) { return cudaFree(address); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  if (flags != cudaStreamNonBlocking) return record_error(cudaErrorInvalidValue);
  *stream = new CUstream_st(chosen);
  const std::lock_guard hold(lock);
  streams.insert(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* result, unsigned flags, int priority) {
  return priority < -5 || priority > 0 ? record_error(cudaErrorInvalidValue)
                                       : cudaStreamCreateWithFlags(result, flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t s) {
  const std::lock_guard hold(lock);
  leaving.emplace_back([s] { delete s; });  // does not wait for submitted work
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t s) {
  const std::lock_guard hold(lock);
  if (s->captured) return end_capture(std::shared_ptr(s->captured), cudaErrorStreamCaptureUnsupported);
  return s->is_idle() ? cudaSuccess : record_error(cudaErrorNotReady);
}
cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  std::unique_lock hold(lock);
  if (s->captured) return end_capture(std::shared_ptr(s->captured), cudaErrorStreamCaptureUnsupported);
  changed.wait(hold, [s] { return s->is_idle(); });
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode) {
  const std::lock_guard hold(lock);
  if (s->captured) return end_capture(std::shared_ptr(s->captured), cudaErrorIllegalState);
  s->captured = std::make_shared<capture>(capture{.origin = s});
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus* status) {
  const std::lock_guard hold(lock);
  *status = s->captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t* graph) {
  const std::lock_guard hold(lock);
  *graph = nullptr;
  const auto ended = s->captured;
  if (!ended) return record_error(cudaErrorIllegalState);
  if (ended->origin != s) return record_error(cudaErrorStreamCaptureUnmatched);
  if (s->after != ended->submitted) return end_capture(ended, cudaErrorStreamCaptureUnjoined);
  *graph = new CUgraph_st{ended->operations};
  return end_capture(ended, cudaSuccess);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned) {
  const std::lock_guard hold(lock);
  const moment& when = *e->when;
  if (s->captured && !when.in)
    return end_capture(std::shared_ptr(s->captured), cudaErrorStreamCaptureIsolation);
  if (s->captured && when.in != s->captured) {
    end_capture(std::shared_ptr(when.in), cudaErrorStreamCaptureMerge);
    return end_capture(std::shared_ptr(s->captured), cudaErrorStreamCaptureMerge);
  }
  if (!when.in) {
    submit_wait(s, e->when);
    return cudaSuccess;
  }
  if (when.in->is_over) return record_error(cudaErrorInvalidValue);
  s->captured = when.in;  // a stream that waits for a captured event joins the capture
  for (const auto& [stream, count] : when.after) s->after[stream] = std::max(s->after[stream], count);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = new CUevent_st{.is_timed = (flags & cudaEventDisableTiming) == 0};
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* result) {
  return cudaEventCreateWithFlags(result, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t e) {
  delete e;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
  const std::lock_guard hold(lock);
  if (s->captured) {
    e->when = std::make_shared<moment>(moment{.in = s->captured, .after = s->after});
  } else {
    e->when = std::make_shared<moment>(moment{.reached = false});
    submit_reach(s, e->when);
  }
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t e) {
  const std::lock_guard hold(lock);
  if (e->when->in) return end_capture(std::shared_ptr(e->when->in), cudaErrorCapturedEvent);
  return e->when->reached ? cudaSuccess : record_error(cudaErrorNotReady);
}
cudaError_t cudaEventSynchronize(cudaEvent_t e) {
  std::unique_lock hold(lock);
  if (e->when->in) return end_capture(std::shared_ptr(e->when->in), cudaErrorCapturedEvent);
  changed.wait(hold, [when = e->when] { return when->reached; });
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  const std::lock_guard hold(lock);
  if (!from->is_timed || !to->is_timed) return record_error(cudaErrorInvalidResourceHandle);
  if (!from->when->reached || !to->when->reached) return record_error(cudaErrorNotReady);
  *milliseconds = std::chrono::duration<float, std::milli>(to->when->at - from->when->at).count();
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t in) {
  const bool from_host = kind == cudaMemcpyHostToDevice;
  const bool to_host = kind == cudaMemcpyDeviceToHost;
  return submit_copy(to, to_host ? -1 : in->device, from, from_host ? -1 : in->device, bytes, in);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t in) {
  return submit_copy(to, to_device, from, from_device, bytes, in);
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t in) {
  const std::lock_guard hold(lock);
  if (device_of(to, bytes) != in->device) return record_error(cudaErrorInvalidValue);
  in->submit([=] { std::memset(to, value, bytes); });
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t in, cudaHostFn_t function, void* argument) {
  const std::lock_guard hold(lock);
  in->submit([=] { function(argument); });
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* result, cudaGraph_t from, unsigned long long) {
  *result = new CUgraphExec_st{{*from}};
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t g) {
  delete g;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t g) {
  delete g;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t g, cudaStream_t in) {
  const std::lock_guard hold(lock);
  submit_wait(in, std::exchange(g->ends, std::make_shared<moment>(moment{.reached = false})));
  for (const auto& operation : g->operations) in->submit(operation);
  submit_reach(in, g->ends);
  return cudaSuccess;
}

#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** found, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* state) {
#else
cudaError_t cudaGetDriverEntryPoint(const char* name, void** found, unsigned long long,
                                    cudaDriverEntryPointQueryResult* state) {
#endif
  const bool writes = name == std::string("cuStreamWriteValue32");
  const bool waits = name == std::string("cuStreamWaitValue32");
  *found = reinterpret_cast<void*>(writes ? &write_value : waits ? &wait_value : nullptr);
  if (name == std::string("cuMemGetAddressRange")) *found = reinterpret_cast<void*>(&find_range);
  *state = *found != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
}

namespace imbrex::test {

void end_streams() {
  std::vector<std::jthread> ending;  // joined after the lock is released
  const std::lock_guard hold(lock);
  ending.swap(leaving);
}

void refuse_to_open() {
  const std::lock_guard hold(lock);
  opens = false;
}

ipc_calls calls_of_ipc() {
  const std::lock_guard hold(lock);
  return ipc;
}

void append_on_device(native_stream on, device_span<int> log, int mark, std::int64_t nanoseconds) {
  const std::lock_guard hold(lock);
  static_cast<cudaStream_t>(on.handle)->submit([=] {
    std::this_thread::sleep_for(std::chrono::nanoseconds(nanoseconds));
    const int place = std::atomic_ref(log.data()[0]).fetch_add(1) + 1;
    if (static_cast<std::size_t>(place) < log.size()) std::atomic_ref(log.data()[place]).store(mark);
  });
}

void add_on_device(native_stream on, device_span<const int> from, device_span<int> to, int number) {
  const std::lock_guard hold(lock);
  static_cast<cudaStream_t>(on.handle)->submit([=] {
    for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = from.data()[i] + number;
  });
}

}  // namespace imbrex::test
