// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/message_table.hpp>

#include <algorithm>

namespace imbrex::tools {

void message_table::erase(message_in_flight* message) {
  std::size_t hole = static_cast<std::size_t>(message - slots_.data());
  for (std::size_t at = (hole + 1) & mask_; slots_[at].place != nobody; at = (at + 1) & mask_) {
    const std::size_t home_slot = home(slots_[at].place, slots_[at].address);
    if (((at - home_slot) & mask_) < ((at - hole) & mask_)) continue;
    slots_[hole] = slots_[at];
    hole = at;
  }
  slots_[hole].place = nobody;
  --size_;
}

std::uint64_t message_table::mean_sent() const {
  long double sum = 0;
  for (const message_in_flight& message : slots_)
    if (message.place != nobody) sum += static_cast<long double>(message.sent);
  return static_cast<std::uint64_t>(sum / static_cast<long double>(size_));
}

std::uint64_t message_table::first_sent() const {
  std::uint64_t first = ~std::uint64_t{0};
  for (const message_in_flight& message : slots_)
    if (message.place != nobody) first = std::min(first, message.sent);
  return first;
}

void message_table::grow() {
  std::vector<message_in_flight> old(2 * slots_.size(), empty());
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  for (const message_in_flight& message : old)
    if (message.place != nobody) slot_of(message.place, message.address) = message;
}

}  // namespace imbrex::tools
