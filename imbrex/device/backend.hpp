// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <imbrex/device/kernel.hpp>
#include <imbrex/device/memory_key.hpp>
#include <imbrex/device/operation_observer.hpp>

/// What a backend implements; programs use `device`, `stream`, `event`, `graph` and the buffers.

namespace imbrex {

/// Which streams' kernels go first where they must wait for each other. A hint, as in CUDA: no order may
/// depend on it. Copies between host and device do not know it.
enum class stream_priority { low, normal, high };

/// What a device can do.
struct device_capabilities {
  bool stream_values = false;  ///< `stream::write` and `stream::wait` of flags
  bool graphs = false;         ///< capture and replay
  bool peer_copies = false;    ///< copies from and to other devices of the same backend
  int priorities = 1;          ///< how many levels there are; `stream_priority` is spread over them
  int concurrent_kernels = 1;  ///< how many kernels may run at once, at most
  int copy_engines = 1;        ///< how many copies between host and device may run at once
};

struct device_info {
  const void* id = nullptr;  ///< unique among all devices of this process: where its own `device_info` lies
  int index = 0;             ///< among the devices that the backend finds; hidden ones do not count
  std::string backend;       ///< "cuda", "emulated"
  std::string name;          ///< of the model: "NVIDIA H200"
  std::string pci_bus_id;    ///< "0000:1b:00.0"; empty for a device that is no hardware
  std::size_t memory = 0;    ///< bytes in all
  bool keeps_data = true;    ///< false: kernels and copies take their time and do nothing
  device_capabilities can;

  /// "cuda device 0 (NVIDIA H200)", as errors say it.
  std::string label() const { return backend + " device " + std::to_string(index) + " (" + name + ")"; }
};

namespace detail {

/// Of a device that there is, by its id.
inline const device_info& info_of(const void* id) { return *static_cast<const device_info*>(id); }

}  // namespace detail

enum class memory_kind { device, pinned };
enum class copy_direction { to_device, from_device, within_device, to_other_device };

/// A point in a stream. See `event`.
class event_backend {
 public:
  virtual ~event_backend() = default;
  virtual bool done() = 0;
  virtual void synchronize() = 0;
};

/// A captured row of operations. See `graph`.
class graph_backend {
 public:
  virtual ~graph_backend() = default;
};

/// An ordered queue of a device. See `stream`. What was submitted goes on when the object is destroyed.
class stream_backend {
 public:
  virtual ~stream_backend() = default;
  /// `other_device` is the id of the device that is copied from, or to; null where that is the host.
  virtual void copy(copy_direction direction, void* to, const void* from, std::size_t bytes,
                    const void* other_device) = 0;
  virtual void fill(void* to, std::byte value, std::size_t bytes) = 0;
  virtual void launch(const kernel_launch& what) = 0;
  virtual void host(void (*function)(void*), void* argument) = 0;
  virtual void record(event_backend& at) = 0;
  virtual void wait(event_backend& until) = 0;
  virtual void write(std::atomic<std::uint32_t>& word, std::uint32_t value) = 0;
  virtual void wait(const std::atomic<std::uint32_t>& word, std::uint32_t at_least) = 0;
  virtual bool idle() = 0;
  virtual void synchronize() = 0;
  virtual void begin_capture() = 0;
  virtual std::unique_ptr<graph_backend> end_capture() = 0;
  virtual bool capturing() = 0;
  virtual void launch(graph_backend& what) = 0;
  virtual native_stream native() = 0;
  /// Later operations wait for what a stream of this device that others have made was given so far. Throws
  /// `device_error` if it is seen that the handle is of none.
  virtual void wait(native_stream until) = 0;
  /// The reverse: that stream's later operations wait for what this one was given so far.
  virtual void delay(native_stream others) = 0;
};

/// Addresses that follow each other.
struct address_range {
  const std::byte* first = nullptr;
  std::size_t bytes = 0;

  bool holds(const void* address) const noexcept {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(first) < bytes;
  }
};

/// One device. Any thread may call.
class device_backend {
 public:
  virtual ~device_backend() = default;
  virtual const device_info& info() const = 0;
  /// What this thread then calls of the device's own library is about this device.
  virtual void make_current() {}
  /// Bytes of device memory that nobody in any process holds.
  virtual std::size_t free_memory() = 0;
  /// Aligned to 256 bytes; null if there is no room.
  virtual void* allocate(memory_kind kind, std::size_t bytes) = 0;
  /// Nothing on the device may use it any more.
  virtual void release(memory_kind kind, void* address) noexcept = 0;
  virtual std::unique_ptr<stream_backend> make_stream(stream_priority priority, std::string owner) = 0;
  virtual std::unique_ptr<event_backend> make_event() = 0;
  /// The memory of this device that was allocated in one piece and holds an address, whoever has allocated
  /// it; none if the address is of no memory of this device.
  virtual std::optional<address_range> allocation_at(const void* address) = 0;
  /// Outside of these addresses it never has memory; all of them if nobody knows.
  virtual address_range addresses() { return {nullptr, SIZE_MAX}; }
  /// The host stores into a word that streams may wait for.
  virtual void store(std::atomic<std::uint32_t>& word, std::uint32_t value) = 0;
  /// How other processes of this host find what lies there in its memory; none if they cannot.
  virtual std::optional<memory_key> key_of(const void* /*address*/) { return std::nullopt; }
  /// Why there is no key, as far as is known; for people.
  virtual std::string why_no_key() { return {}; }
  /// Where this process has what a process of this host has a key for, to copy from it; null if it cannot be
  /// found from here. It stays until its owner frees it.
  virtual const void* find(const memory_key& /*key*/) { return nullptr; }
  /// Closes what was found and has been ended by its owner since, who waits for that. Often, by idle PEs.
  virtual void close_ended() noexcept {}
  /// Waits until all streams have come to their end, and closes all that was found.
  virtual void close_found() noexcept {}
  /// The same as `find`, where this process may write to it, too.
  virtual std::byte* reach(const memory_key& /*key*/) { return nullptr; }
  /// Who is told of all that the device does from now on; null: nobody. False if this backend cannot tell.
  virtual bool observe(operation_observer* /*told*/) { return false; }
  /// Tells the observer of all that has ended by now, where that is told late.
  virtual void catch_up() noexcept {}
  /// Waits until all streams have come to their end. Returns also when the device has failed.
  virtual void drain() noexcept = 0;
};

}  // namespace imbrex
