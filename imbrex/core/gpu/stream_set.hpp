// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <imbrex/device/stream.hpp>

namespace imbrex {

/// The streams of a chare, one for each kind of work on its device; several kinds may share a stream. The
/// run's `stream_policy` (`--streams`) decides which. So a program is written once, and the distribution of
/// its work is chosen at its start. Events order work that depends on another stream (`stream::record`,
/// `stream::wait`). All streams but the computing one have high priority, since other chares wait for their
/// results.
class stream_set {
 public:
  /// Creates streams on this PE's device. `owner`: its name in errors, such as "block (0, 1)". Streams of
  /// policy `five` belong to the device, and cannot be captured if several PEs share it. Throws imbrex::error
  /// if the run has no device.
  explicit stream_set(const std::string& owner);

  stream& compute() { return of(0); }      ///< for kernels that update cells
  stream& pack() { return of(1); }         ///< for kernels that gather faces into messages
  stream& from_device() { return of(2); }  ///< for copies from the device to the host
  stream& to_device() { return of(3); }    ///< for copies from the host to the device
  stream& unpack() { return of(4); }       ///< for kernels that scatter received faces

 private:
  stream& of(std::size_t kind) { return (*streams_)[place_[kind]]; }

  std::shared_ptr<std::vector<stream>> streams_;
  std::array<std::size_t, 5> place_;
};

}  // namespace imbrex
