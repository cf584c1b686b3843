// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message/short_item.hpp>

#include <bit>
#include <cstring>
#include <new>

#include <imbrex/core/message/message.hpp>
#include <imbrex/core/message/wire.hpp>

namespace imbrex::detail {

namespace {

struct plain_header {
  std::uint64_t id;
  std::uint64_t origin;
  std::uint64_t collection;
};

[[gnu::noinline]] plain_header read_long_header(short_input& in) {
  if (in.value<std::uint8_t>() != 0) in.refuse();  // it has other parts
  const std::uint64_t id = in.number();
  const std::uint64_t origin = in.number();
  const std::uint64_t collection = in.number();
  if ((id | origin) >> 32U != 0) in.refuse();
  return {id, origin, std::rotr(collection, 1)};
}

plain_header read_header(short_input& in, std::span<const std::byte> packed) {
  short_header header;
  if (packed.size() < sizeof header) return read_long_header(in);
  std::memcpy(&header, packed.data(), sizeof header);
  if (!header.is_short()) return read_long_header(in);
  in.bytes(sizeof header);
  return {header.id(), header.origin(), header.collection()};
}

}  // namespace

short_item* short_item::of(std::span<const std::byte> packed, std::uint32_t pes) {
  if (packed.size() > endpoint::longest_written) return nullptr;
  short_input in(packed);
  const plain_header header = read_header(in, packed);
  if (!in.is_good() || header.origin >= pes || header.id >= message_table::size()) return nullptr;
  const work_type* const kind = message_table::at(static_cast<std::uint32_t>(header.id)).as_short;
  if (kind == nullptr) return nullptr;
  auto* const made = ::new (pool::allocate(sizeof(short_item) + packed.size())) short_item();
  made->type = kind;
  made->origin = static_cast<std::uint32_t>(header.origin);
  made->collection = header.collection;
  made->header = static_cast<std::uint16_t>(packed.size() - in.left());
  made->size = static_cast<std::uint16_t>(packed.size());
  std::memcpy(made + 1, packed.data(), packed.size());
  return made;
}

}  // namespace imbrex::detail
