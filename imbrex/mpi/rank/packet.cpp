// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/packet.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include <imbrex/core/extension/pe.hpp>
#include <imbrex/device/memory_key.hpp>
#include <imbrex/mpi/rank/program.hpp>

namespace imbrex::mpi {

namespace {

constexpr detail::work_type functions_of_packet{
    "packet", [](detail::work& item) { static_cast<packet&>(item).deliver(); },
    [](detail::work& item) noexcept { packet::release(static_cast<packet&>(item)); },
    [](detail::work& item, writer& out) {
      auto& p = static_cast<packet&>(item);
      extension::pack_header(p, out);
      p.serialize(out);
    },
    &packet::unpack};

/// Short head of most packets, written and read as a whole: packing each number with its own length costs
/// some hundred instructions more.
struct short_head {
  std::uint64_t form_and_context;  ///< the form is the lowest byte
  std::uint64_t of_sender;         ///< 16 bits each from the lowest: source, tag, from, size
  std::uint32_t sequence;

  static constexpr std::size_t bytes = 20;
  /// Highest bit of the first byte: set for a long head.
  static constexpr std::uint8_t not_short = 0x80;
  static bool fits(const packet& p) {
    const auto tag = static_cast<std::uint32_t>(p.head.tag),
               source = static_cast<std::uint32_t>(p.head.source);
    return has_data_behind(p.form) && p.head.context >> 56U == 0 &&
           (source | tag | p.from | p.size) <= std::numeric_limits<std::uint16_t>::max();
  }
  static void write(const packet& p, writer& out) {
    out.number(static_cast<std::uint64_t>(p.form) | p.head.context << 8U);
    out.number(static_cast<std::uint64_t>(p.head.source) | static_cast<std::uint64_t>(p.head.tag) << 16U |
               static_cast<std::uint64_t>(p.from) << 32U | p.size << 48U);
    out.number(p.sequence);
  }
  static void read(packet& p, reader& in) {
    const std::byte* const at = in.view(bytes).data();
    short_head h;
    std::memcpy(&h.form_and_context, at, sizeof h.form_and_context);
    std::memcpy(&h.of_sender, at + sizeof h.form_and_context, sizeof h.of_sender);
    std::memcpy(&h.sequence, at + sizeof h.form_and_context + sizeof h.of_sender, sizeof h.sequence);
    p.form = static_cast<packet_form>(h.form_and_context & 0xffU);
    p.head.context = h.form_and_context >> 8U;
    p.head.source = static_cast<std::int32_t>(h.of_sender & 0xffffU);
    p.head.tag = static_cast<std::int32_t>(h.of_sender >> 16U & 0xffffU);
    p.from = static_cast<std::uint32_t>(h.of_sender >> 32U & 0xffffU);
    p.size = h.of_sender >> 48U;
    p.sequence = h.sequence;
  }
};

void write_long_head(const packet& p, writer& out) {
  out.number(static_cast<std::uint8_t>(static_cast<std::uint8_t>(p.form) | short_head::not_short));
  extension::pack_number(p.head.context, out);
  extension::pack_number(static_cast<std::uint32_t>(p.head.source), out);
  extension::pack_number(static_cast<std::uint32_t>(p.head.tag), out);
  extension::pack_number(p.from, out);
  extension::pack_number(p.sequence, out);
  extension::pack_number(p.size, out);
  if (has_data_behind(p.form)) return;
  extension::pack_number(p.process, out);
  extension::pack_number(p.address, out);
  extension::pack_number(p.offer, out);
}

void read_long_head(packet& p, reader& in) {
  std::uint8_t form = 0;
  in.bytes(&form, 1);
  p.form = static_cast<packet_form>(form & ~short_head::not_short);
  p.head.context = extension::unpack_number(in);
  p.head.source = static_cast<std::int32_t>(extension::unpack_short_number(in));
  p.head.tag = static_cast<std::int32_t>(extension::unpack_short_number(in));
  p.from = extension::unpack_short_number(in);
  p.sequence = extension::unpack_short_number(in);
  p.size = extension::unpack_number(in);
  if (has_data_behind(p.form)) return;
  p.process = extension::unpack_short_number(in);
  p.address = extension::unpack_number(in);
  p.offer = extension::unpack_number(in);
}

}  // namespace

packet::record::record() : extension::message_kind("imbrex::mpi::packet", {}, {}, functions_of_packet) {
  element = [](const detail::work& m) { return static_cast<const packet&>(m).key; };
}
packet::record packet::type_record;

packet& packet::make(std::size_t bytes) {
  auto& p = *::new (detail::pool::allocate(sizeof(packet) + bytes)) packet();
  p.type = &type_record;
  p.origin = static_cast<std::uint32_t>(extension::current_pe().number());
  p.held = bytes;
  return p;
}

void packet::release(packet& p) noexcept { detail::pool::release(&p, sizeof(packet) + p.held); }

void packet::serialize(writer& out) {
  extension::process_key(key, out);
  if (short_head::fits(*this))
    short_head::write(*this, out);
  else
    write_long_head(*this, out);
  if (has_data_behind(form)) return out.bytes(data(), static_cast<std::size_t>(held));
  if (form == packet_form::shared) out.bytes(data(), sizeof(memory_key));
}

detail::work* packet::unpack(reader& in) {
  packet read;
  read.type = &type_record;
  extension::unpack_header(read, in);
  extension::process_key(read.key, in);
  const auto ahead = in.ahead();
  const bool is_short =
      !ahead.empty() && (std::to_integer<std::uint8_t>(ahead.front()) & short_head::not_short) == 0;
  if (is_short)
    short_head::read(read, in);
  else
    read_long_head(read, in);
  if (read.form > packet_form::shared || (is_short && !has_data_behind(read.form)))
    throw serial_error("a packet of MPI of form " + std::to_string(static_cast<int>(read.form)));
  if (read.from >= static_cast<std::uint32_t>(program::current().ranks))
    throw serial_error("a packet of MPI from rank " + std::to_string(read.from));
  std::size_t held = has_data_behind(read.form) ? static_cast<std::size_t>(read.size) : 0;
  if (read.form == packet_form::shared) held = sizeof(memory_key);
  const auto bytes = in.view(held);
  auto& p = *::new (detail::pool::allocate(sizeof(packet) + held)) packet(read);
  p.held = held;
  if (held > 0) std::memcpy(p.data(), bytes.data(), held);
  return &p;
}

}  // namespace imbrex::mpi
