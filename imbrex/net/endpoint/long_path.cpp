// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/endpoint/long_path.hpp>

namespace imbrex::endpoints {

namespace {

constexpr std::size_t place_of(long_path p) { return static_cast<std::size_t>(p); }

}  // namespace

path_choice::path_now path_choice::next() {
  if (is_decided_ && --until_next_ == 0) {
    is_decided_ = false;
    trial_ = static_cast<std::uint16_t>(trial_ == std::numeric_limits<std::uint16_t>::max() ? 1 : trial_ + 1);
    left_.fill(by_each_path);
  }
  const auto by_memory = left_[place_of(long_path::memory)];
  const auto by_rendezvous = left_[place_of(long_path::rendezvous)];
  if (is_decided_ || by_memory + by_rendezvous == 0) return {chosen_, 0};
  const long_path by = by_rendezvous >= by_memory ? long_path::rendezvous : long_path::memory;
  --left_[place_of(by)];
  return {by, trial_};
}

void path_choice::put_off(const path_now& refused) {
  if (refused.trial != 0) ++left_[place_of(refused.by)];
}

void path_choice::decide(std::uint16_t trial, long_path better) {
  if (is_decided_ || trial != trial_) return;
  is_decided_ = true;
  interval_ = better == chosen_
                  ? std::min<std::int16_t>(static_cast<std::int16_t>(2 * interval_), longest_interval)
                  : std::int16_t{shortest_interval};
  until_next_ = interval_;
  chosen_ = better;
}

std::optional<long_path> path_trial::add(std::uint16_t trial, long_path by, std::chrono::nanoseconds taken) {
  if (trial != trial_) *this = path_trial{};
  trial_ = trial;
  const std::size_t place = place_of(by);
  const auto ns = std::clamp<std::int64_t>(taken.count(), 0, longest);
  least_[place] = std::min(least_[place], static_cast<std::uint32_t>(ns));
  if (seen_[0] >= enough && seen_[1] >= enough) return std::nullopt;  // already reported
  if (seen_[place] < enough) ++seen_[place];
  if (seen_[0] < enough || seen_[1] < enough) return std::nullopt;
  return least_[0] < least_[1] ? long_path::rendezvous : long_path::memory;
}

}  // namespace imbrex::endpoints
