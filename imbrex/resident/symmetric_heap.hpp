// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/array/process_group.hpp>
#include <imbrex/coro/task.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/resident/heap_exchange.hpp>
#include <imbrex/resident/heap_memory.hpp>
#include <imbrex/resident/symmetric.hpp>

namespace imbrex::resident {

template <class T>
class symmetric_buffer;

/// Memory of several GPUs that all of them map. All have equal sizes, and an object in the heap has the same
/// offset on each. Programs in it have PEs on all of these GPUs. All processes make the objects of a heap in
/// the same order, and destroy them in the same order. Copies are the same heap. One thread uses it.
///
///     const resident::symmetric_heap heap(imbrex::gpu(), 2, bytes);  // in one process
///     const auto heap = co_await resident::symmetric_heap::of_processes(place, imbrex::gpu(), bytes);
class symmetric_heap {
 public:
  /// Heap of `gpus` GPUs, all emulated by `of`, with `bytes` bytes each. Throws usage_error if there can be
  /// no such heap, device_out_of_memory.
  symmetric_heap(device& of, std::uint32_t gpus, std::size_t bytes)
      : memory_(std::make_shared<detail::heap_memory>(of, gpus, bytes)) {}

  /// Heap of all processes of the run: GPU i is the device of process i. All processes call it, with equal
  /// `place`, `bytes` and `way`. Throws usage_error if they do not, if two have the same GPU, or if a process
  /// cannot reach another's device memory. Throws device_out_of_memory, or error if NVSHMEM has no room.
  static task<symmetric_heap> of_processes(process_group<heap_exchange> place, device& own_device,
                                           std::size_t bytes, heap_way way = heap_way::any) {
    auto memory = co_await detail::memory_of_processes(place, own_device, bytes, way);
    co_return symmetric_heap(std::move(memory));
  }

  std::uint32_t gpus() const { return memory_->gpus(); }  ///< Number of GPUs that have the heap.
  /// First GPU of this process, and the number of its GPUs.
  std::uint32_t first_gpu() const { return memory_->first(); }
  /// Number of these GPUs that belong to this process.
  std::uint32_t gpus_here() const { return memory_->here(); }
  /// Takes memory for `size` Ts on each GPU, not initialised. Throws usage_error if there is no room.
  template <class T>
  symmetric_buffer<T> make(std::size_t size) const {
    return symmetric_buffer<T>(memory_, size);
  }
  /// For the runtime: the mapped memory.
  const std::shared_ptr<detail::heap_memory>& memory() const { return memory_; }

 private:
  explicit symmetric_heap(std::shared_ptr<detail::heap_memory> memory) : memory_(std::move(memory)) {}

  std::shared_ptr<detail::heap_memory> memory_;
};

/// An array on each GPU of a heap. Chares use `what()`. The array keeps the heap alive. Its memory is freed
/// at once, or when all runs in progress in the heap have ended.
template <class T>
class symmetric_buffer {
 public:
  symmetric_buffer() = default;
  /// For the heap: a piece of it, of `size` elements for each GPU.
  symmetric_buffer(std::shared_ptr<detail::heap_memory> memory, std::size_t size)
      : piece_(std::move(memory), bytes_of(size), detail::heap_use::of_runs), size_(size) {}

  symmetric<T> what() const { return {piece_.offset(), size_}; }
  std::size_t size() const { return size_; }
  /// Memory on a GPU of this process.
  device_span<T> span(std::uint32_t gpu) const {
    return {reinterpret_cast<T*>(piece_.memory().own(gpu) + piece_.offset()), size_,
            piece_.memory().on().info().id};
  }
  /// Copies the array of a GPU of this process, or replaces it. Between runs only.
  std::vector<T> read(std::uint32_t gpu) const {
    std::vector<T> copy(size_);
    piece_.memory().read(gpu, piece_.offset(), std::as_writable_bytes(std::span(copy)));
    return copy;
  }
  /// Replaces the array of a GPU of this process by these values. Between runs only.
  void write(std::uint32_t gpu, std::span<const T> values) const {
    if (values.size() != size_)
      throw usage_error("symmetric memory of " + std::to_string(size_) + " elements is written with " +
                        std::to_string(values.size()));
    piece_.memory().write(gpu, piece_.offset(), std::as_bytes(values));
  }

 private:
  static std::size_t bytes_of(std::size_t size) {
    if (size > SIZE_MAX / sizeof(T))
      throw usage_error("symmetric memory of " + std::to_string(size) +
                        " elements is impossible: it exceeds the address space");
    return size * sizeof(T);
  }

  detail::heap_piece piece_;
  std::size_t size_ = 0;
};

}  // namespace imbrex::resident
