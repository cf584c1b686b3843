// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/endpoint/shared_window.hpp>

#include <algorithm>
#include <limits>

namespace imbrex::endpoints {
namespace {

std::uint32_t spent_since(shared_window::time_point begun) {
  const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - begun;
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(time.count(), 1, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

const shared_memory_key& shared_window::key() {
  if (!memory_) memory_ = std::make_unique<shared_memory>();
  return memory_->key();
}

void shared_window::departure::has_left() const { choice->spent_on_rendezvous = spent_since(begun); }

std::optional<shared_window::departure> shared_window::send(neighbour& to, std::size_t self,
                                                            std::span<const std::byte> block) {
  path_choice& choice = to.choices[size_class::of(block.size())];
  const auto path = choice.next();
  const bool is_tried = path.trial != 0;
  if (path.by == long_path::rendezvous && !is_tried) return std::nullopt;
  departure d{path.by, {}, &choice, is_tried ? std::chrono::steady_clock::now() : time_point()};
  d.mark.tried = {self, choice.spent_on_rendezvous, path.trial};
  if (path.by == long_path::rendezvous) return d;
  if (!memory_->put(block, d.mark.where)) {
    choice.put_off(path);
    return std::nullopt;
  }
  if (is_tried) d.mark.tried.spent = spent_since(d.begun);
  return d;
}

std::optional<path_verdict> shared_window::compare(neighbour& from, std::size_t self, const trial_mark& tried,
                                                   long_path by, std::size_t size, time_point begun) {
  const auto now = std::chrono::steady_clock::now();
  const auto received = now - std::max(begun, compared_last_);
  compared_last_ = now;
  if (tried.spent == 0) return std::nullopt;
  const std::size_t which = size_class::of(size);
  const auto better =
      from.trials[which].add(tried.trial, by, received + std::chrono::nanoseconds(tried.spent));
  if (!better) return std::nullopt;
  return path_verdict{self, static_cast<std::uint32_t>(which), tried.trial, *better};
}

}  // namespace imbrex::endpoints
