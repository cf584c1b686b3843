// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include <imbrex/device/pooled_memory.hpp>

namespace imbrex::mpi {

class rank;
class transfers;
struct long_data;
struct packet;
struct request;

/// Sends and receives of data in memory of devices. MPI has no streams: data are ready when a program calls a
/// function, and a request is done when the device has copied them. A packet is matched in order like any
/// other; only then does the receiver's device begin to copy.
class device_transfers {
 public:
  device_transfers(rank& owner, transfers& all) : owner_(owner), all_(all) {}

  /// Begins a send from a device.
  void send(request& q, int to);
  /// Passes a packet to its receive, and consumes it; one of the two is on a device.
  void give(request& receive, packet& p);
  /// Copies requested data to the device of their receive.
  void land(request& receive, long_data& d);

  /// The data of an offered send, in memory that this process reads.
  const std::byte* data_of(const request& offered) const;
  /// Releases the copy of an offered send.
  void end_offer(std::uint64_t offer) { leaving_.erase(offer); }
  /// Host memory for the data that receive number `receive` has requested.
  std::byte* place_for(std::uint64_t receive) const;

 private:
  struct arrival;
  struct landing;
  struct departure;
  using host_copies = std::map<std::uint64_t, detail::pooled_memory>;  ///< by the request's number

  rank& owner_;
  transfers& all_;
  host_copies leaving_;  ///< offered data of a device whose memory the receiver's process cannot read
  host_copies coming_;   ///< buffers for requested data that go on to a device
};

}  // namespace imbrex::mpi
