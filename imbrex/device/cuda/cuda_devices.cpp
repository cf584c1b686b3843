// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/cuda/cuda_devices.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <imbrex/device/cuda/api.hpp>
#include <imbrex/device/cuda/ipc_memory.hpp>
#include <imbrex/device/cuda/operation_times.hpp>
#include <imbrex/device/error.hpp>

namespace imbrex {
namespace {

std::string text_of(cudaError_t result) {
  return std::string(cudaGetErrorString(result)) + " (" + cudaGetErrorName(result) + ")";
}

/// Throws the exception for a failed call. The only conversion of a return code to an exception.
void check(cudaError_t result, const device_info& on, const std::string& owner, const char* operation) {
  if (result == cudaSuccess) return;
  // Clears an error that does not end the device, which the next launch would report again.
  static_cast<void>(cudaGetLastError());
  std::string reason = text_of(result);
  if (gpu::is_of_a_kernel(result) && std::getenv(gpu::blocking_variable) == nullptr)
    reason += std::string(
                  "; a kernel of some stream of this device caused it, and the driver does not report which: "
                  "with ") +
              gpu::blocking_variable + "=1 the launch of that kernel fails";
  throw device_error(on.label(), owner, operation, reason);
}

/// True if the result of a query says that the work is done.
bool is_done(cudaError_t result, const device_info& on, const std::string& owner, const char* operation) {
  if (result == cudaErrorNotReady) {
    gpu::forget_not_ready();
    return false;
  }
  check(result, on, owner, operation);
  return true;
}

/// Ignores a result where nothing can be thrown; a later call reports the failure.
void forget(cudaError_t) noexcept {}

const std::string nobody;

/// Chooses the device for this thread's calls.
void choose(const device_info& which, const std::string& owner = nobody) {
  check(cudaSetDevice(which.index), which, owner, "choose the device");
}

class cuda_event final : public event_backend {
 public:
  explicit cuda_event(const device_info& on) : on_(on) {
    choose(on_);
    check(cudaEventCreateWithFlags(&handle_, cudaEventDisableTiming), on_, nobody, "make an event");
  }
  ~cuda_event() override { forget(cudaEventDestroy(handle_)); }

  bool done() override { return is_done(cudaEventQuery(handle_), on_, owner_, "query of an event"); }
  void synchronize() override {
    check(cudaEventSynchronize(handle_), on_, owner_, "synchronize with an event");
  }

 private:
  friend class cuda_stream;
  const device_info& on_;
  std::string owner_;  // owner of the stream that recorded it last
  cudaEvent_t handle_ = nullptr;
};

class cuda_graph final : public graph_backend {
 public:
  explicit cuda_graph(cudaGraphExec_t graph) : handle_(graph) {}
  ~cuda_graph() override { forget(cudaGraphExecDestroy(handle_)); }

 private:
  friend class cuda_stream;
  cudaGraphExec_t handle_;
};

class cuda_stream final : public stream_backend {
  using type = finished_operation::type;

 public:
  cuda_stream(const device_info& on, operation_times& times, stream_priority priority, std::string owner)
      : on_(on), times_(times), number_(times.next_stream()), owner_(std::move(owner)) {
    begin("make a stream");
    int least = 0;
    int greatest = 0;  // the smaller number
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "make a stream");
    const std::array levels{least, (least + greatest) / 2, greatest};
    check(cudaStreamCreateWithPriority(&handle_, cudaStreamNonBlocking,
                                       levels[static_cast<std::size_t>(priority)]),
          "make a stream");
  }
  ~cuda_stream() override { forget(cudaStreamDestroy(handle_)); }

