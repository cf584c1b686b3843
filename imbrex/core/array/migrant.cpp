// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/migrant.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include <imbrex/core/pe/processor.hpp>
#include <imbrex/net/packing.hpp>

namespace imbrex::detail {

namespace {

/// Lists the attachments that an archive meets.
class list_of_parts final : public part_carrier {
 public:
  explicit list_of_parts(std::vector<attachment*>& found) : found_(found) {}

  void take(attachment& part) override { found_.push_back(&part); }
  void take_host_memory() override { has_host_memory_ = true; }
  void give(attachment& /*part*/, std::size_t /*size*/) override {}
  bool has_host_memory() const { return has_host_memory_; }

 private:
  std::vector<attachment*>& found_;
  bool has_host_memory_ = false;
};

}  // namespace

migrant_base::~migrant_base() {
  end_element();
  if (restart != nullptr) restart->type->destroy(*restart);
}

void migrant_base::end_element() noexcept {
  if (element == nullptr) return;
  element->dying = true;
  while (element->entries != nullptr) end_scope(*element->entries);
  chares_.destroy(*std::exchange(element, nullptr));
}

bool migrant_base::collect(std::vector<attachment*>& parts) {
  if (element != nullptr) {
    collect_unread(parts);
    return collect_members(parts);
  }
  if (beside) beside->collect(parts);
  return false;
}

bool migrant_base::collect_members(std::vector<attachment*>& parts) {
  if (!can_be_packed()) return false;
  std::vector<attachment*> unread, found;
  collect_unread(unread);
  list_of_parts list(found);
  writer all(writer::counting);
  all.carry_by(list);
  write_object(all);
  std::ranges::sort(unread);
  std::ranges::sort(found);
  std::ranges::set_difference(found, unread, std::back_inserter(parts));
  return list.has_host_memory();
}

void migrant_base::pack(owner<separate_parts> parts) {
  writer out;
  if (parts) out.carry_by(*parts);
  serialize_element(out);
  packed = out.take();
  beside = std::move(parts);
  end_element();
  if (restart != nullptr) restart->type->destroy(*std::exchange(restart, nullptr));
}

void migrant_base::collect_unread(std::vector<attachment*>& parts) {
  for (const auto* port = kind().attachments->next_port; port != nullptr; port = port->next_port)
    port->collect_unread(chares_.object(*element), parts);
  if (chares_.collect_unread != nullptr) chares_.collect_unread(*element, parts);
  if (restart != nullptr && restart->has_attachments) restart->kind().collect_attachments(*restart, parts);
}

bool migrant_base::finds_attachments() {
  std::vector<attachment*> parts;
  collect_unread(parts);
  return !parts.empty();
}

void migrant_base::serialize_element(writer& out) {
  if (element == nullptr) return out.bytes(packed.data(), packed.size());
  chares_.headers->write(*element, out);
  write_object(out);
  out(restart != nullptr);
  if (restart == nullptr) return;
  out(restart->kind().id);
  restart->type->pack(*restart, out);
}

void migrant_base::write_object(writer& out) {
  try {
    chares_.write(*element, out);
  } catch (...) {
    rethrow_travel_failure(chares_.is_pickled ? "pickling" : "serialize", *element);
  }
}

void migrant_base::serialize_element(reader& in) {
  packed.resize(in.remaining());
  in.rest(packed.data());
}

void migrant_base::arrive_at(collection_base& part) {
  message_guard<message> guard(*this);
  if (element == nullptr) {
    unpack(part);
    arrival_desk* const desk = part.pe().local<desk_of_arrivals>().desk;
    if (desk != nullptr && desk->keeps(*this)) return static_cast<void>(guard.release());
  }
  part.arrive(*std::exchange(element, nullptr), restart, static_cast<int>(origin));
}

void migrant_base::unpack(collection_base& part) {
  reader in(packed);
  if (beside) in.carry_by(*beside);
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
