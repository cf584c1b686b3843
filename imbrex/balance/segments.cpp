// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/balance/internal/bin_loads.hpp>
#include <imbrex/balance/internal/library.hpp>
#include <imbrex/balance/internal/ordered_problem.hpp>
#include <imbrex/balance/internal/stage.hpp>

namespace imbrex::balance::detail {
namespace {

/// Short runs first, since they are what has come from elsewhere.
void sort_shortest_first(std::vector<run>& runs) {
  std::sort(runs.begin(), runs.end(), [](const run& a, const run& b) {
    return a.last - a.first != b.last - b.first ? a.last - a.first < b.last - b.first : a.first < b.first;
  });
}

/// The objects of runs.
std::vector<std::uint32_t> objects_of(const problem& p, const std::vector<run>& runs) {
  std::vector<std::uint32_t> objects;
  for (const run& one : runs)
    for (std::uint32_t place = one.first; place < one.last; ++place) objects.push_back(p.curve[place]);
  return objects;
}

/// Gives away the runs of a bin: to the bins beside them on the curve that have room, else to the lightest
/// bins.
class giver {
 public:
  giver(bin_loads& loads, const placement& places, const stage& s, int bin)
      : loads_(loads), places_(places), stage_(s), bin_(bin) {}

  /// Gives from a run until it is empty, the bin is at its target, or no bin takes the next object.
  void give(run& from) {
    while (from.first < from.last && loads_.time(bin_) > loads_.target_of_bin(bin_))
      if (!give_to_neighbour(from) && !give_to_lightest(from)) return;
  }

 private:
  bool give_to_neighbour(run& from) {
    if (give_to(neighbour(from.last), object_at(from.last - 1))) {
      --from.last;
      return true;
    }
    if (!give_to(neighbour(from.first - 1), object_at(from.first))) return false;
    ++from.first;
    return true;
  }

  /// Stays with a bin until that is at its target, so that the objects stay together.
  bool give_to_lightest(run& from) {
    const std::uint32_t object = object_at(from.last - 1);
    if (to_ < 0 || loads_.time(to_) > loads_.target_of_bin(to_) || !give_to(to_, object)) {
      to_ = loads_.lightest(loads_.region_of(bin_));
      if (!give_to(to_, object)) return false;
    }
    --from.last;
    return true;
  }

  std::uint32_t object_at(std::uint32_t place) const { return stage_.of.curve[place]; }

  /// The bin of a place of the curve, or -1 if there is no other bin of the region. A place before the first
  /// is beyond the last.
  int neighbour(std::uint32_t place) const {
    if (place >= stage_.of.curve.size()) return -1;
    const int bin = stage_.bin_of(places_.pe(object_at(place)));
    return bin >= 0 && loads_.region_of(bin) == loads_.region_of(bin_) ? bin : -1;
  }

  bool give_to(int to, std::uint32_t object) {
    return to >= 0 && to != bin_ && loads_.time_with(to, stage_.load[object]) <= loads_.limit_of_bin(to) &&
           loads_.move(object, to);
  }

  bin_loads& loads_;
  const placement& places_;
  const stage& stage_;
  int bin_;
  int to_ = -1;  ///< the light bin of the last object
};

void solve_by_segments(const stage& s, placement& places) {
  bin_loads loads(s, places);
  const std::vector<int> heavy = loads.heavy();
  if (heavy.empty()) return;
  auto runs = loads.runs_of(heavy);
  std::vector<std::vector<std::uint32_t>> left(heavy.size());
  for (std::size_t k = 0; k < heavy.size(); ++k) {
    sort_shortest_first(runs[k]);
    giver from(loads, places, s, heavy[k]);
    for (run& one : runs[k]) from.give(one);
    if (loads.is_heavy(heavy[k])) left[k] = objects_of(s.of, runs[k]);
  }
  relieve(loads, heavy, left, s);
}

}  // namespace

std::vector<int> segments(const problem& p) {
  const ordered_problem ordered(p);
  return solve_by_stages(ordered.get(), solve_by_segments);
}

}  // namespace imbrex::balance::detail
