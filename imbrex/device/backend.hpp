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

/// The interface that a backend implements; programs use `device`, `stream`, `event`, `graph` and the
/// buffers.

namespace imbrex {

/// The order of streams whose kernels compete for the device. A hint, as in CUDA: correctness must not depend
/// on it. Copies between host and device ignore it.
enum class stream_priority { low, normal, high };

/// The abilities of a device.
struct device_capabilities {
  bool stream_values = false;  ///< `stream::write` and `stream::wait` of flags
  bool graphs = false;         ///< capture and replay
  bool peer_copies = false;    ///< copies from and to other devices of the same backend
  int priorities = 1;          ///< number of levels; `stream_priority` is spread over them
  int concurrent_kernels = 1;  ///< maximum number of kernels that run at once
  int copy_engines = 1;        ///< maximum number of copies between host and device that run at once
};

struct device_info {
  const void* id = nullptr;  ///< unique among all devices of this process: the address of the device's own
                             ///< `device_info`
  int index = 0;             ///< number among the devices that the backend finds, without hidden ones
  std::string backend;       ///< "cuda", "emulated"
  std::string name;          ///< model name: "NVIDIA H200"
  std::string pci_bus_id;    ///< "0000:1b:00.0"; empty for a device without hardware
  std::size_t memory = 0;    ///< total bytes
  bool keeps_data = true;    ///< false: kernels and copies only take their time, without effect
  device_capabilities can;

  /// The device's name in errors: "cuda device 0 (NVIDIA H200)".
  std::string label() const { return backend + " device " + std::to_string(index) + " (" + name + ")"; }
};

namespace detail {

/// The info of an existing device, by its id.
inline const device_info& info_of(const void* id) { return *static_cast<const device_info*>(id); }

}  // namespace detail

/// The rates of a device, by which the time of an operation is estimated. Rates of 0 have no limit. The
/// initial values are near those of a GPU; they suffice to compare operations of one device.
struct device_rates {
  double memory_bandwidth = 1e12;  ///< bytes a second, read and written
  double flops = 1e13;             ///< operations a second
  double threads = 0;              ///< threads that run at once; 0: any kernel fills the device
  double to_device = 2e10;         ///< bytes a second
  double from_device = 2e10;       ///< bytes a second
  double kernel_start = 3e-6;      ///< seconds before a kernel's first instruction
  double copy_start = 3e-6;        ///< seconds before a copy's first byte
  int kernels = 16;                ///< kernels that run at once
};

enum class memory_kind { device, pinned };
enum class copy_direction { to_device, from_device, within_device, to_other_device };

/// A point in a stream. See `event`.
class event_backend {
 public:
  virtual ~event_backend() = default;
  virtual bool done() = 0;
  virtual void synchronize() = 0;
};

/// A captured sequence of operations. See `graph`.
class graph_backend {
 public:
  virtual ~graph_backend() = default;
};

/// An ordered queue of a device. See `stream`. Submitted operations continue after the object's end.
class stream_backend {
 public:
  virtual ~stream_backend() = default;
  /// `other_device` is the id of the device to copy from or to; null if that is the host.
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
  /// The number by which `finished_operation` names the stream.
  virtual std::uint32_t number() const = 0;
  /// Later operations wait for the work submitted so far to `until`, a stream of this device made by other
  /// code. Throws `device_error` if the handle is found to be invalid.
  virtual void wait(native_stream until) = 0;
  /// Later operations of that stream wait for the work submitted so far to this one.
  virtual void delay(native_stream others) = 0;
};

/// A range of consecutive addresses.
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
  /// The device's own rates, if they are known.
  virtual device_rates rates() const { return {}; }
  /// Makes this device the one that this thread's calls of the device's own library refer to.
  virtual void make_current() {}
  /// Bytes of device memory that no process uses.
  virtual std::size_t free_memory() = 0;
  /// Allocates memory aligned to 256 bytes; null if there is no room.
  virtual void* allocate(memory_kind kind, std::size_t bytes) = 0;
  /// Frees memory that nothing on the device uses any more.
  virtual void release(memory_kind kind, void* address) noexcept = 0;
  virtual std::unique_ptr<stream_backend> make_stream(stream_priority priority, std::string owner) = 0;
  virtual std::unique_ptr<event_backend> make_event() = 0;
  /// The allocation of this device that contains an address, even if other code made it. Empty if the address
  /// is not in memory of this device.
  virtual std::optional<address_range> allocation_at(const void* address) = 0;
  /// A range that contains all its memory; all addresses if unknown.
  virtual address_range addresses() { return {nullptr, SIZE_MAX}; }
  /// Stores a value from the host into a word that streams may wait for.
  virtual void store(std::atomic<std::uint32_t>& word, std::uint32_t value) = 0;
  /// A key by which other processes of this host find memory of this device; nothing if they cannot.
  virtual std::optional<memory_key> key_of(const void* /*address*/) { return std::nullopt; }
  /// The reason why there is no key, if known; for users.
  virtual std::string why_no_key() { return {}; }
  /// The address in this process of memory that another process of this host has a key for, to copy from it.
  /// Null if it cannot be mapped. Valid until the owner frees the memory.
  virtual const void* find(const memory_key& /*key*/) { return nullptr; }
  /// Unmaps found memory whose owner waits to free it. Called often, by idle PEs.
  virtual void close_ended() noexcept {}
  /// Waits until all streams have completed, and unmaps all found memory.
  virtual void close_found() noexcept {}
  /// The address, as from `find`, of memory that this process may also write to.
  virtual std::byte* reach(const memory_key& /*key*/) { return nullptr; }
  /// Sets the observer of all operations from now on; null for no observer. False if this backend cannot
  /// report them.
  virtual bool observe(operation_observer* /*observer*/) { return false; }
  /// Reports all operations that have ended so far, if the backend reports late.
  virtual void catch_up() noexcept {}
  /// Waits until all streams have completed. Also returns if the device has failed.
  virtual void drain() noexcept = 0;
};

}  // namespace imbrex
