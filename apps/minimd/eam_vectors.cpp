// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/eam_vectors.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

#include "apps/minimd/vectors.hpp"

namespace minimd {

#if MINIMD_HAS_AVX512
namespace {

// Indices of eight distances in the tables: the interval, and the fraction in it.
struct eight_places {
  alignas(32) int interval[8];
  __m512d part;
};

MINIMD_AVX512 __attribute__((always_inline)) inline eight_places places_of(const spline& of, __m512d x) {
  const __m512d at = _mm512_mul_pd(x, _mm512_set1_pd(of.intervals_in_unit()));
  const __m256i last = _mm256_set1_epi32(static_cast<int>(of.last_interval()));
  const __m256i interval = _mm256_min_epi32(_mm512_cvttpd_epi32(at), last);
  eight_places places;
  _mm256_store_si256(reinterpret_cast<__m256i*>(places.interval), interval);
  places.part = _mm512_min_pd(_mm512_sub_pd(at, _mm512_cvtepi32_pd(interval)), _mm512_set1_pd(1));
  return places;
}

// Cubics of the density, from the rows of eam_potential::by_distance.
MINIMD_AVX512 __attribute__((always_inline)) inline eight_rows density_at(const eam_potential& of,
                                                                          const eight_places& at) {
  return load_rows<8>(of.by_distance.data(), at.interval);
}
MINIMD_AVX512 __attribute__((always_inline)) inline eight_rows pair_at(const eam_potential& of,
                                                                       const eight_places& at) {
  return load_rows<8>(of.by_distance.data() + 4, at.interval);
}

MINIMD_AVX512 __attribute__((always_inline)) inline __m512d value_of(const eight_rows& c, __m512d part) {
  return _mm512_fmadd_pd(_mm512_fmadd_pd(_mm512_fmadd_pd(c.fourth, part, c.third), part, c.second), part,
                         c.first);
}
// The slope with respect to the fraction of the interval.
MINIMD_AVX512 __attribute__((always_inline)) inline __m512d slope_of(const eight_rows& c, __m512d part) {
  const __m512d two = _mm512_set1_pd(2), three = _mm512_set1_pd(3);
  return _mm512_fmadd_pd(_mm512_fmadd_pd(_mm512_mul_pd(three, c.fourth), part, _mm512_mul_pd(two, c.third)),
                         part, c.second);
}

// Writes the indices of the row's atoms within the cut-off, and the squares of their distances. Returns their
// number; the outputs need room for eight more.
MINIMD_AVX512 std::size_t collect_near(const double* x, std::size_t i, const std::int32_t* row,
                                       const std::int32_t* end, double cutoff, std::int32_t* near,
                                       double* squares) {
  const __m512d most = _mm512_set1_pd(cutoff * cutoff);
  const __m512d xi = _mm512_set1_pd(x[4 * i]), yi = _mm512_set1_pd(x[4 * i + 1]),
                zi = _mm512_set1_pd(x[4 * i + 2]);
  std::size_t count = 0;
  for (const std::int32_t* j = row; j < end; j += 8) {
    const auto others = load_rows(x, j);
    const __m512d dx = _mm512_sub_pd(xi, others.first), dy = _mm512_sub_pd(yi, others.second),
                  dz = _mm512_sub_pd(zi, others.third);
    const __m512d squared = _mm512_fmadd_pd(dx, dx, _mm512_fmadd_pd(dy, dy, _mm512_mul_pd(dz, dz)));
    const __mmask8 is_near = _mm512_cmp_pd_mask(squared, most, _CMP_LT_OQ);
    const __m256i numbers = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(j));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(near + count),
                        _mm256_maskz_compress_epi32(is_near, numbers));
    _mm512_storeu_pd(squares + count, _mm512_maskz_compress_pd(is_near, squared));
    count += static_cast<std::size_t>(__builtin_popcount(is_near));
  }
  return count;
}

}  // namespace

