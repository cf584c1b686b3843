// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace imbrex::mpi {

/// The kind of an object; bits 26 to 29 of its handle.
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

/// The creator of an object; bits 30 and 31 of its handle.
enum class handle_origin : std::uint32_t { nobody = 0, mpi = 1, program = 2 };

constexpr handle_kind kind_of(int handle) { return handle_kind(std::uint32_t(handle) >> 26 & 0xf); }
constexpr handle_origin origin_of(int handle) { return handle_origin(std::uint32_t(handle) >> 30); }

/// The handle of a program's object with number `index`; index < 2^26.
constexpr int make_handle(handle_kind kind, std::uint32_t index) {
  return int(std::uint32_t(handle_origin::program) << 30 | std::uint32_t(kind) << 26 | index);
}
constexpr std::uint32_t index_of(int handle) { return std::uint32_t(handle) & 0x3ffffff; }

/// "communicator", "info", ...; null for an unknown kind.
const char* name_of(handle_kind kind);

/// Throws mpi::error of the kind's class, with a text about the real kind of `handle`: "0x4c000405 is the
/// handle of a datatype and not of a communicator".
[[noreturn]] void refuse_handle(int handle, handle_kind kind);

/// The handle in hexadecimal: "0x4c000405".
std::string text_of_handle(int handle);

}  // namespace imbrex::mpi
