// SPDX-License-Identifier: Apache-2.0
#include <imbrex/cells/block_geometry.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <imbrex/cells/errors.hpp>

namespace imbrex::cells::detail {

template <int D>
std::string block_geometry<D>::block_text(std::uint64_t number) const {
  return imbrex::to_string(extension::from_linear(cut.shape(), number));
}

template <int D>
auto block_geometry<D>::bounds_around(const grid::box<D>& of, double width) const -> bounds {
  bounds found;
  for (int d = 0; d < D; ++d) {
    const auto k = static_cast<std::size_t>(d);
    const double w = domain.cell_width()[k], tolerance = 1e-9 * w;
    found.lower[k] = domain.lower()[k] + of.origin[d] * w - width - tolerance;
    found.upper[k] = domain.lower()[k] + (of.origin[d] + of.extents[d]) * w + width + tolerance;
    if (domain.is_periodic(d)) continue;
    if (of.origin[d] == 0) found.lower[k] = -std::numeric_limits<double>::infinity();
    if (of.origin[d] + of.extents[d] == domain.cells()[d])
      found.upper[k] = std::numeric_limits<double>::infinity();
  }
  return found;
}

template <int D>
bool block_geometry<D>::may_insert(const point<D>& position) const {
  for (int d = 0; d < D; ++d) {
    const auto k = static_cast<std::size_t>(d);
    const double x = position[k], lower = domain.lower()[k], upper = domain.upper()[k];
    const bool is_below = x < lower && domain.face_boundary(side<D>(2 * d)) != grid::boundary::open;
    const bool is_above = x > upper && domain.face_boundary(side<D>(2 * d + 1)) != grid::boundary::open;
    if (!std::isfinite(x) || is_below || is_above || (x == upper && domain.is_periodic(d))) return false;
  }
  return own.contains(domain.cell_of(position));
}

template <int D>
void block_geometry<D>::throw_not_inserted(const std::string& name, const point<D>& position) const {
  const index<D> to = domain.cell_of(position);
  block_geometry whole = *this;
  whole.own = {index<D>(), domain.cells()};
  if (!whole.may_insert(position))
    throw_outside(name, to_string<D>(position), to_string<D>(domain.lower()), to_string<D>(domain.upper()));
  throw_not_own_cell(name, to_string<D>(position), imbrex::to_string(to), imbrex::to_string(where));
}

template <int D>
std::size_t partner_of(const reach<D>& in, std::uint64_t block) {
  const auto found = std::ranges::lower_bound(in.partners, block, {}, &partner<D>::block);
  if (found == in.partners.end() || found->block != block) return in.partners.size();
  return static_cast<std::size_t>(found - in.partners.begin());
}

template struct block_geometry<2>;
template struct block_geometry<3>;
template std::size_t partner_of(const reach<2>&, std::uint64_t);
template std::size_t partner_of(const reach<3>&, std::uint64_t);

}  // namespace imbrex::cells::detail