  void copy(copy_direction direction, void* to, const void* from, std::size_t bytes,
            const void* other_device) override;
  void fill(void* to, std::byte value, std::size_t bytes) override {
    begin("fill");
    const operation_times::timed timed(times_, handle_, {type::kernel, "fill", number_, owner_});
    check(cudaMemsetAsync(to, std::to_integer<int>(value), bytes, handle_), "fill");
  }
  void launch(const kernel_launch& what) override {
    const std::string operation = "launch of kernel " + std::string(what.name);
    if (what.native == nullptr)
      throw device_error(on_.label(), owner_, operation,
                         "it has no function for this backend; set kernel::native");
    begin(operation.c_str());
    const operation_times::timed timed(times_, handle_, {type::kernel, what.name, number_, owner_});
    what.native(what.arguments, native());
    check(cudaGetLastError(), operation.c_str());
  }
  void host(void (*function)(void*), void* argument) override {
    begin("host function");
    const operation_times::timed timed(times_, handle_,
                                       {type::host_function, "host function", number_, owner_});
    check(cudaLaunchHostFunc(handle_, function, argument), "host function");
  }
  void record(event_backend& at) override {
    auto& event = static_cast<cuda_event&>(at);
    begin("record an event");
    if (event.owner_ != owner_) event.owner_ = owner_;
    check(cudaEventRecord(event.handle_, handle_), "record an event");
  }
  void wait(event_backend& until) override {
    begin("wait for an event");
    check(cudaStreamWaitEvent(handle_, static_cast<cuda_event&>(until).handle_, 0), "wait for an event");
  }
  void wait(native_stream until) override {
    begin(wait_for_native);
    cuda_event at(on_);
    check(cudaEventRecord(at.handle_, static_cast<cudaStream_t>(until.handle)), wait_for_native);
    check(cudaStreamWaitEvent(handle_, at.handle_, 0), wait_for_native);
  }
  void delay(native_stream others) override {
    begin(delay_native);
    cuda_event at(on_);
    check(cudaEventRecord(at.handle_, handle_), delay_native);
    check(cudaStreamWaitEvent(static_cast<cudaStream_t>(others.handle), at.handle_, 0), delay_native);
  }
  void write(std::atomic<std::uint32_t>& word, std::uint32_t value) override {
    begin("write value");
    check(gpu::write_value(handle_, &word, value), "write value");
  }
  void wait(const std::atomic<std::uint32_t>& word, std::uint32_t at_least) override {
    begin("wait for value");
    check(gpu::wait_value(handle_, const_cast<std::atomic<std::uint32_t>*>(&word), at_least),
          "wait for value");
  }
  bool idle() override {
    refuse_in_capture("query");  // the driver would abort the capture
    return is_done(cudaStreamQuery(handle_), on_, owner_, "query");
  }
  void synchronize() override {
    refuse_in_capture("synchronize");
    check(cudaStreamSynchronize(handle_), "synchronize");
  }
  void begin_capture() override {
    refuse_in_capture("begin capture");
    begin("begin capture");
    // Relaxed: other PEs, and this PE in other streams, do not affect the capture.
    check(cudaStreamBeginCapture(handle_, cudaStreamCaptureModeRelaxed), "begin capture");
  }
  std::unique_ptr<graph_backend> end_capture() override {
    begin("end capture");
    cudaGraph_t captured = nullptr;
    check(cudaStreamEndCapture(handle_, &captured), "end capture");
    cudaGraphExec_t graph = nullptr;
    const cudaError_t result = gpu::instantiate(&graph, captured);
    forget(cudaGraphDestroy(captured));
    check(result, "end capture");
    return std::make_unique<cuda_graph>(graph);
  }
  bool capturing() override {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(handle_, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone;
  }
  void launch(graph_backend& what) override {
    begin("launch of a graph");
    const operation_times::timed timed(times_, handle_, {type::kernel, "graph", number_, owner_});
    check(cudaGraphLaunch(static_cast<cuda_graph&>(what).handle_, handle_), "launch of a graph");
  }
  native_stream native() override { return {handle_}; }
  std::uint32_t number() const override { return number_; }

 private:
  void check(cudaError_t result, const char* operation) const {
    imbrex::check(result, on_, owner_, operation);
  }
  void begin(const char* operation) const { check(cudaSetDevice(on_.index), operation); }
  void refuse_in_capture(const char* operation) {
    if (capturing()) throw device_error(on_.label(), owner_, operation, "the stream is captured");
  }

  static constexpr const char* wait_for_native = "wait for a stream of others";
  static constexpr const char* delay_native = "delay a stream of others";

  const device_info& on_;
  operation_times& times_;
  const std::uint32_t number_;
  const std::string owner_;
  cudaStream_t handle_ = nullptr;
};

class cuda_backend final : public device_backend {
 public:
  cuda_backend(int index, int count) : times_(index, clock_) {
    info_.id = &info_;
    info_.index = index;
    info_.backend = gpu::backend;
    choose(info_);
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, index), "query its properties");
    info_.name = static_cast<const char*>(properties.name);
    info_.memory = properties.totalGlobalMem;
    std::array<char, 32> bus{};
    check(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), index), "query its PCI bus id");
    info_.pci_bus_id = bus.data();
    int least = 0;
    int greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "query its priorities");
    int concurrent = 0;
    int engines = 0;
    check(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentKernels, index), "query its kernels");
    check(cudaDeviceGetAttribute(&engines, cudaDevAttrAsyncEngineCount, index), "query its copy engines");
    constexpr int grids = 128;  // since compute capability 7.0
    info_.can = {.stream_values = gpu::has_stream_values(index),
                 .graphs = true,
                 .peer_copies = count > 1,
                 .priorities = least - greatest + 1,
                 .concurrent_kernels = concurrent != 0 ? grids : 1,
                 .copy_engines = engines};
  }

  /// Waits a while for other processes to unmap its memory. Memory that they never unmap stays until this
  /// process ends.
  ~cuda_backend() override {
    if (cudaSetDevice(info_.index) != cudaSuccess) return;
    imported_.close_all();
    std::unique_lock guard(ipc_lock_);
    wait_for_others(guard);
  }

  const device_info& info() const override { return info_; }

  std::size_t free_memory() override {
    choose(info_);
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total), "query its free memory");
    return free;
  }
  void* allocate(memory_kind kind, std::size_t bytes) override {
    choose(info_);
    void* address = nullptr;
    if (kind == memory_kind::pinned) {
      constexpr unsigned flags = cudaHostAllocPortable | cudaHostAllocMapped;
      return has_room(cudaHostAlloc(&address, bytes, flags)) ? address : nullptr;
    }
    // Rounded up, so that the allocation is alone in the pieces that the driver shares.
    constexpr std::size_t piece = detail::sharable_bytes;
    if (bytes > piece / 2 && bytes <= SIZE_MAX - piece) bytes = (bytes + piece - 1) / piece * piece;
    std::unique_lock guard(ipc_lock_);
    free_what_nobody_maps();
    bool is_allocated = has_room(cudaMalloc(&address, bytes));
    if (!is_allocated && exported_.keeps_some()) {
      wait_for_others(guard);
      is_allocated = has_room(cudaMalloc(&address, bytes));
    }
    if (!is_allocated) return nullptr;
    exported_.add(address, bytes);
    return address;
  }
  void release(memory_kind kind, void* address) noexcept override {
    forget(cudaSetDevice(info_.index));
    if (kind == memory_kind::pinned) return forget(cudaFreeHost(address));
    const std::lock_guard guard(ipc_lock_);
    if (exported_.remove(address)) forget(cudaFree(address));
    free_what_nobody_maps();
  }
  std::unique_ptr<stream_backend> make_stream(stream_priority priority, std::string owner) override {
    return std::make_unique<cuda_stream>(info_, times_, priority, std::move(owner));
  }
  std::unique_ptr<event_backend> make_event() override { return std::make_unique<cuda_event>(info_); }
  std::optional<address_range> allocation_at(const void* address) override {
    gpu::pointer_attributes found{};
    if (cudaPointerGetAttributes(&found, address) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());  // memory that the driver does not know
      return std::nullopt;
    }
    if (found.type != cudaMemoryTypeDevice || found.device != info_.index) return std::nullopt;
    address_range range;
    check(gpu::find_range(address, range.first, range.bytes), "query the extent of memory");
    return range;
  }
  void store(std::atomic<std::uint32_t>& word, std::uint32_t value) override {
    // The device polls the word. Where processors reorder stores, the release keeps earlier writes for the
    // device before the word.
    word.store(value, std::memory_order_release);
  }
  std::optional<memory_key> key_of(const void* address) override {
    choose(info_);
    const std::lock_guard guard(ipc_lock_);
    return exported_.key_of(address);
  }
  std::string why_no_key() override {
    const std::lock_guard guard(ipc_lock_);
    return exported_.problem();
  }
  const void* find(const memory_key& key) override {
    choose(info_);
    const std::lock_guard guard(ipc_lock_);
    return imported_.find(key);
  }
  void make_current() override { choose(info_); }
  std::byte* reach(const memory_key& key) override {
    choose(info_);
    const std::lock_guard guard(ipc_lock_);
    return imported_.find(key);
  }
  void close_ended() noexcept override {
    const std::unique_lock guard(ipc_lock_,
                                 std::try_to_lock);  // the holder of the lock unmaps too, or this is called
                                                     // again soon
    if (!guard || imported_.size() == 0) return;
    forget(cudaSetDevice(info_.index));
    imported_.close_ended();
  }
  void close_found() noexcept override {
    const std::lock_guard guard(ipc_lock_);
    if (imported_.size() == 0) return;
    drain();
    imported_.close_all();
  }
  bool observe(operation_observer* observer) override { return times_.observe(observer); }
  void catch_up() noexcept override { times_.catch_up(); }
  void drain() noexcept override {
    forget(cudaSetDevice(info_.index));
    forget(cudaDeviceSynchronize());
  }

 private:
  void check(cudaError_t result, const char* operation) const {
    imbrex::check(result, info_, nobody, operation);
  }
  /// False if there is no room for the allocation.
  bool has_room(cudaError_t result) const {
    if (result == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      return false;
    }
    check(result, "allocate");
    return true;
  }
  /// Waits a while until other processes have unmapped memory that ended here; their PEs do so when idle.
  /// Also unmaps memory that they have ended, since they may wait for that.
  void wait_for_others(std::unique_lock<std::mutex>& guard) {
    constexpr int most_looks = 500;
    for (int look = 0; look < most_looks; ++look) {
      imported_.close_ended();
      free_what_nobody_maps();
      if (!exported_.keeps_some()) return;
      guard.unlock();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      guard.lock();
    }
  }
  void free_what_nobody_maps() noexcept {
    while (void* const address = exported_.next_to_free()) forget(cudaFree(address));
  }

  device_info info_;
  std::mutex ipc_lock_;  ///< guards `exported_` and `imported_`
  gpu::exported_memory exported_;
  gpu::imported_memory imported_;
  detail::real_clock clock_;
  operation_times times_;
};

