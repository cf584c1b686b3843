// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/eam_vectors.hpp"

#include <cstddef>
#include <cstdint>

#include "apps/minimd/vectors.hpp"

namespace minimd {

#if MINIMD_HAS_AVX512
namespace {

// A spline at eight places: the cubics of their intervals, and how far into these.
struct eight_cubics {
  __m512d c0, c1, c2, c3, part;
};

MINIMD_AVX512 __attribute__((always_inline)) inline eight_cubics look_up(const spline& of, __m512d x) {
  const __m512d at = _mm512_mul_pd(x, _mm512_set1_pd(of.intervals_in_unit()));
  const __m256i last = _mm256_set1_epi32(static_cast<int>(of.last_interval()));
  const __m256i interval = _mm256_min_epi32(_mm512_cvttpd_epi32(at), last);
  const __m512d part = _mm512_min_pd(_mm512_sub_pd(at, _mm512_cvtepi32_pd(interval)), _mm512_set1_pd(1));
  alignas(32) int rows[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(rows), interval);
  const auto four = load_rows(of.cubics().data(), rows);
  return {four.first, four.second, four.third, four.fourth, part};
}

MINIMD_AVX512 __attribute__((always_inline)) inline __m512d value_of(const eight_cubics& c) {
  return _mm512_fmadd_pd(_mm512_fmadd_pd(_mm512_fmadd_pd(c.c3, c.part, c.c2), c.part, c.c1), c.part, c.c0);
}
// By interval.
MINIMD_AVX512 __attribute__((always_inline)) inline __m512d slope_of(const eight_cubics& c) {
  const __m512d two = _mm512_set1_pd(2), three = _mm512_set1_pd(3);
  return _mm512_fmadd_pd(_mm512_fmadd_pd(_mm512_mul_pd(three, c.c3), c.part, _mm512_mul_pd(two, c.c2)),
                         c.part, c.c1);
}

}  // namespace

MINIMD_AVX512 void eam_densities_by_vectors(const problem& what, const eam_potential& by,
                                            const atom_store& store, const neighbour_list& list,
                                            std::vector<double>& densities) {
  densities.assign(store.all(), 0);
  const double* const x = store.position.data();
  const __m512d most = _mm512_set1_pd(what.cutoff * what.cutoff);
  for (std::size_t i = 0; i < store.own; ++i) {
    const __m512d xi = _mm512_set1_pd(x[4 * i]), yi = _mm512_set1_pd(x[4 * i + 1]),
                  zi = _mm512_set1_pd(x[4 * i + 2]);
    __m512d density = _mm512_setzero_pd();
    const std::int32_t* const end = list.atoms.data() + list.begin[i + 1];
    for (const std::int32_t* j = list.atoms.data() + list.begin[i]; j < end; j += 8) {
      const auto others = load_rows(x, j);
      const __m512d dx = _mm512_sub_pd(xi, others.first), dy = _mm512_sub_pd(yi, others.second),
                    dz = _mm512_sub_pd(zi, others.third);
      const __m512d squared = _mm512_fmadd_pd(dx, dx, _mm512_fmadd_pd(dy, dy, _mm512_mul_pd(dz, dz)));
      const __mmask8 near = _mm512_cmp_pd_mask(squared, most, _CMP_LT_OQ);
      if (near == 0) continue;
      const auto cubics = look_up(by.density, _mm512_maskz_sqrt_pd(near, squared));
      density = _mm512_mask_add_pd(density, near, density, value_of(cubics));
    }
    densities[i] = _mm512_reduce_add_pd(density);
  }
}

MINIMD_AVX512 pair_sums eam_forces_by_vectors(const problem& what, const eam_potential& by,
                                              const std::vector<double>& slopes, atom_store& store,
                                              const neighbour_list& list) {
  const double* const x = store.position.data();
  const __m512d most = _mm512_set1_pd(what.cutoff * what.cutoff), one = _mm512_set1_pd(1);
  const __m512d density_scale = _mm512_set1_pd(by.density.intervals_in_unit());
  const __m512d pair_scale = _mm512_set1_pd(by.pair.intervals_in_unit());
  __m512d potential = _mm512_setzero_pd(), virial = potential;
  for (std::size_t i = 0; i < store.own; ++i) {
    const __m512d xi = _mm512_set1_pd(x[4 * i]), yi = _mm512_set1_pd(x[4 * i + 1]),
                  zi = _mm512_set1_pd(x[4 * i + 2]), slope = _mm512_set1_pd(slopes[i]);
    __m512d fx = _mm512_setzero_pd(), fy = fx, fz = fx;
    const std::int32_t* const end = list.atoms.data() + list.begin[i + 1];
    for (const std::int32_t* j = list.atoms.data() + list.begin[i]; j < end; j += 8) {
      const auto others = load_rows(x, j);
      const __m512d dx = _mm512_sub_pd(xi, others.first), dy = _mm512_sub_pd(yi, others.second),
                    dz = _mm512_sub_pd(zi, others.third);
      const __m512d squared = _mm512_fmadd_pd(dx, dx, _mm512_fmadd_pd(dy, dy, _mm512_mul_pd(dz, dz)));
      const __mmask8 near = _mm512_cmp_pd_mask(squared, most, _CMP_LT_OQ);
      if (near == 0) continue;
      const __m512d distance = _mm512_maskz_sqrt_pd(near, squared);
      const auto of_density = look_up(by.density, distance);
      const auto of_pair = look_up(by.pair, distance);
      const __m512d inverse = _mm512_maskz_div_pd(near, one, distance);
      const __m512d energy = _mm512_mul_pd(value_of(of_pair), inverse);
      const __m512d energy_slope = _mm512_fmsub_pd(_mm512_mul_pd(slope_of(of_pair), pair_scale), inverse,
                                                   _mm512_mul_pd(energy, inverse));
      const __m512d other_slopes =
          _mm512_mask_i32gather_pd(_mm512_setzero_pd(), near,
                                   _mm256_loadu_si256(reinterpret_cast<const __m256i*>(j)), slopes.data(), 8);
      const __m512d density_slope = _mm512_mul_pd(slope_of(of_density), density_scale);
      const __m512d force = _mm512_maskz_mul_pd(
          near, _mm512_fnmsub_pd(_mm512_add_pd(slope, other_slopes), density_slope, energy_slope), inverse);
      fx = _mm512_fmadd_pd(dx, force, fx);
      fy = _mm512_fmadd_pd(dy, force, fy);
      fz = _mm512_fmadd_pd(dz, force, fz);
      potential = _mm512_mask_add_pd(potential, near, potential, energy);
      virial = _mm512_fmadd_pd(squared, force, virial);
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
