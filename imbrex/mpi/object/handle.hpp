// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace imbrex::mpi {

/// The kind of an object, as it stands in the bits 26 to 29 of its handle.
enum class handle_kind : std::uint32_t {
  communicator = 1,
  group = 2,
  datatype = 3,
  file = 4,
  error_handler = 5,
  operation = 6,
  info = 7,
  window = 8,
  keyval = 9,
  request = 11,
  session = 14,
};

/// Who has made an object, as it stands in the bits 30 and 31 of its handle.
enum class handle_origin : std::uint32_t { nobody = 0, mpi = 1, program = 2 };

constexpr handle_kind kind_of(int handle) { return handle_kind(std::uint32_t(handle) >> 26 & 0xf); }
constexpr handle_origin origin_of(int handle) { return handle_origin(std::uint32_t(handle) >> 30); }

/// The handle of the object number `index` of a kind that the program has made; index < 2^26.
constexpr int make_handle(handle_kind kind, std::uint32_t index) {
  return int(std::uint32_t(handle_origin::program) << 30 | std::uint32_t(kind) << 26 | index);
}
constexpr std::uint32_t index_of(int handle) { return std::uint32_t(handle) & 0x3ffffff; }

/// "communicator", "info", ...; null of a number that is no kind.
const char* name_of(handle_kind kind);

/// Throws mpi::error of the class that belongs to the kind, which says what `handle` is instead of an object
/// of that kind: "0x4c000405 is the handle of a datatype and not of a communicator".
[[noreturn]] void refuse_handle(int handle, handle_kind kind);

/// "0x4c000405".
std::string text_of_handle(int handle);

}  // namespace imbrex::mpi
