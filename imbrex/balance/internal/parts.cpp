// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/internal/parts.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <imbrex/balance/internal/bin_loads.hpp>

namespace imbrex::balance::detail {
namespace {

std::size_t at(int number) { return static_cast<std::size_t>(number); }

/// The region of each PE; -1: none.
std::vector<int> regions_of_pes(const stage& s) {
  std::vector<int> regions;
  regions.reserve(s.bin_of_pe.size());
  for (const int bin : s.bin_of_pe) regions.push_back(bin < 0 ? -1 : s.region_of_bin[at(bin)]);
  return regions;
}

/// The movable objects of each region, along the curve.
std::vector<std::vector<std::uint32_t>> objects_along_curve(const stage& s, const placement& places) {
  const std::vector<int> regions_of = regions_of_pes(s);
  const int* const region_of = regions_of.data();
  const int* const pes = places.pes().data();
  std::vector<std::vector<std::uint32_t>> objects(s.regions());
  const std::size_t average = s.of.size() / s.regions();
  for (auto& one : objects) one.reserve(average + average / 4);
  for (const std::uint32_t i : s.of.curve)
    if (const int region = region_of[pes[i]]; region >= 0 && s.is_movable(i))
      objects[at(region)].push_back(i);
  return objects;
}

std::vector<double> fixed_loads(const stage& s, const placement& places) {
  std::vector<double> fixed(s.bins());
  for (std::size_t i = 0; i < s.roles.size(); ++i)
    if (const int bin = s.bin_of(places.pe(i)); bin >= 0 && s.roles[i] == role::fixed)
      fixed[at(bin)] += s.load[i];
  return fixed;
}

/// The weight that each bin takes if all bins are to take as long.
std::vector<double> capacities_of(const stage& s, const std::vector<double>& fixed,
                                  const region_objects& region) {
  std::vector<double> own, speeds, capacities;
  for (const int bin : region.bins) {
    own.push_back(region.weight.counts_objects() ? 0 : fixed[at(bin)]);
    speeds.push_back(s.speed[at(bin)]);
  }
  const double level = level_of(own, speeds, region.weight.total());
  for (std::size_t k = 0; k < own.size(); ++k)
    capacities.push_back(std::max(0.0, level * speeds[k] - own[k]));
  return capacities;
}

/// The number of objects of a part that are in a bin of the problem.
struct overlap {
  std::uint32_t objects;
  std::uint32_t part;
  std::uint32_t bin;
};

std::vector<overlap> overlaps_of(const stage& s, const region_objects& region,
                                 std::span<const std::size_t> end) {
  std::vector<overlap> found;
  std::vector<std::uint32_t> count(s.bins());
  std::vector<std::uint32_t> counted;
  const int* const pes = s.of.pe.data();
  const int* const bins = s.bin_of_pe.data();
  std::size_t k = 0;
  for (std::size_t part = 0; part < end.size(); ++part) {
    for (const std::size_t last = end[part]; k < last; ++k) {
      const int bin = bins[pes[region.objects[k]]];
      if (bin >= 0 && count[at(bin)]++ == 0) counted.push_back(static_cast<std::uint32_t>(bin));
    }
    for (const std::uint32_t bin : counted)
      found.push_back({std::exchange(count[bin], 0), static_cast<std::uint32_t>(part), bin});
    counted.clear();
  }
  return found;
}

/// Names of parts: a bin for each, of about the capacity for which the part was cut.
class names {
 public:
  names(const stage& s, const region_objects& region) : bins_(region.bins), class_of_bin_(s.bins(), -1) {
    const double total = std::accumulate(region.capacity.begin(), region.capacity.end(), 0.0);
    const double step = class_width * total / static_cast<double>(bins_.size());
    for (std::size_t k = 0; k < bins_.size(); ++k)
      class_of_bin_[at(bins_[k])] = step > 0 ? std::llround(region.capacity[k] / step) : 0;
    bin_of_part_.assign(bins_.size(), -1);
    used_.assign(s.bins(), false);
  }

