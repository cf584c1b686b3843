// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/internal/bin_loads.hpp>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace imbrex::balance::detail {

bin_loads::bin_loads(const stage& s, placement& places)
    : stage_(s),
      places_(places),
      pe_load_(places.loads_of_pes(s.load, s.counted())),
      time_(s.bins()),
      place_(s.bins()) {
  for (std::size_t pe = 0; pe < pe_load_.size(); ++pe)
    if (const int bin = s.bin_of_pe[pe]; bin >= 0) time_[at(bin)] += pe_load_[pe] / speed(bin);
  set_targets();
  for (std::size_t region = 0; region < s.regions(); ++region) {
    const std::span<const int> bins = s.bins_of_region[region];
    const std::size_t first = heap_.size();
    heap_.insert(heap_.end(), bins.begin(), bins.end());
    std::sort(heap_.begin() + static_cast<std::ptrdiff_t>(first), heap_.end(),
              [&](int a, int b) { return std::pair(time(a), a) < std::pair(time(b), b); });
    for (std::size_t place = first; place < heap_.size(); ++place) place_[at(heap_[place])] = place;
  }
}

void bin_loads::set_targets() {
  std::vector<double> fixed(stage_.bins());
  if (!stage_.roles.empty())
    for (std::size_t i = 0; i < stage_.roles.size(); ++i)
      if (const int bin = stage_.bin_of(places_.pe(i)); bin >= 0 && stage_.roles[i] == role::fixed)
        fixed[at(bin)] += stage_.load[i];
  for (std::size_t region = 0; region < stage_.regions(); ++region) {
    std::vector<double> own, speeds;
    double movable = 0;
    for (const int bin : stage_.bins_of_region[region]) {
      own.push_back(fixed[at(bin)]);
      speeds.push_back(speed(bin));
      movable += time(bin) * speed(bin) - fixed[at(bin)];
    }
    target_.push_back(level_of(std::move(own), speeds, std::max(0.0, movable)));
  }
}

std::vector<int> bin_loads::heavy() const {
  std::vector<int> found;
  for (int bin = 0; bin < static_cast<int>(time_.size()); ++bin)
    if (is_heavy(bin)) found.push_back(bin);
  std::sort(found.begin(), found.end(),
            [&](int a, int b) { return std::pair(-time(a), a) < std::pair(-time(b), b); });
  return found;
}

/// For each PE the place of its bin among these; -1: none.
std::vector<int> bin_loads::lists_of_pes(const std::vector<int>& bins) const {
  std::vector<int> list_of_bin(time_.size(), -1), list_of_pe(pe_load_.size(), -1);
  for (std::size_t k = 0; k < bins.size(); ++k) list_of_bin[at(bins[k])] = static_cast<int>(k);
  for (std::size_t pe = 0; pe < pe_load_.size(); ++pe)
    if (const int bin = stage_.bin_of_pe[pe]; bin >= 0) list_of_pe[pe] = list_of_bin[at(bin)];
  return list_of_pe;
}

std::vector<std::vector<std::uint32_t>> bin_loads::objects_of(const std::vector<int>& bins) const {
  const std::vector<int> list_of_pe = lists_of_pes(bins);
  const std::vector<int>& pes = places_.pes();
  std::vector<std::vector<std::uint32_t>> objects(bins.size());
  for (std::uint32_t i = 0; i < pes.size(); ++i)
    if (const int list = list_of_pe[at(pes[i])]; list >= 0 && stage_.is_movable(i))
      objects[at(list)].push_back(i);
  return objects;
}

template <class IsMovable>
std::vector<std::vector<run>> bin_loads::find_runs(const std::vector<int>& bins,
                                                   const IsMovable& is_movable) const {
  const std::vector<int> list_of_pe = lists_of_pes(bins);
  // Most instructions of a solution are spent here.
  const std::span<const std::uint32_t> curve = stage_.of.curve;
  const int* const pes = places_.pes().data();
  const int* const lists = list_of_pe.data();
  std::vector<std::vector<run>> runs(bins.size());
  int list = -1;
  std::uint32_t first = 0;
  const auto size = static_cast<std::uint32_t>(curve.size());
  for (std::uint32_t place = 0; place < size; ++place) {
    const std::uint32_t object = curve[place];
    const int own = is_movable(object) ? lists[pes[object]] : -1;
    if (own == list) continue;
    if (list >= 0) runs[at(list)].push_back({first, place});
    first = place;
    list = own;
  }
  if (list >= 0) runs[at(list)].push_back({first, size});
  return runs;
}

