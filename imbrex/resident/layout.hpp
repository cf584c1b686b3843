// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/resident/machine.hpp>

namespace imbrex::resident {

/// How a program inside a GPU runs. Sizes are of each PE.
struct settings {
  /// Thread blocks, or what else the classes say that PEs are; teams of threads of the host where the device
  /// is emulated. 0: as many as run at once.
  std::uint32_t pes = 0;
  /// Threads of a block, at most 512. 0: 128 on a GPU, 1 on a host.
  std::uint32_t threads = 0;
  placement placed = placement::round_robin;
  /// GPUs that the PEs are spread over evenly, those of one after those of the other; of a program in a
  /// `symmetric_heap` those of the heap. In simulated time, with a PE for each, a PE is all of its GPU.
  std::uint32_t gpus = 1;
  /// Messages that have arrived and wait: a power of two, at least 2.
  std::uint32_t mailbox = 256;
  /// Messages on their way to it from each other GPU: a power of two, at least 2.
  std::uint32_t crossing = 64;
  /// Messages for full mailboxes: more end the run with an error.
  std::uint32_t outbox = 1024;
  /// Messages whose reference number is not accepted yet: more end the run with an error.
  std::uint32_t early = 1024;
  /// Messages of more than 8 bytes that it has sent and that are not read yet.
  std::uint32_t parcels = 64;
  /// The most bytes of such a message, with up to 80 of the runtime's and of the fixed arguments.
  std::uint32_t parcel_bytes = 1024;
  /// Messages and lines that it has for the host, and the host for all, in memory that both have: a power of
  /// two. More are kept where they come from.
  std::uint32_t host_slots = 16;
  /// The most bytes of such a message, as of a parcel.
  std::uint32_t host_bytes = 256;
  /// If no PE begins an entry, and the host hears nothing, for so long while one runs or keeps messages, the
  /// process says who does what, and ends.
  nanoseconds patience = nanoseconds(10'000'000'000);
  /// The number of the first message. Numbers wrap; tests begin shortly before.
  std::uint32_t first_ticket = 0;
};

namespace detail {

/// What the host knows of a class and its array.
struct array_kind {
  std::string name;
  std::uint32_t element_bytes = 0;
  std::vector<int> shape;
  std::uint32_t numbered = 0, reductions = 0;
  std::uint32_t told = 0;  ///< entries of the host that it names
};

/// Lays a run's memory out: the image, which is written before each run, the bulk, which is not, and the
/// arrays. It is the same on each GPU; of the arrays each GPU uses its own elements.
class layout {
 public:
  /// All settings are given. `blocks` are those of a PE; 0: all of a GPU. `neighbours` are PEs of a cluster.
  /// Throws usage_error for what cannot be.
  layout(const settings& s, std::vector<array_kind> arrays, unsigned blocks, unsigned neighbours = 1);

  std::size_t image_bytes() const { return image_bytes_; }
  std::size_t bytes() const { return bytes_; }
  /// So many bytes at the begin of the image say how a run goes and how it has ended.
  std::size_t report_bytes() const { return report_bytes_; }
  const settings& chosen() const { return settings_; }
  const std::vector<array_kind>& arrays() const { return arrays_; }
  /// The machine whose memory is there, or a copy of its begin: aligned to 256 bytes. It is the first of its
  /// GPUs.
  machine at(std::byte* memory) const;
  /// Writes the image of a GPU. Addresses in it are none.
  void write(std::byte* image) const;
  /// And one message for the PE of that place among the GPU's.
  void write(std::byte* image, std::uint32_t place, const item& first) const;

 private:
  settings settings_;
  std::vector<array_kind> arrays_;
  machine offsets_;  ///< with offsets in place of addresses
  std::size_t image_bytes_ = 0, bytes_ = 0, report_bytes_ = 0;
};

}  // namespace detail
}  // namespace imbrex::resident