MINIMD_AVX512 void eam_densities_by_vectors(const problem& what, const eam_potential& by,
                                            const atom_store& store, const neighbour_list& list,
                                            near_pairs& near, std::vector<double>& densities) {
  densities.assign(store.all(), 0);
  near.list.begin.assign(1, 0);
  near.list.atoms.resize(list.atoms.size() + 8);
  near.distances.resize(list.atoms.size() + 8);
  std::size_t used = 0;
  for (std::size_t i = 0; i < store.own; ++i) {
    std::int32_t* const atoms = near.list.atoms.data() + used;
    double* const distances = near.distances.data() + used;
    const std::int32_t* const row = list.atoms.data();
    std::size_t count = collect_near(store.position.data(), i, row + list.begin[i], row + list.begin[i + 1],
                                     what.cutoff, atoms, distances);
    __m512d density = _mm512_setzero_pd();
    for (std::size_t k = 0; k < count; k += 8) {
      const auto left = static_cast<__mmask8>(count - k >= 8 ? 0xff : (1U << (count - k)) - 1);
      const __m512d distance = _mm512_sqrt_pd(_mm512_maskz_loadu_pd(left, distances + k));
      _mm512_storeu_pd(distances + k, distance);
      const auto at = places_of(by.density, distance);
      density = _mm512_mask_add_pd(density, left, density, value_of(density_at(by, at), at.part));
    }
    densities[i] = _mm512_reduce_add_pd(density);
    // Fill the last vector with the far-away atom.
    for (; count % 8 != 0; ++count) {
      atoms[count] = static_cast<std::int32_t>(store.all());
      distances[count] = std::numeric_limits<double>::infinity();
    }
    used += count;
    near.list.begin.push_back(used);
  }
}

MINIMD_AVX512 pair_sums eam_forces_by_vectors(const eam_potential& by, const std::vector<double>& slopes,
                                              const near_pairs& near, atom_store& store) {
  const double* const x = store.position.data();
  const __m512d one = _mm512_set1_pd(1), scale = _mm512_set1_pd(by.density.intervals_in_unit());
  const __m512d far_away = _mm512_set1_pd(std::numeric_limits<double>::infinity());
  __m512d potential = _mm512_setzero_pd(), virial = potential;
  for (std::size_t i = 0; i < store.own; ++i) {
    const __m512d xi = _mm512_set1_pd(x[4 * i]), yi = _mm512_set1_pd(x[4 * i + 1]),
                  zi = _mm512_set1_pd(x[4 * i + 2]), slope = _mm512_set1_pd(slopes[i]);
    __m512d fx = _mm512_setzero_pd(), fy = fx, fz = fx;
    for (std::size_t k = near.list.begin[i]; k < near.list.begin[i + 1]; k += 8) {
      const std::int32_t* const j = near.list.atoms.data() + k;
      const auto others = load_rows(x, j);
      const __m512d dx = _mm512_sub_pd(xi, others.first), dy = _mm512_sub_pd(yi, others.second),
                    dz = _mm512_sub_pd(zi, others.third);
      const __m512d distance = _mm512_loadu_pd(near.distances.data() + k);
      const __mmask8 is_near = _mm512_cmp_pd_mask(distance, far_away, _CMP_LT_OQ);
      const auto at = places_of(by.density, _mm512_maskz_mov_pd(is_near, distance));
      const auto of_density = density_at(by, at), of_pair = pair_at(by, at);
      const __m512d inverse = _mm512_div_pd(one, distance);  // 0 for the far-away atom
      const __m512d energy = _mm512_mul_pd(value_of(of_pair, at.part), inverse);
      const __m512d energy_slope =
          _mm512_mul_pd(_mm512_fmsub_pd(slope_of(of_pair, at.part), scale, energy), inverse);
      const __m512d both_slopes = _mm512_add_pd(
          slope,
          _mm512_i32gather_pd(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(j)), slopes.data(), 8));
      const __m512d density_slope = _mm512_mul_pd(slope_of(of_density, at.part), scale);
      const __m512d force =
          _mm512_mul_pd(_mm512_fnmsub_pd(both_slopes, density_slope, energy_slope), inverse);
      fx = _mm512_fmadd_pd(dx, force, fx);
      fy = _mm512_fmadd_pd(dy, force, fy);
      fz = _mm512_fmadd_pd(dz, force, fz);
      potential = _mm512_add_pd(potential, energy);
      virial = _mm512_mask3_fmadd_pd(_mm512_mul_pd(distance, distance), force, virial, is_near);
    }
    double* const f = &store.force[4 * i];
    f[0] = _mm512_reduce_add_pd(fx);
    f[1] = _mm512_reduce_add_pd(fy);
    f[2] = _mm512_reduce_add_pd(fz);
  }
  return {_mm512_reduce_add_pd(potential) / 2, _mm512_reduce_add_pd(virial) / 2};
}
#endif

}  // namespace minimd
