// SPDX-License-Identifier: Apache-2.0
#include <imbrex/cells/domain.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/cells/errors.hpp>

namespace imbrex::cells {

template <int D>
std::string to_string(const point<D>& p) {
  std::string text;
  for (const double x : p) text += (text.empty() ? "(" : ", ") + detail::number_text(x);
  return text + ")";
}
template std::string to_string<2>(const point<2>&);
template std::string to_string<3>(const point<3>&);

template <int D>
domain<D>::domain(const point<D>& lower, const point<D>& upper, const index<D>& cells,
                  const grid::boundaries<D>& ends)
    : lower_(lower), upper_(upper), cells_(cells), ends_(ends) {
  for (int d = 0; d < D; ++d) {
    const std::string dimension = "dimension " + std::to_string(d);
    const double length = upper[at(d)] - lower[at(d)];
    if (!(length > 0) || !std::isfinite(length))
      throw error("a domain from " + to_string<D>(lower) + " to " + to_string<D>(upper) +
                  " has no length in " + dimension + ": give finite corners, the lower first");
    if (cells[d] < 1)
      throw error("a domain of " + imbrex::to_string(cells) + " cells has none in " + dimension +
                  ": take at least 1");
    const auto low = ends[side<D>(2 * d)], high = ends[side<D>(2 * d + 1)];
    if ((low == grid::boundary::periodic) != (high == grid::boundary::periodic))
      throw error(dimension + " of a domain is periodic at one end only: set both ends, by boundaries::set(" +
                  std::to_string(d) + ", boundary::periodic)");
    if (low == grid::boundary::function || high == grid::boundary::function)
      throw error(dimension +
                  " of a domain ends in boundary::function, which is for ghost cells of fields: "
                  "take open, periodic or reflecting");
    width_[at(d)] = length / cells[d];
    inverse_width_[at(d)] = cells[d] / length;
  }
}

template <int D>
double domain<D>::volume() const {
  double v = 1;
  for (int d = 0; d < D; ++d) v *= length(d);
  return v;
}

template <int D>
unsigned domain<D>::bring_back_from_outside(point<D>& where) const {
  unsigned mirrored = 0;
  for (int d = 0; d < D; ++d) {
    double& x = where[at(d)];
    const double low = lower_[at(d)], high = upper_[at(d)];
    if (x >= low && x < high) continue;
    if (is_periodic(d)) {
      const double span = high - low;
      if (x < low - span || x >= high + span)
        x -= span * std::floor((x - low) / span);
      else
        x += x < low ? span : -span;
      if (!(x >= low && x < high)) x = low;  // rounding has made it the other end
      continue;
    }
    const bool wall_below = ends_[side<D>(2 * d)] == grid::boundary::reflecting;
    const bool wall_above = ends_[side<D>(2 * d + 1)] == grid::boundary::reflecting;
    if (wall_below && wall_above) {
      const double span = high - low;
      const double passes = std::floor((x - low) / span);
      const double rest = (x - low) - passes * span;
      const bool is_odd = std::fmod(passes, 2) != 0;
      x = is_odd ? high - rest : low + rest;
      if (is_odd) mirrored |= 1U << static_cast<unsigned>(d);
    } else if ((wall_below && x < low) || (wall_above && x > high)) {
      x = x < low ? 2 * low - x : 2 * high - x;
      mirrored |= 1U << static_cast<unsigned>(d);
    }
  }
  return mirrored;
}

template <int D>
index<D> domain<D>::layers(double distance) const {
  if (!(distance >= 0) || !std::isfinite(distance))
    throw error("a distance of " + detail::number_text(distance) +
                " between cells is impossible: give one that is finite and not negative");
  index<D> n;
  for (int d = 0; d < D; ++d) {
    // Rounding must not add a layer, but even the shortest distance reaches into the next cell.
    const double layers =
        std::max(distance > 0 ? 1.0 : 0.0, std::ceil(distance * inverse_width_[at(d)] - 1e-9));
    const double most = is_periodic(d) ? 1e6 : cells_[d];
    if (layers > most && is_periodic(d))
      throw error("a distance of " + detail::number_text(distance) +
                  " is more than a million cells of width " + detail::number_text(width_[at(d)]) +
                  ": take fewer cells");
    n[d] = static_cast<int>(std::fmin(std::fmax(layers, 0), most));
  }
  return n;
}

template class domain<2>;
template class domain<3>;

}  // namespace imbrex::cells
