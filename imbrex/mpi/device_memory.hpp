// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include <imbrex/device/device.hpp>

namespace imbrex::mpi {

/// Which addresses of a program lie in the memory of the process's devices. It remembers where it has found
/// some (J. Choi 2022, section 4.2.3). One thread at a time.
class device_memory {
 public:
  /// Of the devices of the run, on one of its PEs; without a device all memory is the host's.
  void begin();

  /// False if all memory is the host's.
  bool any() const { return addresses_.bytes != 0; }
  /// The device in whose memory an address lies; null if it lies in the host's. O(1) for most addresses of
  /// the host, and for those near one that was found lately.
  device* find(const void* address) {
    return addresses_.holds(address) ? search(static_cast<const std::byte*>(address)) : nullptr;
  }
  /// Throws mpi::error (MPI_ERR_BUFFER) unless so many bytes from an address that is a device's lie in one
  /// piece of its memory.
  void check(const std::byte* first, std::size_t bytes, device& on);
  /// A block that the program has asked for is a piece by itself, though a pool may have given more bytes.
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

  std::map<const std::byte*, std::size_t> blocks_;  ///< their bytes
  address_range addresses_;                         ///< outside of which all memory is the host's
  std::array<piece, 4> known_{};
  std::size_t next_ = 0;  ///< of `known_`, to be replaced
};

/// Throws mpi::error (MPI_ERR_BUFFER), which says what lies there.
[[noreturn]] void throw_on_device(const device& on, const char* what);

}  // namespace imbrex::mpi
