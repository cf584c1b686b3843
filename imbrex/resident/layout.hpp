// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/resident/machine.hpp>

namespace imbrex::resident {

/// Settings of a program inside a GPU. Sizes are per PE.
struct settings {
  /// Number of PEs: thread blocks, or the kind of PE that the classes name. On an emulated device PEs are
  /// teams of host threads. 0: as many as run at once.
  std::uint32_t pes = 0;
  /// Threads per block, at most 512. 0: 128 on a GPU, 1 on a host.
  std::uint32_t threads = 0;
  placement placed = placement::round_robin;  ///< PEs that chares are on at the start
  /// GPUs that the PEs are spread over evenly, in contiguous ranges. For a program in a `symmetric_heap`: the
  /// GPUs of the heap. In simulated time, with one PE per GPU, a PE is all of its GPU.
  std::uint32_t gpus = 1;
  /// Capacity for messages that have arrived and wait: a power of two, at least 2.
  std::uint32_t mailbox = 256;
  /// Capacity for messages in flight from each other GPU: a power of two, at least 2.
  std::uint32_t crossing = 64;
  /// Capacity for messages to full mailboxes. More end the run with an error.
  std::uint32_t outbox = 1024;
  /// Capacity for messages whose reference number is not accepted yet. More end the run with an error.
  std::uint32_t early = 1024;
  /// Maximum number of messages of more than 8 bytes that a PE has sent and that are not read yet.
  std::uint32_t parcels = 64;
  /// Maximum size of a message of more than 8 bytes. The runtime and the fixed arguments take up to 80 bytes
  /// of it.
  std::uint32_t parcel_bytes = 1024;
  /// Messages and lines that a PE has for the host, and messages that the host has for all PEs: a power of
  /// two. They are in memory that both share. Further ones are kept by their sender.
  std::uint32_t host_slots = 16;
  /// Maximum size of a message to or from the host, counted as for a parcel.
  std::uint32_t host_bytes = 256;
  /// Time after which the process reports the state of all PEs, and ends. It counts while no PE begins an
  /// entry and the host receives nothing, although a PE runs an entry or keeps messages.
  nanoseconds patience = nanoseconds(10'000'000'000);
  /// Number of the first message. Numbers wrap; tests begin shortly before.
  std::uint32_t first_ticket = 0;
};

namespace detail {

/// Description of a class and its array, for the host.
struct array_kind {
  std::string name;
  std::uint32_t element_bytes = 0;
  std::vector<int> shape;
  std::uint32_t numbered = 0, reductions = 0;
  std::uint32_t entries_of_host = 0;  ///< number of the host's entries that it names
};

/// Memory layout of a run: the image, which is written before each run; the bulk, which is not; and the
/// arrays. The layout is equal on all GPUs. Of the arrays each GPU uses its own elements.
class layout {
 public:
  /// All settings have values, with no default left. `blocks` is the number per PE; 0: all of a GPU.
  /// `neighbours` is the number of PEs per cluster. Throws usage_error for invalid values.
  layout(const settings& s, std::vector<array_kind> arrays, unsigned blocks, unsigned neighbours = 1);

  std::size_t image_bytes() const { return image_bytes_; }
  std::size_t bytes() const { return bytes_; }
  /// Size of the first part of the image, which shows how a run goes and how it has ended.
  std::size_t report_bytes() const { return report_bytes_; }
  const settings& chosen() const { return settings_; }
  const std::vector<array_kind>& arrays() const { return arrays_; }
  /// Machine with that memory, or with a copy of its begin: aligned to 256 bytes. The machine is the view of
  /// its first GPU.
  machine at(std::byte* memory) const;
  /// Writes the image of a GPU. The image has no addresses.
  void write(std::byte* image) const;
  /// Writes one message into the image, for the PE of index `place` within the GPU.
  void write(std::byte* image, std::uint32_t place, const item& first) const;

 private:
  settings settings_;
  std::vector<array_kind> arrays_;
  machine offsets_;  ///< has offsets in place of addresses
  std::size_t image_bytes_ = 0, bytes_ = 0, report_bytes_ = 0;
};

}  // namespace detail
}  // namespace imbrex::resident