void cuda_stream::copy(copy_direction direction, void* to, const void* from, std::size_t bytes,
                       const void* other_device) {
  begin("copy");
  switch (direction) {
    case copy_direction::to_device: {
      const operation_times::timed timed(times_, handle_,
                                         {type::to_device, "copy to the device", number_, owner_, bytes});
      check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, handle_), "copy to the device");
      break;
    }
    case copy_direction::from_device: {
      const operation_times::timed timed(times_, handle_,
                                         {type::from_device, "copy from the device", number_, owner_, bytes});
      check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, handle_), "copy from the device");
      break;
    }
    case copy_direction::within_device: {
      const operation_times::timed timed(
          times_, handle_, {type::within_device, "copy within the device", number_, owner_, bytes});
      if (other_device == nullptr || other_device == on_.id) {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, handle_), "copy within the device");
      } else {
        const int other = detail::info_of(other_device).index;
        check(cudaMemcpyPeerAsync(to, on_.index, from, other, bytes, handle_), "copy from another device");
      }
      break;
    }
    case copy_direction::to_other_device: {
      const operation_times::timed timed(
          times_, handle_, {type::within_device, "copy to another device", number_, owner_, bytes});
      const int other = detail::info_of(other_device).index;
      check(cudaMemcpyPeerAsync(to, other, from, on_.index, bytes, handle_), "copy to another device");
      break;
    }
  }
}

}  // namespace

std::vector<std::unique_ptr<device>> cuda_devices() {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result == cudaErrorInsufficientDriver)
    throw error(
        std::string("there is no driver for GPUs, or it is too old for what Imbrex was built with: ") +
        text_of(result) + "; update it, or run on the emulated device (--device emulated)");
  if (result == cudaErrorNoDevice || (result == cudaSuccess && count == 0))
    throw error(std::string("this process has no GPU: there is none, or ") + gpu::hiding_variable +
                " hides it; unset that, or run on the emulated device (--device emulated)");
  if (result != cudaSuccess)
    throw error("the GPUs cannot be used: " + text_of(result) +
                "; run on the emulated device (--device emulated)");
  std::vector<std::unique_ptr<device>> found;
  for (int i = 0; i < count; ++i)
    found.push_back(std::make_unique<device>(std::make_unique<cuda_backend>(i, count)));
  return found;
}

}  // namespace imbrex
