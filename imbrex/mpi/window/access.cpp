// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/window/access.hpp>

#include <cstring>

#include <imbrex/mpi/rank/packet.hpp>
#include <imbrex/serial/error.hpp>

namespace imbrex::mpi {

namespace {

constexpr std::size_t length_of(std::size_t numbers) { return numbers * sizeof(std::int64_t); }

std::size_t held_data(const access_header& header) {
  return header.follows ? 0 : static_cast<std::size_t>(header.bytes);
}

}  // namespace

access_packet::access_packet(const packet& p) {
  const auto room = static_cast<std::size_t>(p.held);
  if (room < sizeof header_) throw serial_error("an access to a window that is cut off");
  std::memcpy(&header_, p.data(), sizeof header_);
  const std::byte* const behind = p.data() + sizeof header_;
  const std::size_t rest = room - sizeof header_;
  if (header_.kind > access_kind::end || header_.bytes < 0 || header_.count < 0 ||
      header_.type_length > rest / sizeof(std::int64_t) ||
      held_data(header_) > rest - length_of(header_.type_length))
    throw serial_error("an access to a window that is cut off");
  type_ = {reinterpret_cast<const std::int64_t*>(behind), header_.type_length};
  data_ = behind + length_of(header_.type_length);
}

access_message make_access(const access_header& header, std::span<const std::int64_t> type) {
  const std::size_t bytes = sizeof header + type.size_bytes() + held_data(header);
  packet& p = packet::make(bytes);
  p.form = packet_form::access;
  p.size = bytes;
  access_header whole = header;
  whole.type_length = static_cast<std::uint32_t>(type.size());
  std::memcpy(p.data(), &whole, sizeof whole);
  std::byte* const behind = p.data() + sizeof whole;
  if (!type.empty()) std::memcpy(behind, type.data(), type.size_bytes());
  return {p, behind + type.size_bytes()};
}

}  // namespace imbrex::mpi
