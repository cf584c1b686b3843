// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <imbrex/serial/archive.hpp>

namespace imbrex {

/// Bytes of a value, as in a message: in this machine's byte order, for programs built from the same types.
template <class T>
std::vector<std::byte> to_bytes(const T& value) {
  check_serializable<T>();
  writer out;
  out(value);
  return out.take();
}

/// Value from bytes that `to_bytes` has made. Bytes of any origin are safe: throws serial_error if they are
/// too few, too many or malformed.
template <class T>
T from_bytes(std::span<const std::byte> bytes) {
  check_serializable<T>();
  reader in(bytes);
  T value{};
  in(value);
  in.finish();
  return value;
}

}  // namespace imbrex
