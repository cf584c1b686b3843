// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace imbrex {

/// A checkpoint that has been written.
struct checkpoint_result {
  std::uint64_t number = 0;
  std::string path;            ///< folder, such as "saved/000012"
  std::uint64_t bytes = 0;     ///< bytes of all parts
  double seconds_stopped = 0;  ///< time from the stop of the first element until all go on
  double seconds = 0;          ///< from the request until all was on the disk

  void serialize(auto& ar) { ar(number, path, bytes, seconds_stopped, seconds); }
};

}  // namespace imbrex
