// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/simulated/simulated_network.hpp>

#include <algorithm>
#include <memory>

#include <imbrex/net/local/serializing.hpp>

namespace imbrex::detail {

namespace {

bool arrives_later(const simulated_network::arrival& a, const simulated_network::arrival& b) {
  return a.when != b.when ? a.when > b.when : a.serial > b.serial;
}

}  // namespace

void simulated_network::put(nanoseconds when, work& item, int to) { add({when, sent_++, to, &item}); }

void simulated_network::put_leaving(nanoseconds when, work& item, int from, int to, std::size_t bytes) {
  add({when, sent_++, to, &item, true, from, bytes});
}

void simulated_network::add(const arrival& a) {
  in_flight_.push_back(a);
  std::push_heap(in_flight_.begin(), in_flight_.end(), arrives_later);
}

std::optional<nanoseconds> simulated_network::next() const {
  return in_flight_.empty() ? std::nullopt : std::optional(in_flight_.front().when);
}

simulated_network::arrival simulated_network::take() {
  std::pop_heap(in_flight_.begin(), in_flight_.end(), arrives_later);
  const arrival first = in_flight_.back();
  in_flight_.pop_back();
  return first;
}

void simulated_network::discard() noexcept {
  for (const arrival& a : in_flight_) a.what->type->destroy(*a.what);
  in_flight_.clear();
}

void simulated_transport::send(work& item, int to) {
  if (to == self_) {
    if (listener_ != nullptr) listener_->leaves(item, self_, to, 0);
    return net_.put(sender_.now(), item, to);
  }
  std::unique_ptr<work, void (*)(work*)> owner(&item, [](work* w) { w->type->destroy(*w); });
  const auto bytes = packed_size(item);
  if (listener_ != nullptr) listener_->leaves(item, self_, to, bytes);
  sender_.charge(to_send_(item));
  if (listener_ != nullptr) listener_->has_left(self_);
  if (host_pes_ != 0 && to / host_pes_ != self_ / host_pes_)
    return net_.put_leaving(sender_.now(), *owner.release(), self_, to, bytes);
  net_.put(entrance_.inject(model_, sender_.now(), bytes), *owner.release(), to);
}

}  // namespace imbrex::detail
