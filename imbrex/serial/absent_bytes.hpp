// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/serial/archive.hpp>

namespace imbrex {

/// Stands in a message for so many bytes that the program leaves out, as with `--no-data`: in virtual time the message
/// travels as long as with them. Elsewhere only the number travels.
struct absent_bytes {
  std::uint64_t count = 0;

  void serialize(auto& ar) {
    ar(count);
    if constexpr (!std::remove_reference_t<decltype(ar)>::reading) ar.absent(count);
  }
};

}  // namespace imbrex