std::vector<std::vector<run>> bin_loads::runs_of(const std::vector<int>& bins) const {
  if (stage_.roles.empty()) return find_runs(bins, [](std::uint32_t) { return true; });
  return find_runs(bins, [&](std::uint32_t object) { return stage_.is_movable(object); });
}

bool bin_loads::move(std::uint32_t object, int to) {
  const int from_pe = places_.pe(object), to_pe = lightest_pe(to);
  if (!places_.move(object, to_pe)) return false;
  add(from_pe, -stage_.load[object]);
  add(to_pe, stage_.load[object]);
  return true;
}

void bin_loads::add(int pe, double load) {
  const int bin = stage_.bin_of(pe);
  pe_load_[at(pe)] += load;
  time_[at(bin)] = std::max(0.0, time(bin) + load / speed(bin));
  restore_order(bin);
}

int bin_loads::lightest_pe(int bin) const {
  const std::span<const int> pes = stage_.pes_of_bin[at(bin)];
  const auto time_of = [&](int pe) { return pe_load_[at(pe)] / stage_.of.on.speed_of(pe); };
  int lightest = pes[0];
  for (const int pe : pes.subspan(1))
    if (time_of(pe) < time_of(lightest)) lightest = pe;
  return lightest;
}

void bin_loads::sift_up(std::size_t first, std::size_t place) {
  while (place > first) {
    const std::size_t parent = first + (place - first - 1) / 2;
    if (time(heap_[parent]) <= time(heap_[place])) return;
    std::swap(heap_[parent], heap_[place]);
    place_[at(heap_[parent])] = parent;
    place_[at(heap_[place])] = place;
    place = parent;
  }
}

void bin_loads::sift_down(std::size_t first, std::size_t count, std::size_t place) {
  for (;;) {
    std::size_t child = first + 2 * (place - first) + 1;
    if (child >= first + count) return;
    if (child + 1 < first + count && time(heap_[child + 1]) < time(heap_[child])) ++child;
    if (time(heap_[place]) <= time(heap_[child])) return;
    std::swap(heap_[child], heap_[place]);
    place_[at(heap_[child])] = child;
    place_[at(heap_[place])] = place;
    place = child;
  }
}

void bin_loads::restore_order(int bin) {
  const auto region = at(region_of(bin));
  const std::size_t first = stage_.bins_of_region.start(region);
  sift_up(first, place_[at(bin)]);
  sift_down(first, stage_.bins_of_region[region].size(), place_[at(bin)]);
}

namespace {

/// Moves objects of a bin, in their order, to the lightest bins, as long as the bin is above its limit.
/// `most_of` is the time that a receiver may have.
template <class MostOf>
void give(bin_loads& loads, int bin, std::vector<std::uint32_t>& objects, const stage& s,
          const MostOf& most_of) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < objects.size(); ++k) {
    const std::uint32_t object = objects[k];
    const double load = s.load[object];
    const int to = loads.lightest(loads.region_of(bin));
    const bool useful = loads.is_heavy(bin) && to != bin && load > 0;
    if (!useful || loads.time_with(to, load) > most_of(to) || !loads.move(object, to))
      objects[kept++] = object;
  }
  objects.resize(kept);
}

}  // namespace

void sort_heaviest_first(std::vector<std::uint32_t>& objects, const stage& s) {
  std::sort(objects.begin(), objects.end(), [&](std::uint32_t a, std::uint32_t b) {
    return s.load[a] != s.load[b] ? s.load[a] > s.load[b] : a < b;
  });
}

void relieve(bin_loads& loads, const std::vector<int>& heavy,
             std::vector<std::vector<std::uint32_t>>& objects, const stage& s) {
  // A receiver that stays below the giver by less than rounding gains nothing.
  constexpr double less = 1 - 1e-9;
  for (std::size_t k = 0; k < heavy.size(); ++k) {
    const int bin = heavy[k];
    if (!loads.is_heavy(bin)) continue;
    sort_heaviest_first(objects[k], s);
    give(loads, bin, objects[k], s, [&](int to) { return loads.limit_of_bin(to); });
    give(loads, bin, objects[k], s, [&](int) { return loads.time(bin) * less; });
  }
}

