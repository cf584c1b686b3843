// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/bound_members.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

#include <imbrex/core/gpu/device_transfers.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/gpu/saved_members.hpp>
#include <imbrex/core/pe/local_array.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/serial/error.hpp>

namespace imbrex::detail {

namespace {

/// The number of an array without elements, which is in no memory.
constexpr std::uint64_t no_part = ~std::uint64_t{0};

std::vector<bound_array> arrays_of(const bound_memory& memory) {
  std::vector<bound_array> arrays;
  for (const bound_memory::slot& s : memory.slots) arrays.push_back({s.address, s.device, s.count});
  return arrays;
}

}  // namespace

bool bound_members::find(const std::vector<attachment*>& parts, const std::vector<bound_array>& arrays,
                         std::vector<place>& found) const {
  found.clear();
  for (const bound_array& array : arrays) {
    if (array.count == 0) {
      found.push_back({.part = no_part});
      continue;
    }
    const auto* const first = static_cast<const std::byte*>(array.address);
    const auto holds = [&](const attachment* part) {
      if (!part->has_memory()) return false;
      const auto* const begin = static_cast<const std::byte*>(part->address());
      return first >= begin && first + array.count * size_ <= begin + part->bytes();
    };
    const auto at = std::ranges::find_if(parts, holds);
    if (at == parts.end()) return false;
    const auto* const begin = static_cast<const std::byte*>((*at)->address());
    found.push_back({static_cast<std::uint64_t>(at - parts.begin()),
                     static_cast<std::uint64_t>(first - begin), array.count});
  }
  return true;
}

void bound_members::expect(chare_header* chare, const std::vector<bound_array>& from,
                           const std::vector<bound_array>& to) {
  ++bindings_;
  must_tell_ = false;
  is_pinned_ = chare != nullptr && chare->home->is_pinned();
  const std::vector<attachment*> parts =
      chare != nullptr ? attachments_named_by(*chare) : std::vector<attachment*>();
  are_found_ = find(parts, from, from_) && find(parts, to, to_);
}

bool bound_members::is_bound_elsewhere() const {
  return ends_.here_ != nullptr && (!are_found_ || ends_.here_->is_exported);
}

bool bound_members::find_memory(chare_header& chare) {
  if (ends_.here_ == nullptr) {
    forget();
    return true;
  }
  const std::vector<attachment*> parts = attachments_named_by(chare);
  are_found_ = find(parts, ends_.from_, from_) && find(parts, arrays_of(*ends_.here_), to_);
  if (are_found_) complete_before_parts(parts);
  return are_found_;
}

/// Orders the use of the chare's memory after the arrays that the other end has put there.
void bound_members::complete_before_parts(const std::vector<attachment*>& parts) {
  stream& out = transfers_here().out;
  const std::lock_guard hold(ends_.here_->lock);
  for (std::size_t i = 0; i < to_.size(); ++i) {
    const shared_event& filled = ends_.here_->slots[i].filled;
    if (to_[i].part == no_part || !filled) continue;
    attachment& part = *parts[to_[i].part];
    out.wait(part.ready());
    out.wait(filled);
    part.ready_after(out);
  }
}

void bound_members::forget() {
  from_.clear();
  to_.clear();
  are_found_ = must_tell_ = false;
}

void bound_members::leave(chare_header& chare) {
  if (ends_.here_ == nullptr) return forget();
  if (ends_.here_->is_exported) {
    forget();
    return ends_.unbind();
  }
  const auto set_moved = [this](bool has_moved) {
    const std::lock_guard hold(ends_.here_->lock);
    ends_.here_->has_moved = has_moved;
  };
  set_moved(true);  // from now on the other end puts nothing here
  const std::int64_t places = ends_.places_;
  const bool is_found = find_memory(chare);
  if (!is_found) set_moved(false);
  ends_.unbind();
  if (is_found)
    ends_.places_ = places;
  else
    forget();
}

std::vector<bound_array> bound_members::arrays_at(const std::vector<attachment*>& parts,
                                                  const std::vector<place>& places) const {
  std::vector<bound_array> arrays;
  for (const place& each : places) {
    if (each.part == no_part) {
      arrays.push_back({nullptr, gpu().info().id, 0});
      continue;
    }
    if (each.part >= parts.size() || each.offset > parts[each.part]->bytes() ||
        each.count > (parts[each.part]->bytes() - each.offset) / size_)
      throw serial_error("its serialize names other device memory than its persistent channel was bound to");
    attachment& part = *parts[each.part];
    if (!part.has_memory()) land_attachment(part);
    arrays.push_back({static_cast<std::byte*>(part.address()) + each.offset, part.device(),
                      static_cast<std::size_t>(each.count)});
  }
  return arrays;
}

void bound_members::arrive(chare_header& chare) {
  if (!are_found_ || ends_.here_ != nullptr) return;
  if (processor::here().completions() == nullptr || from_.empty() || to_.empty()) {
    ends_.places_ = 0;
    return forget();
  }
  const std::vector<attachment*> parts = attachments_named_by(chare);
  std::vector<bound_array> from = arrays_at(parts, from_);
  ends_.receive_to(arrays_at(parts, to_));
  stream& in = transfers_here().in;
  for (std::size_t i = 0; i < to_.size(); ++i) {
    if (to_[i].part == no_part) continue;
    bound_memory::slot& slot = ends_.here_->slots[i];
    in.wait(parts[to_[i].part]->ready());
    slot.filled = shared_event(in);
    slot.read = shared_event(in);
    slot.has_travelled = true;
  }
  ends_.ready_.assign(from.size(), {});
  ends_.places_ = static_cast<std::int64_t>(from.size());
  ends_.from_ = std::move(from);
  ends_.size_ = size_;
  must_tell_ = true;
}

std::unique_ptr<bound_offer> bound_members::offer_again(bool wants_answer) {
  must_tell_ = false;
  auto offer = std::make_unique<bound_offer>(ends_.here_, ends_.received_);
  offer->binding = bindings_;
  offer->wants_answer = wants_answer;
  offer->may_be_exported = may_be_exported();
  return offer;
}

bool bound_members::accept(const bound_offer& offer) {
  if (offer.binding != bindings_ || ends_.here_ == nullptr || ends_.from_.size() != offer.counts.size())
    return false;
  ends_.send_to(offer);
  return true;
}

}  // namespace imbrex::detail
