// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <imbrex/mpi/collective/schedule.hpp>

namespace imbrex::mpi {

/// Host copies of a collective's buffers in device memory. The collective works on the copies, whatever its
/// algorithm. Received data return to the device run by run, so that bytes between the runs are not touched.
class device_stage {
 public:
  /// Adds the device memory of `extent`. `address` lies in the extent and becomes the corresponding address
  /// in the copy. True if the extent is new.
  bool add(const address_range& extent, device& on, void*& address);
  /// Marks device data in an added extent as received, to be copied back.
  void add_received(const user_buffer& data);

  /// Copies the last added extent to the host; the rank waits for it.
  void fetch_last(rank& by);
  /// Copies the received data back to the device; the rank waits for it.
  void give_back(rank& by);

  /// A plan that copies to the host, runs the plan from `make`, and copies back, as part of the same
  /// schedule.
  friend plan go_by_host(schedule& s, const device_stage& stage, const schedule::maker& make);

 private:
  struct part {
    address_range extent;
    device* on;
    std::unique_ptr<std::byte[]> memory;
    std::byte* copy;  ///< the extent's copy, with the same alignment
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
