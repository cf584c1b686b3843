// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <imbrex/serial/archive.hpp>

namespace imbrex {

/// The bytes of a value as in a message: in this machine's order, for programs that were built from the same
/// types.
template <class T>
std::vector<std::byte> to_bytes(const T& value) {
  writer out;
  out(value);
  return out.take();
}

/// The value that `to_bytes` has made these bytes of. They may come from anywhere: throws serial_error if
/// they are too few, too many or malformed.
template <class T>
T from_bytes(std::span<const std::byte> bytes) {
  reader in(bytes);
  T value{};
  in(value);
  in.finish();
  return value;
}

}  // namespace imbrex
