// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/fault_sequence.hpp>

#include <cmath>
#include <string>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

fault_sequence::fault_sequence(const fault_settings& settings)
    : settings_(settings), chance_(settings.random ? settings.random->seed : 0) {}

std::uint64_t fault_sequence::draw(std::uint64_t below) { return chance_() % below; }

/// Draws an exponentially distributed time. Not `std::exponential_distribution`, whose values depend on the
/// library.
nanoseconds fault_sequence::distance(nanoseconds mean) {
  constexpr double range = 1ULL << 53U;
  const double part = static_cast<double>(chance_() >> 11U) / range;  // from 0, below 1
  return nanoseconds(1 + static_cast<std::int64_t>(-std::log1p(-part) * static_cast<double>(mean.count())));
}

std::optional<fault> fault_sequence::next(int pes) {
  fault chosen;
  if (settings_.random) {
    const auto& random = *settings_.random;
    chosen.pe = static_cast<int>(draw(static_cast<std::uint64_t>(pes)));
    const bool by_events = random.mean.events > 0;
    const nanoseconds mean = by_events ? nanoseconds(random.mean.events) : random.mean.time;
    const nanoseconds away = distance(mean);
    last_.time += by_events ? nanoseconds(0) : away;
    last_.events += by_events ? static_cast<std::uint64_t>(away.count()) : 0;
    chosen.when = last_;
    if (random.least_pes > 0)
      chosen.pes = random.least_pes +
                   static_cast<int>(draw(static_cast<std::uint64_t>(random.most_pes - random.least_pes + 1)));
    return chosen;
  }
  if (listed_ == settings_.listed.size()) return std::nullopt;
  chosen = settings_.listed[listed_++];
  if (chosen.pe >= pes)
    throw usage_error("--fault pe " + std::to_string(chosen.pe) + " at " + chosen.when.text() +
                      ": the run has " + std::to_string(pes) + " PEs then, numbered from 0");
  return chosen;
}

}  // namespace imbrex::detail