namespace {

/// Exchanges objects between heavy bins and the lightest ones, where no single move helps any more: one
/// object of the heavy bin for several of the light one.
class exchanger {
 public:
  exchanger(bin_loads& loads, const stage& s) : loads_(loads), stage_(s) {
    std::vector<int> all(s.bins());
    std::iota(all.begin(), all.end(), 0);
    objects_ = loads.objects_of(all);
  }

  /// Exchanges until the bin is not heavy, or the lightest bin has nothing that helps.
  void relieve(int bin) {
    for (std::size_t most = of(bin).size(); most > 0 && loads_.is_heavy(bin); --most)
      if (!exchange(bin, loads_.lightest(loads_.region_of(bin)))) return;
  }

 private:
  using objects = std::vector<std::uint32_t>;
  struct trade {
    std::uint32_t object = 0;
    objects returned;
    double time = 0;  ///< the busier of the two bins after it
  };

  objects& of(int bin) { return objects_[static_cast<std::size_t>(bin)]; }

  /// The load that the heavy bin must lose for both to take equally long.
  double excess(int heavy, int light) const {
    const double of_heavy = loads_.speed(heavy), of_light = loads_.speed(light);
    return (loads_.time(heavy) - loads_.time(light)) * of_heavy * of_light / (of_heavy + of_light);
  }

  /// The best trade for an object; `from`: the objects of the light bin, the heaviest first.
  trade trade_of(std::uint32_t object, int heavy, int light, const objects& from) const {
    trade one{object, {}, 0};
    double back = 0;
    const double most = stage_.load[object] - excess(heavy, light);
    for (const std::uint32_t b : from)
      if (stage_.load[b] > 0 && back + stage_.load[b] <= most) {
        back += stage_.load[b];
        one.returned.push_back(b);
      }
    const double load = stage_.load[object] - back;
    one.time = std::max(loads_.time_with(heavy, -load), loads_.time_with(light, load));
    return one;
  }

  bool exchange(int heavy, int light) {
    constexpr double less = 1 - 1e-9;
    sort_heaviest_first(of(light), stage_);
    trade best;
    best.time = loads_.time(heavy) * less;
    bool is_better = false;
    for (const std::uint32_t object : of(heavy))
      if (trade one = trade_of(object, heavy, light, of(light)); one.time < best.time) {
        best = std::move(one);
        is_better = true;
      }
    return is_better && carry_out(best, heavy, light);
  }

  bool carry_out(const trade& one, int heavy, int light) {
    if (!pass_on(one.object, heavy, light)) return false;
    for (const std::uint32_t b : one.returned)
      if (!pass_on(b, light, heavy)) return false;  // a device has no room; the bins remain as they are now
    return true;
  }

  bool pass_on(std::uint32_t object, int from, int to) {
    if (!loads_.move(object, to)) return false;
    std::erase(of(from), object);
    of(to).push_back(object);
    return true;
  }

  bin_loads& loads_;
  const stage& stage_;
  std::vector<objects> objects_;
};

}  // namespace

void relieve_heavy_bins(const stage& s, placement& places) {
  bin_loads loads(s, places);
  std::vector<int> heavy = loads.heavy();
  if (heavy.empty()) return;
  auto objects = loads.objects_of(heavy);
  relieve(loads, heavy, objects, s);
  heavy = loads.heavy();
  if (heavy.empty()) return;
  exchanger all(loads, s);
  for (const int bin : heavy) all.relieve(bin);
}

double level_of(std::vector<double> fixed, const std::vector<double>& speeds, double movable) {
  std::vector<std::size_t> order(fixed.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return fixed[a] / speeds[a] < fixed[b] / speeds[b]; });
  double load = movable, speed = 0, level = 0;
  for (const std::size_t bin : order) {
    if (speed > 0 && load / speed <= fixed[bin] / speeds[bin]) break;
    load += fixed[bin];
    speed += speeds[bin];
    level = load / speed;
  }
  return level;
}

}  // namespace imbrex::balance::detail
