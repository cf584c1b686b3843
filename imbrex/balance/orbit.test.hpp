// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <imbrex/balance/curve_order.hpp>
#include <imbrex/balance/forecast.hpp>
#include <imbrex/balance/quality.hpp>
#include <imbrex/balance/snapshot.hpp>
#include <imbrex/balance/strategy.hpp>

namespace imbrex::balance {

/// A spot of high load goes round in a cube of objects that talk to their neighbours.
class orbit {
 public:
  /// edge^3 objects on `pes` PEs in nodes of `node_pes`. In each step the spot moves by `pace` edges.
  orbit(int edge, int pes, int node_pes, double pace) : edge_(edge), pace_(pace) {
    all_.pes = pes;
    for (int pe = 0; pe < pes; ++pe) all_.node.push_back(pe / node_pes);
    add_objects();
    all_.pe.resize(base_.size());
    all_.curve = curve_order(all_.view());
    for (std::size_t k = 0; k < all_.curve.size(); ++k)
      all_.pe[all_.curve[k]] = static_cast<int>(k * static_cast<std::size_t>(pes) / all_.curve.size());
    set_loads(0);
  }

  struct result {
    double imbalance = 0;      ///< busiest over average PE: mean of all steps
    double moved = 0;          ///< fraction of the objects: mean of all steps but the first
    double cut = 0;            ///< between PEs, at the end over that at the start
    double node_cut = 0;       ///< between nodes, at the end over that at the start
    double mean_node_cut = 0;  ///< mean of all steps
  };

  /// Solves each step with the forecast of its loads, and judges by the loads that come. Returns to the first
  /// step at the start.
  result run(const strategy& by, int steps) {
    const std::vector<int> start = all_.pe;
    const quality first = quality_of(all_.view(), all_.pe);
    forecast loads;
    result found;
    for (int step = 1; step <= steps; ++step) {
      set_loads(step - 1);
      loads.add(all_.load);
      all_.load = loads.expected();
      all_.seed = static_cast<std::uint64_t>(step);
      const std::vector<int> solution = by.solve(all_.view());
      if (step > 1) found.moved += quality_moved(solution) / (steps - 1);
      all_.pe = solution;
      set_loads(step);
      found.mean_node_cut += node_cut_of(all_.view(), all_.pe) / first.node_cut / steps;
      found.imbalance += imbalance_of(all_.view(), all_.pe).pes / steps;
    }
    const quality last = quality_of(all_.view(), all_.pe);
    found.node_cut = last.node_cut / first.node_cut;
    found.cut = last.cut / first.cut;
    all_.pe = start;
    return found;
  }

  /// The problem of a step, with its true loads.
  problem at(int step) {
    set_loads(step);
    return all_.view();
  }

 private:
  void add_objects() {
    std::mt19937 dice(1);
    std::lognormal_distribution<double> load(0, 0.5);
    all_.dimensions = 3;
    for (int x = 0; x < edge_; ++x)
      for (int y = 0; y < edge_; ++y)
        for (int z = 0; z < edge_; ++z) {
          base_.push_back(load(dice));
          for (const int coordinate : {x, y, z}) all_.coordinates.push_back(static_cast<float>(coordinate));
          all_.first_edge.push_back(static_cast<std::uint32_t>(all_.edge_to.size()));
          const int own = (x * edge_ + y) * edge_ + z;
          if (x + 1 < edge_) all_.edge_to.push_back(static_cast<std::uint32_t>(own + edge_ * edge_));
          if (y + 1 < edge_) all_.edge_to.push_back(static_cast<std::uint32_t>(own + edge_));
          if (z + 1 < edge_) all_.edge_to.push_back(static_cast<std::uint32_t>(own + 1));
        }
    all_.first_edge.push_back(static_cast<std::uint32_t>(all_.edge_to.size()));
  }

  void set_loads(int step) {
    constexpr double radius = 0.3;
    const double angle = pace_ * step / radius;
    const std::array<double, 3> center{0.5 + radius * std::cos(angle), 0.5 + radius * std::sin(angle), 0.3};
    all_.load.resize(base_.size());
    for (std::size_t i = 0; i < base_.size(); ++i) {
      double squared = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        const double away = static_cast<double>(all_.coordinates[3 * i + d]) / edge_ - center[d];
        squared += away * away;
      }
      all_.load[i] = base_[i] * (1 + 8 * std::exp(-20 * squared));
    }
  }

  double quality_moved(const std::vector<int>& solution) const {
    std::size_t moved = 0;
    for (std::size_t i = 0; i < solution.size(); ++i) moved += solution[i] != all_.pe[i] ? 1 : 0;
    return static_cast<double>(moved) / static_cast<double>(solution.size());
  }

  int edge_;
  double pace_;
  std::vector<double> base_;
  snapshot all_;
};

}  // namespace imbrex::balance
