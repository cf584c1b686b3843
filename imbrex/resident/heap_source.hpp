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

/// By what the GPUs of several processes map each other's memory: by handles that the device's driver gives,
/// which are good on one host; by NVSHMEM; or by handles where all processes are on one host, and else by
/// NVSHMEM.
enum class heap_way : std::uint32_t { any, handles, nvshmem };

/// What a process brings to a symmetric heap.
struct heap_part {
  std::uint64_t bytes = 0;
  heap_way way = heap_way::any;           ///< that it asks for
  std::string host;                       ///< as `name_of_host` has it
  std::string hardware;                   ///< where its GPU is on the host; empty: it is no hardware
  std::string why_no_nvshmem;             ///< empty: it has it
  bool has_session = false;               ///< of NVSHMEM, under way
  std::vector<std::uint32_t> given_back;  ///< its numbers of what it does not use any more there
  nvshmem::unique_id id;                  ///< of process 0
  memory_key key;

  void serialize(auto& ar) {
    ar(bytes, way, host, hardware, why_no_nvshmem, has_session, given_back, id, key);
  }
};

namespace detail {

/// The memory that this process has of a symmetric heap, and how it and others find each other's.
class heap_source {
 public:
  heap_source() = default;
  heap_source(const heap_source&) = delete;
  heap_source& operator=(const heap_source&) = delete;
  virtual ~heap_source() = default;
  virtual std::byte* own() const = 0;
  /// How others find it. Throws usage_error if they cannot.
  virtual memory_key key() const = 0;
  /// Where this process has that of process `of`; null if it cannot reach it.
  virtual std::byte* reach(std::uint32_t of, const memory_key& key) const = 0;
  /// What must be so that processes can; for people.
  virtual std::string condition() const = 0;
};

/// Memory of the device's, which others find by the driver's handles; by itself of as many GPUs as it holds.
std::unique_ptr<heap_source> source_of_device(device& of, std::size_t bytes);
/// A piece of a session.
std::unique_ptr<heap_source> source_of_session(std::shared_ptr<nvshmem::session> of,
                                               const nvshmem::session::piece& what);

/// Why processes with that device have no heap by NVSHMEM; empty if they may.
std::string why_no_nvshmem(const device_info& of);

/// A way, and why that.
struct heap_choice {
  heap_way way = heap_way::handles;
  std::string why;
};
/// What all processes choose, by what all bring. Throws usage_error, the same in all, if there is no way.
heap_choice choose_heap_way(const std::vector<heap_part>& all);
/// Throws usage_error if two processes of a host have one GPU.
void check_hardware(const std::vector<heap_part>& all);

}  // namespace detail
}  // namespace imbrex::resident
