// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/internal/stage.hpp>

#include <algorithm>
#include <numeric>

namespace imbrex::balance::detail {
namespace {

/// Numbers of groups of PEs, without gaps.
struct groups {
  std::vector<int> of_pe;  ///< -1: none
  std::size_t count = 0;
};

/// Groups PEs by a number; those of -1 are in no group.
template <class NumberOf>
groups group_by(const machine& on, const NumberOf& number_of) {
  groups found;
  std::vector<int> group(static_cast<std::size_t>(on.pes) + 1, -1);
  for (int pe = 0; pe < on.pes; ++pe) {
    const int number = number_of(pe);
    if (number >= 0 && group[static_cast<std::size_t>(number)] < 0)
      group[static_cast<std::size_t>(number)] = static_cast<int>(found.count++);
    found.of_pe.push_back(number < 0 ? -1 : group[static_cast<std::size_t>(number)]);
  }
  return found;
}

/// The stages of one kind of load, from the coarsest bins to the finest.
class descent {
 public:
  descent(const problem& p, placement& places, stage_solver solve, std::span<const role> roles,
          bool counts_all, int stages)
      : problem_(p),
        places_(places),
        solve_(solve),
        roles_(roles),
        counts_all_(counts_all),
        tolerance_(p.tolerance / stages) {}  // the stages that lead to a PE share it

  /// Balances bins within those of the last call; at first, all bins are in one region. `speed_of` is the
  /// speed of a bin by its PEs.
  template <class SpeedOf>
  void balance(std::span<const double> load, groups bins, const SpeedOf& speed_of) {
    if (!load.empty() && bins.count > regions_.count) {
      stage s{.of = problem_,
              .load = load,
              .roles = roles_,
              .counts_all = counts_all_,
              .tolerance = tolerance_,
              .bin_of_pe = bins.of_pe};
      s.pes_of_bin = lists(s.bin_of_pe, bins.count);
      for (std::size_t bin = 0; bin < bins.count; ++bin) {
        const auto pes = s.pes_of_bin[bin];
        const int region = regions_.of_pe.empty() ? 0 : regions_.of_pe[static_cast<std::size_t>(pes[0])];
        s.region_of_bin.push_back(region);
        s.speed.push_back(speed_of(pes));
      }
      s.bins_of_region = lists(s.region_of_bin, std::max<std::size_t>(1, regions_.count));
      solve_(s, places_);
    }
    regions_ = std::move(bins);
  }

 private:
  const problem& problem_;
  placement& places_;
  stage_solver solve_;
  std::span<const role> roles_;
  bool counts_all_;
  double tolerance_;
  groups regions_{.of_pe = {}, .count = 1};
};

double speed_of_pes(const machine& on, std::span<const int> pes) {
  double speed = 0;
  for (const int pe : pes) speed += on.speed_of(pe);
  return speed;
}

double devices_of_pes(const machine& on, std::span<const int> pes) {
  std::vector<int> devices;
  for (const int pe : pes) devices.push_back(on.device_of(pe));
  std::ranges::sort(devices);
  return static_cast<double>(std::ranges::unique(devices).begin() - devices.begin());
}

/// A solution by stages.
class stages {
 public:
  stages(const problem& p, stage_solver solve)
      : problem_(p),
        places_(p),
        solve_(solve),
        nodes_first_(p.on.nodes() > 1),
        has_device_loads_(has_device_loads()) {}

  std::vector<int> run(double acceptable) && {
    const busiest before = find_busiest();
    solve_all();
    const busiest after = find_busiest();
    const bool devices_worse = after.device > std::max(before.device, acceptable * after.average_device);
    const bool pes_worse =
        after.device >= before.device && after.pe > std::max(before.pe, acceptable * after.average_pe);
    if (devices_worse || pes_worse) return {problem_.pe.begin(), problem_.pe.end()};
    return std::move(places_).take();
  }

 private:
  /// Times of the busiest and of the average.
  struct busiest {
    double pe = 0, average_pe = 0, device = 0, average_device = 0;
  };

