// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/lists.hpp"

#include <algorithm>
#include <cmath>

#include "apps/minimd/vectors.hpp"

namespace minimd {
namespace {

struct candidates {
  const double *x, *y, *z;
  const std::int32_t* number;
};

// Appends the candidates from `first` to `end` that are within `range` of a point and satisfy the rule. `to`
// needs room for all of them and 8 more.
template <class Rule>
std::int32_t* append_near(const candidates& of, std::size_t first, std::size_t end, const double* at,
                          double range, Rule rule, std::int32_t* to) {
  for (std::size_t k = first; k < end; ++k) {
    const double x = of.x[k] - at[0], y = of.y[k] - at[1], z = of.z[k] - at[2];
    *to = of.number[k];
    to += x * x + y * y + z * z < range * range && rule(k) ? 1 : 0;
  }
  return to;
}

#if MINIMD_HAS_AVX512
MINIMD_AVX512 std::int32_t* append_all_near(const candidates& of, std::size_t first, std::size_t end,
                                            const double* at, double range, std::int32_t self,
                                            std::int32_t* to) {
  const __m512d x0 = _mm512_set1_pd(at[0]), y0 = _mm512_set1_pd(at[1]), z0 = _mm512_set1_pd(at[2]);
  const __m512d most = _mm512_set1_pd(range * range);
  for (std::size_t k = first; k < end; k += 8) {
    const __m512d x = _mm512_sub_pd(_mm512_loadu_pd(of.x + k), x0);
    const __m512d y = _mm512_sub_pd(_mm512_loadu_pd(of.y + k), y0);
    const __m512d z = _mm512_sub_pd(_mm512_loadu_pd(of.z + k), z0);
    const __m512d squared = _mm512_fmadd_pd(x, x, _mm512_fmadd_pd(y, y, _mm512_mul_pd(z, z)));
    const __m256i number = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(of.number + k));
    const auto left = static_cast<__mmask8>(end - k >= 8 ? 0xff : (1U << (end - k)) - 1);
    const auto near = static_cast<__mmask8>(_mm512_mask_cmp_pd_mask(left, squared, most, _CMP_LT_OQ) &
                                            _mm256_cmpneq_epi32_mask(number, _mm256_set1_epi32(self)));
    // Compress in a register: some processors take a hundred cycles to compress into memory.
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_maskz_compress_epi32(near, number));
    to += __builtin_popcount(near);
  }
  return to;
}
#endif

// True if the copy is above the atom in the order z, y, x: one of the two blocks then has the pair.
bool is_above(const double* a, const candidates& of, std::size_t k) {
  if (of.z[k] != a[2]) return of.z[k] > a[2];
  if (of.y[k] != a[1]) return of.y[k] > a[1];
  return of.x[k] > a[0];
}

}  // namespace

std::vector<cell_row> rows_within(double distance, const imbrex::cells::point<3>& width) {
  const auto gap = [&](int offset, std::size_t d) { return std::max(std::abs(offset) - 1, 0) * width[d]; };
  const auto layers = [&](std::size_t d) { return static_cast<int>(std::ceil(distance / width[d] - 1e-9)); };
  std::vector<cell_row> rows;
  for (int i = -layers(0); i <= layers(0); ++i)
    for (int j = -layers(1); j <= layers(1); ++j) {
      const double rest = distance * distance - gap(i, 0) * gap(i, 0) - gap(j, 1) * gap(j, 1);
      if (rest <= 0) continue;
      int reach = 0;
      while (reach < layers(2) && gap(reach + 1, 2) * gap(reach + 1, 2) < rest) ++reach;
      rows.push_back({i, j, reach});
    }
  return rows;
}

void build_list(neighbour_list& list, const atom_store& store, const cell_order& order,
                const std::vector<cell_row>& rows, const imbrex::index<3>& origin,
                const imbrex::index<3>& extents, double range, list_kind kind, bool newton) {
  const candidates of{order.x.data(), order.y.data(), order.z.data(), order.number.data()};
  const auto far_away = static_cast<std::int32_t>(store.all());
  [[maybe_unused]] const bool vectors = kind == list_kind::full && has_avx512();
  list.begin.assign(store.own + 1, 0);
  std::size_t used = 0;
  // Own atoms are numbered cell by cell, in the order of the cells.
  std::size_t self = 0;
  struct span {
    std::size_t first, end;
  };
  std::vector<span> near;
  for (const auto& in_block : imbrex::indices(extents)) {
    const auto at = origin + in_block;
    const auto slot = [&](int i, int j, int k) {
      return (static_cast<std::size_t>(i) * static_cast<std::size_t>(order.extents[1]) +
              static_cast<std::size_t>(j)) *
                 static_cast<std::size_t>(order.extents[2]) +
             static_cast<std::size_t>(k);
    };
    const std::size_t here = slot(at[0], at[1], at[2]);
    if (order.begin[here] == order.begin[here + 1]) continue;
    near.clear();
    std::size_t most = 0;
    for (const auto& row : rows) {
      const int i = at[0] + row.first, j = at[1] + row.second;
      if (i < 0 || j < 0 || i >= order.extents[0] || j >= order.extents[1]) continue;
      const int low = std::max(at[2] - row.reach, 0),
                high = std::min(at[2] + row.reach, order.extents[2] - 1);
      const span cells{order.begin[slot(i, j, low)], order.begin[slot(i, j, high) + 1]};
      if (cells.first == cells.end) continue;
      near.push_back(cells);
      most += cells.end - cells.first;
    }
    for (std::size_t p = order.begin[here]; p < order.begin[here + 1]; ++p, ++self) {
      if (list.atoms.size() < used + most + 16) list.atoms.resize((used + most + 16) * 3 / 2);
      std::int32_t* const first = list.atoms.data() + used;
      std::int32_t* to = first;
      const double* const x = &store.position[4 * self];
      const auto me = static_cast<std::int32_t>(self);
      for (const auto& [begin, end] : near) {
#if MINIMD_HAS_AVX512
        if (vectors) {
          to = append_all_near(of, begin, end, x, range, me, to);
          continue;
        }
#endif
        if (kind == list_kind::full)
          to = append_near(of, begin, end, x, range, [&](std::size_t k) { return of.number[k] != me; }, to);
        else
          to = append_near(
              of, begin, end, x, range,
              [&](std::size_t k) {
                const auto other = static_cast<std::size_t>(of.number[k]);
                return other < store.own ? other > self : !newton || is_above(x, of, k);
              },
              to);
      }
      while ((to - first) % 8 != 0) *to++ = far_away;
      used += static_cast<std::size_t>(to - first);
      list.begin[self + 1] = used;
    }
  }
}

}  // namespace minimd
