// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/saved_members.hpp>

#include <cstdint>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/array/chare_functions.hpp>
#include <imbrex/core/array/collection_base.hpp>
#include <imbrex/core/gpu/device_transfers.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/message/wire.hpp>
#include <imbrex/core/pe/processor.hpp>

namespace imbrex::detail {

namespace {

/// Lists the device memory that the `serialize` of an element names.
class parts_of_element final : public part_carrier {
 public:
  explicit parts_of_element(const chare_header& e) {
    const auto& chares = static_cast<const collection_base&>(*e.home).chares();
    if (chares.write == nullptr || chares.is_pickled || chares.moves_with_entries) return;
    writer all(writer::counting);
    all.carry_by(*this);
    chares.write(const_cast<chare_header&>(e), all);
  }
  void take(attachment& part) override { found.push_back(&part); }
  void take_host_memory() override { has_host_memory = true; }
  void give(attachment& /*part*/, std::size_t /*size*/) override {}

  std::vector<attachment*> found;
  bool has_host_memory = false;
};

bool has_device() { return processor::here().completions() != nullptr; }

attachment copy_on_host(attachment& part, stream& last) {
  if (part.bytes() == 0) return {};
  if (!part.has_memory()) land_attachment(part);  // arrived memory that nobody has used
  stream& out = stream_out_of(*part.on());
  if (&out != &last) out.wait(shared_event(last));
  out.wait(part.ready());
  attachment copy = attachment::copied_to_host(part.address(), part.count(), part.size(), out);
  if (&out != &last) last.wait(shared_event(out));
  return copy;
}

}  // namespace

std::vector<attachment*> attachments_named_by(chare_header& e) { return parts_of_element(e).found; }

void members_to_write::fetch(chare_header& e) {
  if (!has_device()) return;
  // Arrays in bound memory may be on their way to it.
  static_cast<void>(has_bound_elsewhere(e, static_cast<const collection_base&>(*e.home).chares()));
  const parts_of_element parts(e);
  if (parts.found.empty() && !parts.has_host_memory) return;
  stream& last = transfers_here().out;
  if (std::exchange(last_, &last) == nullptr) static_cast<void>(wait_for_device(last));
  auto& copies = copies_[&e];
  for (attachment* const part : parts.found) copies.push_back(copy_on_host(*part, last));
}

void members_to_write::write(const chare_header& e, writer& out) {
  expected_ = 0;
  const auto at = copies_.find(&e);
  if (at == copies_.end()) return pack_number(0, out);
  expected_ = at->second.size();
  pack_number(expected_, out);
  for (attachment& copy : at->second) {
    writer bytes;
    copy.serialize(bytes);
    out(static_cast<std::uint64_t>(copy.size()), bytes.take());
  }
  copies_.erase(at);
}

void members_to_write::take(attachment& /*part*/) {
  if (expected_-- == 0)
    throw error(
        "its serialize names device memory that was not copied to the host before: are there more "
        "device_buffers than when the checkpoint began?");
}

void members_to_read::read(reader& in) {
  parts_.clear();
  next_ = 0;
  for (std::uint64_t n = unpack_number(in); n > 0; --n) {
    std::uint64_t size = 0;
    std::vector<std::byte> bytes;
    in(size, bytes);
    auto& part = parts_.emplace_back(attachment(), static_cast<std::size_t>(size));
    reader of_part(bytes);
    part.content.serialize(of_part, size == 0 ? 1 : part.size);
    of_part.finish();
    if (part.content.far() != nullptr || part.content.is_pending())
      throw serial_error("saved device memory refers to another process");
  }
}

void members_to_read::give(attachment& part, std::size_t size) {
  if (next_ == parts_.size() || (parts_[next_].content.count() != 0 && parts_[next_].size != size))
    throw serial_error("its serialize reads other device memory than was saved");
  part = std::move(parts_[next_++].content);
  if (part.count() == 0) part = {};
}

void members_to_read::complete(chare_header& e) {
  if (next_ != parts_.size()) throw serial_error("its serialize reads less device memory than was saved");
  if (parts_.empty()) return;
  stream& last = transfers_here().in;
  last_ = &last;
  for (attachment* const part : parts_of_element(e).found) {
    if (part->count() == 0) continue;
    land_attachment(*part);
    last.wait(part->ready());
  }
}

}  // namespace imbrex::detail
