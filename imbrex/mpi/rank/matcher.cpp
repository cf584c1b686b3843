// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/matcher.hpp>

#include <utility>

#include <imbrex/mpi/rank/packet.hpp>

namespace imbrex::mpi {

namespace {

constexpr std::size_t first_bins = 8;

bool fits(const envelope& receive, std::int32_t tag) { return receive.tag == any_tag || receive.tag == tag; }

}  // namespace

matcher::~matcher() {
  while (oldest_ != nullptr) packet::release(*std::exchange(oldest_, oldest_->newer));
}

void matcher::receive_list::push(request& r) {
  r.next = nullptr;
  r.previous = last;
  (last != nullptr ? last->next : first) = &r;
  last = &r;
}

void matcher::receive_list::remove(request& r) {
  (r.previous != nullptr ? r.previous->next : first) = r.next;
  (r.next != nullptr ? r.next->previous : last) = r.previous;
}

std::size_t matcher::hash(std::uint64_t context, std::int32_t source) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;  // 2^64 by the golden ratio (Knuth, volume 3, 6.4)
  return static_cast<std::size_t>(((context ^ static_cast<std::uint32_t>(source) * odd) * odd) >> 32U);
}

matcher::bin* matcher::find_bin(std::uint64_t context, std::int32_t source) {
  return recent_ != nullptr && recent_->holds(context, source) ? recent_ : search_bin(context, source);
}
matcher::bin& matcher::make_bin(std::uint64_t context, std::int32_t source) {
  return recent_ != nullptr && recent_->holds(context, source) ? *recent_ : add_bin(context, source);
}

[[gnu::noinline]] matcher::bin* matcher::search_bin(std::uint64_t context, std::int32_t source) {
  if (bins_.empty()) return nullptr;
  const std::size_t mask = bins_.size() - 1;
  for (std::size_t at = hash(context, source) & mask; bins_[at].is_used; at = (at + 1) & mask)
    if (bins_[at].holds(context, source)) return recent_ = &bins_[at];
  return nullptr;
}

[[gnu::noinline]] matcher::bin& matcher::add_bin(std::uint64_t context, std::int32_t source) {
  if (auto* const there = search_bin(context, source)) return *there;
  if (2 * (used_bins_ + 1) > bins_.size()) grow();
  const std::size_t mask = bins_.size() - 1;
  std::size_t at = hash(context, source) & mask;
  while (bins_[at].is_used) at = (at + 1) & mask;
  bins_[at] = {context, source, true, {}, nullptr, nullptr};
  ++used_bins_;
  return bins_[at];
}

/// Removes empty bins, so that bins of freed communicators do not remain.
void matcher::grow() {
  std::vector<bin> before = std::exchange(bins_, {});
  recent_ = nullptr;
  std::size_t waiting = 0;
  for (const bin& b : before) waiting += b.receives.first != nullptr || b.first != nullptr ? 1 : 0;
  std::size_t size = first_bins;
  while (size < 4 * (waiting + 1)) size *= 2;
  bins_.resize(size);
  used_bins_ = waiting;
  for (const bin& b : before) {
    if (b.receives.first == nullptr && b.first == nullptr) continue;
    std::size_t at = hash(b.context, b.source) & (size - 1);
    while (bins_[at].is_used) at = (at + 1) & (size - 1);
    bins_[at] = b;
  }
}

request* matcher::take_receive(const envelope& of_message) {
  if (receives_ == 0) return nullptr;
  request* found = nullptr;
  bin* const b = find_bin(of_message.context, of_message.source);
  if (b != nullptr) {
    found = b->receives.first;
    while (found != nullptr && !fits(found->head, of_message.tag)) found = found->next;
  }
  request* any = of_any_source_.first;
  while (any != nullptr && !(any->head.context == of_message.context && fits(any->head, of_message.tag)))
    any = any->next;
  if (any != nullptr && (found == nullptr || any->posted_as < found->posted_as)) {
    of_any_source_.remove(*any);
    found = any;
  } else if (found != nullptr) {
    b->receives.remove(*found);
  }
  if (found != nullptr) {
    found->is_posted = false;
    --receives_;
  }
  return found;
}

void matcher::post(request& receive) {
  receive.posted_as = posted_++;
  receive.is_posted = true;
  ++receives_;
  if (receive.head.source == any_source)
    of_any_source_.push(receive);
  else
    make_bin(receive.head.context, receive.head.source).receives.push(receive);
}

bool matcher::withdraw(request& receive) {
  if (!receive.is_posted) return false;
  receive.is_posted = false;
  --receives_;
  if (receive.head.source == any_source)
    of_any_source_.remove(receive);
  else
    find_bin(receive.head.context, receive.head.source)->receives.remove(receive);
  return true;
}

packet* matcher::find(const envelope& of_receive) {
  if (messages_ == 0) return nullptr;
  if (of_receive.source != any_source) {
    const bin* const b = find_bin(of_receive.context, of_receive.source);
    packet* p = b != nullptr ? b->first : nullptr;
    while (p != nullptr && !fits(of_receive, p->head.tag)) p = p->next_of_source;
    return p;
  }
  packet* p = oldest_;
  while (p != nullptr && !(p->head.context == of_receive.context && fits(of_receive, p->head.tag)))
    p = p->newer;
  return p;
}

packet* matcher::newer_of(const packet& p) { return p.newer; }

void matcher::keep(packet& message) {
  bin& b = make_bin(message.head.context, message.head.source);
  message.next_of_source = nullptr;
  message.previous_of_source = b.last;
  (b.last != nullptr ? b.last->next_of_source : b.first) = &message;
  b.last = &message;
  message.newer = nullptr;
  message.older = newest_;
  (newest_ != nullptr ? newest_->newer : oldest_) = &message;
  newest_ = &message;
  ++messages_;
  bytes_held_ += message.held;
}

void matcher::remove(packet& message) {
  bin& b = *find_bin(message.head.context, message.head.source);
  (message.previous_of_source != nullptr ? message.previous_of_source->next_of_source : b.first) =
      message.next_of_source;
  (message.next_of_source != nullptr ? message.next_of_source->previous_of_source : b.last) =
      message.previous_of_source;
  (message.older != nullptr ? message.older->newer : oldest_) = message.newer;
  (message.newer != nullptr ? message.newer->older : newest_) = message.older;
  --messages_;
  bytes_held_ -= message.held;
}

packet* matcher::find_offer(std::uint32_t from, std::uint64_t offer) {
  for (packet* p = oldest_; p != nullptr; p = p->newer)
    if (is_offer(p->form) && p->from == from && p->offer == offer) return p;
  return nullptr;
}

}  // namespace imbrex::mpi
