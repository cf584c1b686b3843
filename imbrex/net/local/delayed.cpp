// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/local/delayed.hpp>

#include <algorithm>

#include <imbrex/net/local/serializing.hpp>

namespace imbrex::detail {

namespace {

bool leaves_later(const delayed_transport::item& a, const delayed_transport::item& b) {
  return a.due != b.due ? a.due > b.due : a.serial > b.serial;
}

}  // namespace

void delayed_transport::discard() noexcept {
  for (auto& i : in_flight_) i.what->type->destroy(*i.what);
  in_flight_.clear();
}

void delayed_transport::send(work& sent, int to) {
  if (in_flight_.size() == in_flight_.capacity()) in_flight_.reserve(2 * in_flight_.size() + 16);
  work& copy = repack(sent);
  const std::uint64_t spread = std::uint64_t{1} << random_.below(8);
  in_flight_.push_back({now_ + random_.below(spread), sent_++, to, &copy});
  std::push_heap(in_flight_.begin(), in_flight_.end(), leaves_later);
}

delayed_transport::item delayed_transport::take() {
  std::pop_heap(in_flight_.begin(), in_flight_.end(), leaves_later);
  item first = in_flight_.back();
  in_flight_.pop_back();
  now_ = std::max(now_ + 1, first.due);
  return first;
}

}  // namespace imbrex::detail
