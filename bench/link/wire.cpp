// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bench::link {

std::span<std::byte> wire::buffer() {
  if (next_ == nullptr) {
    if (free_.empty()) {
      next_ = std::make_unique_for_overwrite<std::byte[]>(properties_.largest_packet);
    } else {
      next_ = std::move(free_.back());
      free_.pop_back();
    }
  }
  return {next_.get(), properties_.largest_packet};
}

bool wire::accept(std::size_t size, time now) {
  while (travelling_ < packets_.size() && packets_[travelling_].left <= now) ++travelling_;
  if (packets_.size() - travelling_ >= properties_.queue) {
    ++dropped_;
    return false;
  }
  const double nanoseconds = static_cast<double>(size) * 8e9 / properties_.bits_per_second;
  idle_from_ = std::max(idle_from_, now) + time(std::llround(nanoseconds));
  packets_.push_back({std::move(next_), size, idle_from_});
  return true;
}

std::optional<wire::time> wire::due() const {
  if (packets_.empty()) return std::nullopt;
  return packets_.front().left + properties_.delay;
}

std::span<const std::byte> wire::front() const {
  return {packets_.front().bytes.get(), packets_.front().size};
}

void wire::pop() {
  free_.push_back(std::move(packets_.front().bytes));
  packets_.pop_front();
  if (travelling_ > 0) --travelling_;
}

}  // namespace bench::link
