// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/migrant.hpp>

#include <cstdint>
#include <utility>

#include <imbrex/core/pe/processor.hpp>
#include <imbrex/net/packing.hpp>

namespace imbrex::detail {

migrant_base::~migrant_base() {
  if (element != nullptr) {
    element->dying = true;
    while (element->entries != nullptr) end_scope(*element->entries);
    chares_.destroy(*element);
  }
  if (restart != nullptr) restart->type->destroy(*restart);
}

void migrant_base::collect(std::vector<attachment*>& parts) {
  for (const auto* port = kind().attachments->next_port; port != nullptr; port = port->next_port)
    port->collect_unread(chares_.object(*element), parts);
  if (chares_.collect_unread != nullptr) chares_.collect_unread(*element, parts);
  if (restart != nullptr && restart->has_attachments) restart->kind().collect_attachments(*restart, parts);
}

bool migrant_base::finds_attachments() {
  std::vector<attachment*> parts;
  collect(parts);
  return !parts.empty();
}

void migrant_base::serialize_element(writer& out) {
  if (element == nullptr) return out.bytes(packed.data(), packed.size());
  chares_.headers->write(*element, out);
  try {
    chares_.write(*element, out);
  } catch (...) {
    rethrow_travel_failure(chares_.is_pickled ? "pickling" : "serialize", *element);
  }
  out(restart != nullptr);
  if (restart == nullptr) return;
  out(restart->kind().id);
  restart->type->pack(*restart, out);
}

void migrant_base::serialize_element(reader& in) {
  packed.resize(in.remaining());
  in.rest(packed.data());
}

void migrant_base::arrive_at(collection_base& part) {
  const message_guard<message> guard(*this);
  if (element == nullptr) unpack(part);
  part.arrive(*std::exchange(element, nullptr), restart, static_cast<int>(origin));
}

void migrant_base::unpack(collection_base& part) {
  reader in(packed);
  chare_header& h = chares_.headers->construct(chares_.allocate());
  h.home = &part;
  h.travels = true;
  const element_work runs(part.pe(), h);
  try {
    chares_.headers->read(h, in);
    construct(h);
  } catch (...) {
    chares_.release_unconstructed(h);
    throw;
  }
  element = &h;
  try {
    chares_.read(h, in);
  } catch (...) {
    rethrow_travel_failure(chares_.is_pickled ? "unpickling" : "serialize", h);
  }
  bool has_restart = false;
  in(has_restart);
  if (has_restart) {
    std::uint32_t kind = 0;
    in(kind);
    restart = static_cast<message*>(&unpacked(message_table::at(kind), in));
  }
  in.finish();
}

void migrant_base::construct(chare_header& h) const {
  try {
    chares_.construct(h);
  } catch (...) {
    rethrow_travel_failure("the default constructor", h);
  }
}

}  // namespace imbrex::detail
