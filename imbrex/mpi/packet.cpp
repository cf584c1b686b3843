// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/packet.hpp>

#include <cstring>
#include <new>
#include <string>
#include <utility>

#include <imbrex/core/pe/processor.hpp>
#include <imbrex/device/memory_key.hpp>
#include <imbrex/mpi/program.hpp>

namespace imbrex::mpi {

using detail::processor;

namespace {

constexpr detail::work_type functions_of_packet{
    "packet", [](detail::work& item) { static_cast<packet&>(item).deliver(); },
    [](detail::work& item) noexcept { packet::release(static_cast<packet&>(item)); },
    [](detail::work& item, writer& out) {
      auto& p = static_cast<packet&>(item);
      detail::pack_header(p, out);
      p.serialize(out);
    },
    &packet::unpack};

}  // namespace

packet::record::record() : message_type("imbrex::mpi::packet", {}, {}, functions_of_packet) {
  element = [](const detail::work& m) { return static_cast<const packet&>(m).key; };
}
packet::record packet::type_record;

packet& packet::make(std::size_t bytes) {
  auto& p = *::new (detail::pool::allocate(sizeof(packet) + bytes)) packet();
  p.type = &type_record;
  p.origin = static_cast<std::uint32_t>(processor::running_here().pe());
  p.held = bytes;
  return p;
}

void packet::release(packet& p) noexcept { detail::pool::release(&p, sizeof(packet) + p.held); }

void packet::serialize(writer& out) {
  detail::process_key(key, out);
  detail::pack_number(static_cast<std::uint8_t>(form), out);
  detail::pack_number(head.context, out);
  detail::pack_number(static_cast<std::uint32_t>(head.source), out);
  detail::pack_number(static_cast<std::uint32_t>(head.tag), out);
  detail::pack_number(from, out);
  detail::pack_number(sequence, out);
  detail::pack_number(size, out);
  if (has_data_behind(form)) return out.bytes(data(), static_cast<std::size_t>(held));
  detail::pack_number(process, out);
  detail::pack_number(address, out);
  detail::pack_number(offer, out);
  if (form == packet_form::shared) out.bytes(data(), sizeof(memory_key));
}

detail::work* packet::unpack(reader& in) {
  packet read;
  read.type = &type_record;
  detail::unpack_header(read, in);
  detail::process_key(read.key, in);
  const auto form = detail::unpack_short_number(in);
  if (form > static_cast<std::uint32_t>(packet_form::shared))
    throw serial_error("a packet of MPI of form " + std::to_string(form));
  read.form = static_cast<packet_form>(form);
  read.head.context = detail::unpack_number(in);
  read.head.source = static_cast<std::int32_t>(detail::unpack_short_number(in));
  read.head.tag = static_cast<std::int32_t>(detail::unpack_short_number(in));
  read.from = detail::unpack_short_number(in);
  read.sequence = detail::unpack_short_number(in);
  read.size = detail::unpack_number(in);
  if (read.from >= static_cast<std::uint32_t>(program::current().ranks))
    throw serial_error("a packet of MPI from rank " + std::to_string(read.from));
  if (!has_data_behind(read.form)) {
    read.process = detail::unpack_short_number(in);
    read.address = detail::unpack_number(in);
    read.offer = detail::unpack_number(in);
  }
  std::size_t held = has_data_behind(read.form) ? static_cast<std::size_t>(read.size) : 0;
  if (read.form == packet_form::shared) held = sizeof(memory_key);
  const auto bytes = in.view(held);
  auto& p = *::new (detail::pool::allocate(sizeof(packet) + held)) packet(read);
  p.held = held;
  if (held > 0) std::memcpy(p.data(), bytes.data(), held);
  return &p;
}

}  // namespace imbrex::mpi
