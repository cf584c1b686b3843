// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <imbrex/balance/internal/library.hpp>
#include <imbrex/balance/internal/ordered_problem.hpp>
#include <imbrex/balance/quality.hpp>

namespace imbrex::balance::detail {
namespace {

/// By how much objects may be more scattered than along the curve.
constexpr double most_scattered = 1.15;

/// The imbalance of PEs up to which a solution is taken as it is.
constexpr double most_uneven = 1.05;

/// The surface of the parts that nodes have: a run of n objects of the curve has n^((d - 1) / d) objects at
/// its surface. The sum follows the cut between nodes and needs no edges. With one node,
/// PEs stand for nodes.
class surface {
 public:
  explicit surface(const problem& p)
      : problem_(p),
        by_nodes_(p.on.nodes() > 1),
        exponent_(p.dimensions > 0 ? (p.dimensions - 1.0) / p.dimensions : 0) {}

  double of(const std::vector<int>& pes) const {
    double sum = 0;
    std::size_t length = 0;
    int part = -1;
    for (const std::uint32_t object : problem_.curve) {
      const int own = by_nodes_ ? problem_.on.node_of(pes[object]) : pes[object];
      if (own != part) sum += of_run(length);
      length = own != part ? 1 : length + 1;
      part = own;
    }
    return sum + of_run(length);
  }

  /// The surface if the curve is cut into one part of equal load for each node.
  double of_curve() const {
    const int parts = by_nodes_ ? problem_.on.nodes() : problem_.on.pes;
    double total = 0;
    for (const double load : problem_.load) total += load;
    double sum = 0, before = 0, bound = total / parts;
    std::size_t length = 0;
    for (const std::uint32_t object : problem_.curve) {
      if (before > bound) {
        sum += of_run(length);
        length = 0;
        bound += total / parts;
      }
      before += problem_.load_of(object);
      ++length;
    }
    return sum + of_run(length);
  }

 private:
  double of_run(std::size_t length) const {
    return length == 0 ? 0 : std::pow(static_cast<double>(length), exponent_);
  }

  const problem& problem_;
  bool by_nodes_;
  double exponent_;
};

/// A run of whole objects leaves PEs with few objects uneven; single objects even them out.
std::vector<int> refined(const problem& p, std::vector<int> pes) {
  if (imbalance_of(p, pes).pes <= most_uneven) return pes;
  problem rest = p;
  rest.pe = pes;
  return refine(rest);
}

}  // namespace

std::vector<int> automatic(const problem& p) {
  const ordered_problem ordered(p);
  std::vector<int> runs = segments(ordered.get());
  const surface of(ordered.get());
  const double scattered = of.of(runs);
  if (scattered <= most_scattered * of.of_curve()) return refined(p, std::move(runs));
  // Objects that cannot move may keep the curve's solution as scattered.
  std::vector<int> parts = curve(ordered.get());
  return refined(p, scattered > most_scattered * of.of(parts) ? std::move(parts) : std::move(runs));
}

}  // namespace imbrex::balance::detail
