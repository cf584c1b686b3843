// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message/short_item.hpp>

#include <cstring>
#include <new>
#include <optional>

#include <imbrex/core/message/message.hpp>
#include <imbrex/core/message/wire.hpp>
#include <imbrex/serial/error.hpp>

namespace imbrex::detail {

namespace {

/// The part of a packed message before its arguments.
struct envelope {
  plain_header header;
  std::uint64_t key;
};

/// For numbers of several bytes. Empty if the input is malformed: unpacking the message reports the error.
[[gnu::noinline]] std::optional<envelope> unpack_long_envelope(reader& in) {
  try {
    const plain_header header =
        short_header::is_next(in) ? unpack_short_header(in).numbers() : unpack_long_header(in).numbers;
    return envelope{header, unpack_number(in)};
  } catch (const serial_error&) {
    return std::nullopt;
  }
}

/// Empty if the header has optional parts, or if the input is malformed.
std::optional<envelope> unpack_envelope(reader& in) {
  const auto ahead = in.ahead();
  if (short_header::is_next(in) && ahead.size() > sizeof(short_header) &&
      ahead[sizeof(short_header)] <= std::byte{0x7f}) {
    const plain_header header = unpack_short_header(in).numbers();
    return envelope{header, unpack_number(in)};
  }
  if (ahead.empty() || (ahead.front() != std::byte{0} && ahead.front() != std::byte{no_parts}))
    return std::nullopt;
  return unpack_long_envelope(in);
}

}  // namespace

short_item* short_item::of(std::span<const std::byte> packed, std::uint32_t pes) {
  if (packed.size() > endpoint::longest_written) return nullptr;
  reader in(packed);
  const auto read = unpack_envelope(in);
  if (!read || read->header.origin >= pes || read->header.kind >= message_table::size()) return nullptr;
  const work_type* const kind = message_table::at(read->header.kind).as_short;
  if (kind == nullptr) return nullptr;
  auto* const item = ::new (pool::allocate(sizeof(short_item) + packed.size())) short_item();
  item->type = kind;
  item->origin = read->header.origin;
  item->collection = read->header.collection;
  item->key = read->key;
  item->arguments = static_cast<std::uint16_t>(packed.size() - in.ahead().size());
  item->size = static_cast<std::uint16_t>(packed.size());
  std::memcpy(item + 1, packed.data(), packed.size());
  return item;
}

}  // namespace imbrex::detail