  busiest find_busiest() {
    busiest found;
    if (!problem_.load.empty()) {
      const std::vector<double>& loads = places_.loads_of_pes(problem_.load, {});
      double load = 0, speed = 0;
      for (int pe = 0; pe < problem_.on.pes; ++pe) {
        const double own = loads[static_cast<std::size_t>(pe)];
        found.pe = std::max(found.pe, own / problem_.on.speed_of(pe));
        load += own;
        speed += problem_.on.speed_of(pe);
      }
      found.average_pe = load / speed;
    }
    if (has_device_loads_) {
      const groups devices = group_by(problem_.on, [&](int pe) { return problem_.on.device_of(pe); });
      std::vector<double> loads(devices.count);
      for (std::size_t i = 0; i < problem_.size(); ++i)
        if (const int device = devices.of_pe[static_cast<std::size_t>(places_.pe(i))]; device >= 0)
          loads[static_cast<std::size_t>(device)] += problem_.device_load[i];
      found.device = *std::ranges::max_element(loads);
      found.average_device =
          std::accumulate(loads.begin(), loads.end(), 0.0) / static_cast<double>(loads.size());
    }
    return found;
  }

  void solve_all() {
    if (has_device_loads_) {
      solve_devices();
      if (set_roles_of_others()) solve_pes(roles_);
    } else if (!problem_.movable.empty()) {
      for (std::size_t i = 0; i < problem_.size(); ++i)
        roles_.push_back(problem_.is_movable(i) ? role::movable : role::fixed);
      solve_pes(roles_);
    } else {
      solve_pes({});
    }
  }

  bool is_on_device(std::size_t object) const {
    return problem_.device_load[object] > 0 && problem_.on.device_of(problem_.pe[object]) >= 0;
  }

  bool has_device_loads() const {
    if (problem_.device_load.empty()) return false;
    for (std::size_t i = 0; i < problem_.size(); ++i)
      if (is_on_device(i)) return true;
    return false;
  }

  groups nodes(bool with_devices) const {
    return group_by(problem_.on, [&](int pe) {
      return with_devices && problem_.on.device_of(pe) < 0 ? -1 : problem_.on.node_of(pe);
    });
  }

  /// Balances devices, and then the PEs of each, by the objects that load devices.
  void solve_devices() {
    for (std::size_t i = 0; i < problem_.size(); ++i) {
      const role mobile = problem_.is_movable(i) ? role::movable : role::fixed;
      roles_.push_back(is_on_device(i) ? mobile : role::absent);
    }
    const machine& on = problem_.on;
    const auto devices_of = [&](std::span<const int> pes) { return devices_of_pes(on, pes); };
    descent down(problem_, places_, solve_, roles_, false, nodes_first_ ? 2 : 1);
    if (nodes_first_) down.balance(problem_.device_load, nodes(true), devices_of);
    down.balance(problem_.device_load, group_by(on, [&](int pe) { return on.device_of(pe); }), devices_of);
    down.balance(problem_.load, group_by(on, [&](int pe) { return on.device_of(pe) < 0 ? -1 : pe; }),
                 [&](std::span<const int> pes) { return speed_of_pes(on, pes); });
  }

  /// From now on the objects that load devices stay, and others may move. True if there are such.
  bool set_roles_of_others() {
    bool any = false;
    for (std::size_t i = 0; i < problem_.size(); ++i) {
      const bool mobile = problem_.is_movable(i) && !is_on_device(i);
      roles_[i] = mobile ? role::movable : role::fixed;
      any = any || mobile;
    }
    return any;
  }

  void solve_pes(std::span<const role> roles) {
    const auto speed_of = [&](std::span<const int> pes) { return speed_of_pes(problem_.on, pes); };
    descent down(problem_, places_, solve_, roles, true, nodes_first_ ? 2 : 1);
    if (nodes_first_) down.balance(problem_.load, nodes(false), speed_of);
    down.balance(problem_.load, group_by(problem_.on, [](int pe) { return pe; }), speed_of);
  }

  const problem& problem_;
  placement places_;
  stage_solver solve_;
  bool nodes_first_;
  bool has_device_loads_;
  std::vector<role> roles_;
};

}  // namespace

lists::lists(std::span<const int> owners, std::size_t count) : start_(count + 1) {
  for (const int owner : owners)
    if (owner >= 0) ++start_[static_cast<std::size_t>(owner) + 1];
  for (std::size_t i = 0; i < count; ++i) start_[i + 1] += start_[i];
  numbers_.resize(start_[count]);
  std::vector<std::size_t> next(start_);
  for (std::size_t i = 0; i < owners.size(); ++i)
    if (owners[i] >= 0) numbers_[next[static_cast<std::size_t>(owners[i])]++] = static_cast<int>(i);
}

std::vector<int> solve_by_stages(const problem& p, stage_solver solve, double acceptable) {
  if (p.size() == 0) return {};
  return stages(p, solve).run(acceptable);
}

}  // namespace imbrex::balance::detail
