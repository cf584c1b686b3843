// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <imbrex/device/device.hpp>
#include <imbrex/device/memory_key.hpp>
#include <imbrex/resident/nvshmem.hpp>

namespace imbrex::resident {

/// Method by which the GPUs of several processes map each other's memory: handles of the device's driver,
/// which work within one host; NVSHMEM; or `any`, which is handles if all processes are on one host, else
/// NVSHMEM.
enum class heap_way : std::uint32_t { any, handles, nvshmem };

/// Contribution of a process to a symmetric heap.
struct heap_part {
  std::uint64_t bytes = 0;                   ///< size of the memory
  heap_way way = heap_way::any;              ///< requested method
  std::string host;                          ///< as `name_of_host` returns it
  std::string hardware;                      ///< location of its GPU on the host; empty: it is no hardware
  std::string why_no_nvshmem;                ///< empty: NVSHMEM is available
  bool has_session = false;                  ///< an NVSHMEM session exists
  std::vector<std::uint32_t> unused_pieces;  ///< numbers of NVSHMEM pieces that the process does not use any
                                             ///< more
  nvshmem::unique_id id;                     ///< from process 0
  memory_key key;                            ///< name by which another process maps the memory

  void serialize(auto& ar) {
    ar(bytes, way, host, hardware, why_no_nvshmem, has_session, unused_pieces, id, key);
  }
};

namespace detail {

/// Memory of this process in a symmetric heap, and the means to map that of other processes.
class heap_source {
 public:
  heap_source() = default;
  heap_source(const heap_source&) = delete;
  heap_source& operator=(const heap_source&) = delete;
  virtual ~heap_source() = default;
  virtual std::byte* own() const = 0;
  /// Key by which other processes find this memory. Throws usage_error if they cannot.
  virtual memory_key key() const = 0;
  /// Address at which this process maps the memory of process `of`; null if it cannot reach it.
  virtual std::byte* reach(std::uint32_t of, const memory_key& key) const = 0;
  /// Condition under which processes can map each other's memory, for error texts.
  virtual std::string condition() const = 0;
};

/// Memory of the device, which other processes find by the driver's handles. Within one process it may hold
/// the memory of several GPUs.
std::unique_ptr<heap_source> source_of_device(device& of, std::size_t bytes);
/// Memory of a piece of an NVSHMEM session.
std::unique_ptr<heap_source> source_of_session(std::shared_ptr<nvshmem::session> of,
                                               const nvshmem::session::piece& what);

/// Reason why processes with that device cannot use NVSHMEM; empty if they can.
std::string why_no_nvshmem(const device_info& of);

/// Method, and the reason for it.
struct heap_choice {
  heap_way way = heap_way::handles;
  std::string why;
};
/// Method of all processes, chosen from all contributions. Throws usage_error, equally in all processes, if
/// there is none.
heap_choice choose_heap_way(const std::vector<heap_part>& all);
/// Throws usage_error if two processes of a host have one GPU.
void check_hardware(const std::vector<heap_part>& all);

}  // namespace detail
}  // namespace imbrex::resident
