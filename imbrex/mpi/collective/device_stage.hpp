// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <imbrex/mpi/collective/schedule.hpp>

namespace imbrex::mpi {

/// Copies on the host of what a collective is given in memory of devices: whatever way its members choose, it
/// works on these. What it receives goes back to the device run by run, so that nothing between is touched.
class device_stage {
 public:
  /// For what lies at `extent` on a device; `address` becomes where the copy has what lies there on the
  /// device. True if it was not there before.
  bool add(const address_range& extent, device& on, void*& address);
  /// Data on a device, of an extent that was added, will have been received.
  void add_received(const user_buffer& data);

  /// The rank waits for the copy to the host that was added last.
  void fetch_last(rank& by);
  /// For what has been received to be back.
  void give_back(rank& by);

  /// Goes there and back around what `make` makes, as a part of its schedule.
  friend plan go_by_host(schedule& s, const device_stage& stage, const schedule::maker& make);

 private:
  struct part {
    address_range extent;
    device* on;
    std::unique_ptr<std::byte[]> memory;
    std::byte* copy;  ///< of the extent, aligned as it is
  };
  struct run {
    std::byte* to;
    device* on;
    const std::byte* from;
    std::size_t bytes;
  };
  std::vector<part> parts_;
  std::vector<run> received_;
};
plan go_by_host(schedule& s, const device_stage& stage, const schedule::maker& make);

}  // namespace imbrex::mpi
