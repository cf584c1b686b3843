// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include <imbrex/device/device.hpp>

namespace imbrex::mpi {

/// Determines which addresses of a program lie in the memory of the process's devices. Caches memory found
/// recently (J. Choi 2022, section 4.2.3). One thread at a time.
class device_memory {
 public:
  /// Uses the devices of the run; called on one of its PEs. Without a device all memory is the host's.
  void begin();

  /// False if all memory is the host's.
  bool any() const { return addresses_.bytes != 0; }
  /// The device whose memory holds an address; null for the host. O(1) for most host addresses and for
  /// addresses near one found recently.
  device* find(const void* address) {
    return addresses_.holds(address) ? search(static_cast<const std::byte*>(address)) : nullptr;
  }
  /// Throws mpi::error (MPI_ERR_BUFFER) unless `bytes` bytes from a device address lie in one allocation.
  void check(const std::byte* first, std::size_t bytes, device& on);
  /// Registers an allocation of the program as a block by itself, even if a pool has provided more bytes.
  /// O(log blocks).
  void add_block(const void* address, std::size_t bytes);
  void remove_block(const void* address);

 private:
  struct piece {
    address_range range;
    device* on = nullptr;
  };
  device* search(const std::byte* address);

  std::optional<address_range> block_with(const std::byte* address) const;

  std::map<const std::byte*, std::size_t> blocks_;  ///< size in bytes by first address
  address_range addresses_;                         ///< all memory outside is the host's
  std::array<piece, 4> known_{};
  std::size_t next_ = 0;  ///< index in `known_` to replace next
};

/// The device of the running PE. Throws mpi::error (MPI_ERR_OTHER) if there is none.
device& own_device();
/// Whether the run has devices of this backend, such as "cuda".
bool has_devices(std::string_view backend);

/// Throws mpi::error (MPI_ERR_BUFFER); `what` names the memory in its message.
[[noreturn]] void throw_on_device(const device& on, const char* what);

}  // namespace imbrex::mpi
