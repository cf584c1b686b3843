// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <imbrex/device/stream.hpp>

namespace imbrex {

/// A stream for each kind of work that a chare gives to its device; some may be the same. The run's
/// `stream_policy`
/// (`--streams`) says which: so a program is written once, and how it spreads its work is chosen when it
/// starts. What depends on each other is ordered by events where it lies in different streams (`order`). All
/// but the one that computes have a high priority: what others wait for goes first.
class stream_set {
 public:
  /// On the device of the PE that this runs on. `owner` names its streams in errors, such as "block (0, 1)";
  /// those of `five` are the device's, and cannot be captured if several PEs have that device. Throws
  /// imbrex::error if the run has no device.
  explicit stream_set(const std::string& owner);

  stream& compute() { return of(0); }
  stream& pack() { return of(1); }
  stream& from_device() { return of(2); }
  stream& to_device() { return of(3); }
  stream& unpack() { return of(4); }

 private:
  stream& of(std::size_t kind) { return (*streams_)[place_[kind]]; }

  std::shared_ptr<std::vector<stream>> streams_;
  std::array<std::size_t, 5> place_;
};

}  // namespace imbrex
