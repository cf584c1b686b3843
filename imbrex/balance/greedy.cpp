// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <vector>

#include <imbrex/balance/internal/bin_loads.hpp>
#include <imbrex/balance/internal/library.hpp>
#include <imbrex/balance/internal/stage.hpp>

namespace imbrex::balance::detail {
namespace {

/// The bins of the stage as if no movable object were there.
class empty_bins {
 private:
  /// Orders heaps so that the least busy bin is first; of equals that with the least number.
  auto busier() const {
    return [this](int a, int b) { return time(a) != time(b) ? time(a) > time(b) : a > b; };
  }

 public:
  explicit empty_bins(const stage& s) : stage_(s), time_(s.bins()), heaps_(s.regions()) {}

  void set_fixed(const placement& places) {
    for (std::size_t i = 0; i < stage_.roles.size(); ++i)
      if (const int bin = stage_.bin_of(places.pe(i)); bin >= 0 && stage_.roles[i] == role::fixed)
        add(bin, stage_.load[i]);
    for (std::size_t r = 0; r < heaps_.size(); ++r) {
      const auto bins = stage_.bins_of_region[r];
      heaps_[r].assign(bins.begin(), bins.end());
      std::ranges::make_heap(heaps_[r], busier());
    }
  }

  double time(int bin) const { return time_[static_cast<std::size_t>(bin)]; }

  /// Adds a load to the least busy bin of a region, and returns the bin.
  int give(int region, double load) {
    auto& heap = heaps_[static_cast<std::size_t>(region)];
    std::ranges::pop_heap(heap, busier());
    const int bin = heap.back();
    add(bin, load);
    std::ranges::push_heap(heap, busier());
    return bin;
  }

 private:
  void add(int bin, double load) {
    time_[static_cast<std::size_t>(bin)] += load / stage_.speed[static_cast<std::size_t>(bin)];
  }

  const stage& stage_;
  std::vector<double> time_;
  std::vector<std::vector<int>> heaps_;
};

void solve_by_greedy(const stage& s, placement& places) {
  places.forget_loads();
  empty_bins bins(s);
  bins.set_fixed(places);
  std::vector<std::uint32_t> objects;
  for (std::uint32_t i = 0; i < places.pes().size(); ++i)
    if (s.bin_of(places.pe(i)) >= 0 && s.is_movable(i)) objects.push_back(i);
  sort_heaviest_first(objects, s);
  for (const std::uint32_t i : objects) {
    const int own = s.bin_of(places.pe(i));
    const int bin = bins.give(s.region_of_bin[static_cast<std::size_t>(own)], s.load[i]);
    if (bin != own) places.move(i, s.pes_of_bin[static_cast<std::size_t>(bin)][0]);
  }
}

}  // namespace

std::vector<int> greedy(const problem& p) { return solve_by_stages(p, solve_by_greedy); }

}  // namespace imbrex::balance::detail