  /// Names parts in the order of their overlaps, and then those that are left.
  std::vector<int> choose(std::vector<overlap> overlaps) && {
    std::sort(overlaps.begin(), overlaps.end(), [](const overlap& a, const overlap& b) {
      if (a.objects != b.objects) return a.objects > b.objects;
      return a.part != b.part ? a.part < b.part : a.bin < b.bin;
    });
    for (const overlap& o : overlaps) name(o.part, static_cast<int>(o.bin));
    for (std::size_t part = 0; part < bins_.size(); ++part) name(part, bins_[part]);
    std::vector<std::pair<std::int64_t, int>> unused;
    for (const int bin : bins_)
      if (!used_[at(bin)]) unused.emplace_back(class_of_bin_[at(bin)], bin);
    std::sort(unused.begin(), unused.end());
    for (std::size_t part = 0; part < bins_.size(); ++part) {
      if (bin_of_part_[part] >= 0) continue;
      const auto bin = std::lower_bound(unused.begin(), unused.end(), std::pair(class_of_part(part), -1));
      bin_of_part_[part] = bin->second;
      unused.erase(bin);
    }
    return std::move(bin_of_part_);
  }

 private:
  static constexpr double class_width = 0.01;  ///< capacities that differ by less are equal

  std::int64_t class_of_part(std::size_t part) const { return class_of_bin_[at(bins_[part])]; }

  void name(std::size_t part, int bin) {
    if (bin_of_part_[part] >= 0 || used_[at(bin)] || class_of_bin_[at(bin)] != class_of_part(part)) return;
    bin_of_part_[part] = bin;
    used_[at(bin)] = true;
  }

  std::span<const int> bins_;
  std::vector<std::int64_t> class_of_bin_;  ///< -1: of another region
  std::vector<int> bin_of_part_;
  std::vector<bool> used_;
};

}  // namespace

std::vector<region_objects> objects_of_regions(const stage& s, const placement& places) {
  const std::vector<double> fixed = fixed_loads(s, places);
  std::vector<region_objects> regions;
  for (std::vector<std::uint32_t>& objects : objects_along_curve(s, places)) {
    weights weight(s.load, objects);
    const std::span<const int> bins = s.bins_of_region[regions.size()];
    regions.push_back({std::move(objects), std::move(weight), bins, {}});
    regions.back().capacity = capacities_of(s, fixed, regions.back());
  }
  return regions;
}

weights::weights(std::span<const double> load, const std::vector<std::uint32_t>& objects)
    : weight_(load.data()) {
  for (const std::uint32_t i : objects) total_ += weight_[i];
  if (total_ > 0) return;
  ones_.assign(load.size(), 1);
  weight_ = ones_.data();
  total_ = static_cast<double>(objects.size());
}

std::vector<std::size_t> ends_along_curve(const region_objects& region) {
  std::vector<std::size_t> end;
  double bound = region.capacity[0], before = 0;
  for (std::size_t k = 0; k < region.objects.size(); ++k) {
    const double load = region.weight(region.objects[k]);
    while (before + load / 2 > bound && end.size() + 1 < region.bins.size()) {
      end.push_back(k);
      bound += region.capacity[end.size()];
    }
    before += load;
  }
  end.resize(region.bins.size(), region.objects.size());
  return end;
}

void assign_parts(const stage& s, placement& places, const region_objects& region,
                  std::span<const std::size_t> end) {
  places.forget_loads();
  const std::vector<int> bin_of_part = names(s, region).choose(overlaps_of(s, region, end));
  const int* const pes = s.of.pe.data();
  const int* const bins = s.bin_of_pe.data();
  std::size_t k = 0;
  for (std::size_t part = 0; part < end.size(); ++part) {
    const int bin = bin_of_part[part], first_pe = s.pes_of_bin[at(bin)][0];
    for (const std::size_t last = end[part]; k < last; ++k) {
      const std::uint32_t i = region.objects[k];
      const int home = pes[i];
      if (bins[places.pe(i)] != bin) places.move(i, bins[home] == bin ? home : first_pe);
    }
  }
}

}  // namespace imbrex::balance::detail
