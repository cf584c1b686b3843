// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <imbrex/balance/internal/bin_loads.hpp>
#include <imbrex/balance/internal/library.hpp>
#include <imbrex/balance/internal/stage.hpp>
#include <imbrex/base/random.hpp>

namespace imbrex::balance::detail {
namespace {

constexpr std::size_t fanout = 4;       ///< bins to which a bin passes on a rumour in a round
constexpr std::size_t most_known = 32;  ///< bins that a bin knows
constexpr int repetitions = 4;

/// The underloaded bins of which each bin of a region has heard by rumours (Menon and Kale, "A distributed
/// dynamic load balancer for iterative applications", SC 2013), at most `most_known` each.
class rumours {
 public:
  rumours(const bin_loads& loads, std::span<const int> bins, random& dice)
      : bins_(bins), known_(bins.size()) {
    for (std::size_t k = 0; k < bins.size(); ++k)
      if (loads.time(bins[k]) < loads.target_of_bin(bins[k])) known_[k].push_back(bins[k]);
    const int rounds = 1 + static_cast<int>(std::bit_width(bins.size()) / std::bit_width(fanout - 1));
    for (int round = 0; round < rounds; ++round) spread(dice);
  }

  std::span<const int> known(std::size_t bin) const { return known_[bin]; }

 private:
  void spread(random& dice) {
    const std::vector<std::vector<int>> before = known_;
    for (std::size_t k = 0; k < before.size(); ++k)
      for (std::size_t n = 0; n < fanout && !before[k].empty(); ++n)
        learn(known_[dice.below(bins_.size())], before[k], dice);
  }

  /// Adds what is new, from a random one on, until the cap is reached.
  static void learn(std::vector<int>& known, const std::vector<int>& news, random& dice) {
    const std::size_t first = dice.below(news.size());
    for (std::size_t k = 0; k < news.size() && known.size() < most_known; ++k) {
      const int bin = news[(first + k) % news.size()];
      if (std::ranges::find(known, bin) == known.end()) known.push_back(bin);
    }
  }

  std::span<const int> bins_;
  std::vector<std::vector<int>> known_;
};

/// A known bin, the likelier the farther it is below its target; -1 if none is below.
int draw(const bin_loads& loads, std::span<const int> known, random& dice) {
  double room = 0;
  for (const int bin : known) room += std::max(0.0, loads.target_of_bin(bin) - loads.time(bin));
  double left = room * static_cast<double>(dice() >> 11U) * 0x1p-53;
  for (const int bin : known) {
    const double own = std::max(0.0, loads.target_of_bin(bin) - loads.time(bin));
    if (left < own) return bin;
    left -= own;
  }
  return -1;
}

/// Offers a bin's objects, the heaviest first, to bins that it knows. A bin takes what leaves it within its
/// limit, or below the giver.
void offer(bin_loads& loads, int bin, std::span<const int> known, std::vector<std::uint32_t> objects,
           const stage& s, random& dice) {
  sort_heaviest_first(objects, s);
  for (const std::uint32_t object : objects) {
    if (!loads.is_heavy(bin)) return;
    const int to = draw(loads, known, dice);
    if (to < 0) return;
    const double time = loads.time_with(to, s.load[object]);
    if (time <= loads.limit_of_bin(to) || time < loads.time_with(bin, -s.load[object]))
      loads.move(object, to);
  }
}

void solve_by_gossip(const stage& s, placement& places) {
  random dice(s.of.seed);
  bin_loads loads(s, places);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const std::vector<int> heavy = loads.heavy();
    if (heavy.empty()) return;
    const auto objects = loads.objects_of(heavy);
    for (std::size_t region = 0; region < s.regions(); ++region) {
      const rumours spread(loads, s.bins_of_region[region], dice);
      for (std::size_t k = 0; k < heavy.size(); ++k) {
        if (loads.region_of(heavy[k]) != static_cast<int>(region)) continue;
        const auto at = std::ranges::lower_bound(s.bins_of_region[region], heavy[k]);
        const auto place = static_cast<std::size_t>(at - s.bins_of_region[region].begin());
        offer(loads, heavy[k], spread.known(place), objects[k], s, dice);
      }
    }
  }
}

}  // namespace

std::vector<int> gossip(const problem& p) { return solve_by_stages(p, solve_by_gossip); }

}  // namespace imbrex::balance::detail
