// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/serial/archive.hpp>

namespace imbrex {

/// Placeholder in a message for bytes that the program leaves out, as with `--no-data`. Only their number is
/// sent. On a modelled network (`--machine simulated`, `--net-bandwidth`) the message takes as long as with
/// the bytes.
struct absent_bytes {
  std::uint64_t count = 0;

  void serialize(auto& ar) {
    ar(count);
    if constexpr (!std::remove_reference_t<decltype(ar)>::reading) ar.absent(count);
  }
};

}  // namespace imbrex
