// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/lj.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "apps/minimd/vectors.hpp"

namespace minimd {
namespace {

struct constants {
  explicit constants(const problem& of)
      : cutoff_squared(of.cutoff * of.cutoff),
        sigma_squared(of.sigma * of.sigma),
        force(48 * of.epsilon),
        energy(4 * of.epsilon) {}

  double cutoff_squared, sigma_squared, force, energy;
};

#if MINIMD_HAS_AVX512
template <bool wants_sums>
MINIMD_AVX512 pair_sums full_list_vectors(const constants& by, atom_store& store,
                                          const neighbour_list& list) {
  const double* const x = store.position.data();
  const __m512d most = _mm512_set1_pd(by.cutoff_squared), one = _mm512_set1_pd(1), half = _mm512_set1_pd(0.5);
  const __m512d sigma = _mm512_set1_pd(by.sigma_squared);
  __m512d potential = _mm512_setzero_pd(), virial = _mm512_setzero_pd();
  for (std::size_t i = 0; i < store.own; ++i) {
    const __m512d xi = _mm512_set1_pd(x[4 * i]), yi = _mm512_set1_pd(x[4 * i + 1]),
                  zi = _mm512_set1_pd(x[4 * i + 2]);
    __m512d fx = _mm512_setzero_pd(), fy = fx, fz = fx;
    const std::int32_t* const end = list.atoms.data() + list.begin[i + 1];
    for (const std::int32_t* j = list.atoms.data() + list.begin[i]; j < end; j += 8) {
      const auto others = load_rows(x, j);
      const __m512d dx = _mm512_sub_pd(xi, others.first), dy = _mm512_sub_pd(yi, others.second),
                    dz = _mm512_sub_pd(zi, others.third);
      const __m512d squared = _mm512_fmadd_pd(dx, dx, _mm512_fmadd_pd(dy, dy, _mm512_mul_pd(dz, dz)));
      const __mmask8 near = _mm512_cmp_pd_mask(squared, most, _CMP_LT_OQ);
      const __m512d inverse = _mm512_maskz_div_pd(near, one, squared);
      const __m512d ratio = _mm512_mul_pd(sigma, inverse);
      const __m512d sixth = _mm512_mul_pd(_mm512_mul_pd(ratio, ratio), ratio);
      const __m512d force = _mm512_mul_pd(_mm512_mul_pd(sixth, _mm512_sub_pd(sixth, half)), inverse);
      fx = _mm512_fmadd_pd(dx, force, fx);
      fy = _mm512_fmadd_pd(dy, force, fy);
      fz = _mm512_fmadd_pd(dz, force, fz);
      if constexpr (wants_sums) {
        potential = _mm512_fmadd_pd(sixth, _mm512_sub_pd(sixth, one), potential);
        virial = _mm512_fmadd_pd(squared, force, virial);
      }
    }
    double* const f = &store.force[4 * i];
    f[0] = by.force * _mm512_reduce_add_pd(fx);
    f[1] = by.force * _mm512_reduce_add_pd(fy);
    f[2] = by.force * _mm512_reduce_add_pd(fz);
  }
  return {_mm512_reduce_add_pd(potential) * by.energy / 2, _mm512_reduce_add_pd(virial) * by.force / 2};
}
#endif

pair_sums any_list(const constants& by, atom_store& store, const neighbour_list& list, list_kind kind,
                   bool newton) {
  const double* const x = store.position.data();
  double* const f = store.force.data();
  std::fill(store.force.begin(), store.force.end(), 0);
  pair_sums sums;
  const bool is_full = kind == list_kind::full;
  for (std::size_t i = 0; i < store.own; ++i) {
    double fx = 0, fy = 0, fz = 0;
    for (std::size_t k = list.begin[i]; k < list.begin[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(list.atoms[k]);
      const double dx = x[4 * i] - x[4 * j], dy = x[4 * i + 1] - x[4 * j + 1],
                   dz = x[4 * i + 2] - x[4 * j + 2];
      const double squared = dx * dx + dy * dy + dz * dz;
      if (!(squared < by.cutoff_squared)) continue;
      const double inverse = 1 / squared, ratio = by.sigma_squared * inverse, sixth = ratio * ratio * ratio;
      const double force = by.force * sixth * (sixth - 0.5) * inverse;
      fx += dx * force;
      fy += dy * force;
      fz += dz * force;
      const bool is_shared = is_full || (j >= store.own && !newton);
      const double part = is_shared ? 0.5 : 1;
      sums.potential += part * by.energy * sixth * (sixth - 1);
      sums.virial += part * squared * force;
      if (is_shared) continue;
      f[4 * j] -= dx * force;
      f[4 * j + 1] -= dy * force;
      f[4 * j + 2] -= dz * force;
    }
    f[4 * i] += fx;
    f[4 * i + 1] += fy;
    f[4 * i + 2] += fz;
  }
  return sums;
}

}  // namespace

pair_sums lj_forces(const problem& what, atom_store& store, const neighbour_list& list,
                    [[maybe_unused]] bool wants_sums) {
  const constants by(what);
#if MINIMD_HAS_AVX512
  if (what.lists == list_kind::full && has_avx512())
    return wants_sums ? full_list_vectors<true>(by, store, list) : full_list_vectors<false>(by, store, list);
#endif
  return any_list(by, store, list, what.lists, what.newton);
}

}  // namespace minimd
