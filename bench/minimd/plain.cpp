// SPDX-License-Identifier: Apache-2.0
// The reference for apps/minimd: Lennard-Jones or embedded atoms by plain loops over arrays. It uses full
// neighbour lists and vectors of eight numbers, on one processor, in one file. It has no chares, no messages,
// and only cells for sorting atoms. The initial state, the reader of potentials and the output are minimd's.
//
//   minimd_plain [UNIT_CELLS_A_SIDE [STEPS [POTENTIAL_FILE]]]
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <string>
#include <vector>

#include "apps/minimd/eam.hpp"
#include "apps/minimd/initial_state.hpp"
#include "apps/minimd/options.hpp"
#include "apps/minimd/problem.hpp"
#include "apps/minimd/store.hpp"
#include "apps/minimd/thermo.hpp"

#define WITH_VECTORS __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,fma")))

namespace {

using minimd::problem;
using minimd::vectors;

// All atoms and the images near each side, with four numbers each; the last one is far away.
struct atoms_in_box {
  problem what;
  std::size_t atoms = 0, images = 0;
  vectors x, v, f;
  std::vector<std::int32_t> original;        // atom of each image
  std::vector<std::array<double, 3>> shift;  // displacement of each image
  std::vector<std::size_t> begin;            // begin of each atom's row in `list`, and the end
  std::vector<std::int32_t> list;
  double potential = 0, virial = 0;
  // Fields for embedded atoms:
  minimd::eam_potential embedded;
  vectors cubics;                  // per interval of distances: four of the density, four of the pair energy
  std::vector<double> slopes;      // derivatives of the embedding energy
  std::vector<std::int32_t> near;  // per row of `list`: the atoms within the cut-off
  std::vector<double> distances;   // distances of the atoms in `near`
  std::vector<std::size_t> near_begin;  // begin of each row in `near`, and the end
};

// Moves atoms into the box, and sorts them by cells, so that near atoms are near in memory.
void sort_atoms(atoms_in_box& s, const std::array<int, 3>& cells, const std::array<double, 3>& box) {
  std::vector<std::pair<int, std::int32_t>> order(s.atoms);
  for (std::size_t i = 0; i < s.atoms; ++i) {
    int cell = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      double& x = s.x[4 * i + d];
      x += x < 0 ? box[d] : x >= box[d] ? -box[d] : 0;
      cell = cell * cells[d] + std::min(static_cast<int>(x * cells[d] / box[d]), cells[d] - 1);
    }
    order[i] = {cell, static_cast<std::int32_t>(i)};
  }
  std::sort(order.begin(), order.end());
  vectors x(4 * s.atoms), v(4 * s.atoms);
  for (std::size_t i = 0; i < s.atoms; ++i)
    for (std::size_t d = 0; d < 4; ++d) {
      x[4 * i + d] = s.x[4 * static_cast<std::size_t>(order[i].second) + d];
      v[4 * i + d] = s.v[4 * static_cast<std::size_t>(order[i].second) + d];
    }
  s.x.swap(x);
  s.v.swap(v);
}

void make_images(atoms_in_box& s, const std::array<double, 3>& box, double range) {
  s.original.clear();
  s.shift.clear();
  for (int a = -1; a <= 1; ++a)
    for (int b = -1; b <= 1; ++b)
      for (int c = -1; c <= 1; ++c) {
        if (a == 0 && b == 0 && c == 0) continue;
        const std::array<double, 3> by{a * box[0], b * box[1], c * box[2]};
        for (std::size_t i = 0; i < s.atoms; ++i) {
          bool is_near = true;
          for (std::size_t d = 0; d < 3; ++d) {
            const double x = s.x[4 * i + d] + by[d];
            is_near &= x >= -range && x <= box[d] + range;
          }
          if (!is_near) continue;
          s.original.push_back(static_cast<std::int32_t>(i));
          s.shift.push_back(by);
        }
      }
  s.images = s.original.size();
  s.x.resize(4 * (s.atoms + s.images + 1));
  for (std::size_t d = 0; d < 4; ++d) s.x[4 * (s.atoms + s.images) + d] = 1e12;
}

void move_images(atoms_in_box& s) {
  for (std::size_t k = 0; k < s.images; ++k) {
    const double* const from = &s.x[4 * static_cast<std::size_t>(s.original[k])];
    double* const to = &s.x[4 * (s.atoms + k)];
    for (std::size_t d = 0; d < 3; ++d) to[d] = from[d] + s.shift[k][d];
  }
}

WITH_VECTORS void make_lists(atoms_in_box& s, const std::array<int, 3>& cells,
                             const std::array<double, 3>& box, double range) {
  std::array<int, 3> layers, all;
  std::array<double, 3> width;
  for (std::size_t d = 0; d < 3; ++d) {
    width[d] = box[d] / cells[d];
    layers[d] = static_cast<int>(std::ceil(range / width[d]));
    all[d] = cells[d] + 2 * layers[d];
  }
  const std::size_t n = s.atoms + s.images;
  const auto cell_of = [&](std::size_t i) {
    std::size_t cell = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const int at = static_cast<int>(std::floor(s.x[4 * i + d] / width[d])) + layers[d];
      cell =
          cell * static_cast<std::size_t>(all[d]) + static_cast<std::size_t>(std::clamp(at, 0, all[d] - 1));
    }
    return cell;
  };
  const std::size_t count =
      static_cast<std::size_t>(all[0]) * static_cast<std::size_t>(all[1]) * static_cast<std::size_t>(all[2]);
  std::vector<std::size_t> first(count + 1), of(n);
  for (std::size_t i = 0; i < n; ++i) ++first[(of[i] = cell_of(i)) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<double> x(n + 8), y(n + 8), z(n + 8);
  std::vector<std::int32_t> number(n + 8);
  auto next = first;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t to = next[of[i]]++;
    x[to] = s.x[4 * i];
    y[to] = s.x[4 * i + 1];
    z[to] = s.x[4 * i + 2];
    number[to] = static_cast<std::int32_t>(i);
  }
  s.begin.assign(1, 0);
  std::size_t used = 0;
  const __m512d most = _mm512_set1_pd(range * range);
  for (std::size_t i = 0; i < s.atoms; ++i) {
    if (s.list.size() < used + 4096) s.list.resize((used + 4096) * 3 / 2);
    std::int32_t* const row = s.list.data() + used;
    std::int32_t* to = row;
    const __m512d xi = _mm512_set1_pd(s.x[4 * i]), yi = _mm512_set1_pd(s.x[4 * i + 1]),
                  zi = _mm512_set1_pd(s.x[4 * i + 2]);
    const int here_z = static_cast<int>(of[i] % static_cast<std::size_t>(all[2]));
    const std::size_t in_plane = of[i] / static_cast<std::size_t>(all[2]);
    const int here_y = static_cast<int>(in_plane % static_cast<std::size_t>(all[1]));
    const int here_x = static_cast<int>(in_plane / static_cast<std::size_t>(all[1]));
    const auto gap = [](int offset, double w) { return std::max(std::abs(offset) - 1, 0) * w; };
    for (int a = -layers[0]; a <= layers[0]; ++a)
      for (int b = -layers[1]; b <= layers[1]; ++b) {
        const double rest =
            range * range - gap(a, width[0]) * gap(a, width[0]) - gap(b, width[1]) * gap(b, width[1]);
        if (rest <= 0) continue;
        int reach = 0;
        while (reach < layers[2] && gap(reach + 1, width[2]) * gap(reach + 1, width[2]) < rest) ++reach;
        const std::size_t line = (static_cast<std::size_t>(here_x + a) * static_cast<std::size_t>(all[1]) +
                                  static_cast<std::size_t>(here_y + b)) *
                                 static_cast<std::size_t>(all[2]);
        const std::size_t end = first[line + static_cast<std::size_t>(here_z + reach) + 1];
        for (std::size_t k = first[line + static_cast<std::size_t>(here_z - reach)]; k < end; k += 8) {
          const __m512d dx = _mm512_sub_pd(_mm512_loadu_pd(&x[k]), xi),
                        dy = _mm512_sub_pd(_mm512_loadu_pd(&y[k]), yi),
                        dz = _mm512_sub_pd(_mm512_loadu_pd(&z[k]), zi);
          const __m512d squared = _mm512_fmadd_pd(dx, dx, _mm512_fmadd_pd(dy, dy, _mm512_mul_pd(dz, dz)));
          const __m256i numbers = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&number[k]));
          const auto left = static_cast<__mmask8>(end - k >= 8 ? 0xff : (1U << (end - k)) - 1);
          const auto near = static_cast<__mmask8>(
              _mm512_mask_cmp_pd_mask(left, squared, most, _CMP_LT_OQ) &
              _mm256_cmpneq_epi32_mask(numbers, _mm256_set1_epi32(static_cast<int>(i))));
          // Compressing into memory takes a hundred cycles on some processors, into a register a few.
          _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_maskz_compress_epi32(near, numbers));
          to += __builtin_popcount(near);
        }
      }
    while ((to - row) % 8 != 0) *to++ = static_cast<std::int32_t>(n);
    used += static_cast<std::size_t>(to - row);
    s.begin.push_back(used);
  }
}

// The four columns of eight rows of four numbers; rows are loaded two in a vector.
struct eight_rows {
  __m512d first, second, third, fourth;
};
WITH_VECTORS inline __m512d load_two(const double* a, const double* b) {
  return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(a)), _mm256_load_pd(b), 1);
}
WITH_VECTORS inline eight_rows load_rows(const double* rows, const std::int32_t* numbers,
                                         std::ptrdiff_t width) {
  const auto two = [&](int a, int b) WITH_VECTORS {
    return load_two(rows + width * numbers[a], rows + width * numbers[b]);
  };
  const __m512d a = two(0, 2), b = two(1, 3), c = two(4, 6), d = two(5, 7);
  const __m512d ab = _mm512_unpacklo_pd(a, b), cd = _mm512_unpacklo_pd(c, d);
  const __m512d ab_high = _mm512_unpackhi_pd(a, b), cd_high = _mm512_unpackhi_pd(c, d);
  return {_mm512_shuffle_f64x2(ab, cd, 0x88), _mm512_shuffle_f64x2(ab_high, cd_high, 0x88),
          _mm512_shuffle_f64x2(ab, cd, 0xdd), _mm512_shuffle_f64x2(ab_high, cd_high, 0xdd)};
}

WITH_VECTORS void compute_lj(atoms_in_box& s) {
  const double* const x = s.x.data();
  const __m512d most = _mm512_set1_pd(s.what.cutoff * s.what.cutoff), one = _mm512_set1_pd(1),
                half = _mm512_set1_pd(0.5);
  __m512d potential = _mm512_setzero_pd(), virial = _mm512_setzero_pd();
  for (std::size_t i = 0; i < s.atoms; ++i) {
    const __m512d xi = _mm512_set1_pd(x[4 * i]), yi = _mm512_set1_pd(x[4 * i + 1]),
                  zi = _mm512_set1_pd(x[4 * i + 2]);
    __m512d fx = _mm512_setzero_pd(), fy = fx, fz = fx;
    const std::int32_t* const end = s.list.data() + s.begin[i + 1];
    for (const std::int32_t* j = s.list.data() + s.begin[i]; j < end; j += 8) {
      const eight_rows others = load_rows(x, j, 4);
      const __m512d dx = _mm512_sub_pd(xi, others.first), dy = _mm512_sub_pd(yi, others.second),
                    dz = _mm512_sub_pd(zi, others.third);
      const __m512d squared = _mm512_fmadd_pd(dx, dx, _mm512_fmadd_pd(dy, dy, _mm512_mul_pd(dz, dz)));
      const __m512d inverse =
          _mm512_maskz_div_pd(_mm512_cmp_pd_mask(squared, most, _CMP_LT_OQ), one, squared);
      const __m512d sixth = _mm512_mul_pd(_mm512_mul_pd(inverse, inverse), inverse);
      const __m512d force = _mm512_mul_pd(_mm512_mul_pd(sixth, _mm512_sub_pd(sixth, half)), inverse);
      fx = _mm512_fmadd_pd(dx, force, fx);
      fy = _mm512_fmadd_pd(dy, force, fy);
      fz = _mm512_fmadd_pd(dz, force, fz);
      potential = _mm512_fmadd_pd(sixth, _mm512_sub_pd(sixth, one), potential);
      virial = _mm512_fmadd_pd(squared, force, virial);
    }
    s.f[4 * i] = 48 * _mm512_reduce_add_pd(fx);
    s.f[4 * i + 1] = 48 * _mm512_reduce_add_pd(fy);
    s.f[4 * i + 2] = 48 * _mm512_reduce_add_pd(fz);
  }
  s.potential = 2 * _mm512_reduce_add_pd(potential);
  s.virial = 24 * _mm512_reduce_add_pd(virial);
}

// The positions of eight distances in the tables: interval, and fraction of the interval.
struct eight_places {
  alignas(32) std::int32_t interval[8];
  __m512d part;
};
WITH_VECTORS inline eight_places places_of(const minimd::spline& of, __m512d x) {
  const __m512d at = _mm512_mul_pd(x, _mm512_set1_pd(of.intervals_in_unit()));
  const __m256i interval =
      _mm256_min_epi32(_mm512_cvttpd_epi32(at), _mm256_set1_epi32(static_cast<int>(of.last_interval())));
  eight_places places;
  _mm256_store_si256(reinterpret_cast<__m256i*>(places.interval), interval);
  places.part = _mm512_min_pd(_mm512_sub_pd(at, _mm512_cvtepi32_pd(interval)), _mm512_set1_pd(1));
  return places;
}
WITH_VECTORS inline __m512d value_of(const eight_rows& c, __m512d p) {
  return _mm512_fmadd_pd(_mm512_fmadd_pd(_mm512_fmadd_pd(c.fourth, p, c.third), p, c.second), p, c.first);
}
// Derivative with respect to the position in units of an interval.
WITH_VECTORS inline __m512d slope_of(const eight_rows& c, __m512d p) {
  return _mm512_fmadd_pd(
      _mm512_fmadd_pd(_mm512_mul_pd(_mm512_set1_pd(3), c.fourth), p, _mm512_add_pd(c.third, c.third)), p,
      c.second);
}

// Collects the neighbours within the cut-off; returns their total density at the atom.
WITH_VECTORS double collect_near(atoms_in_box& s, std::size_t i, std::size_t& used) {
  const double* const x = s.x.data();
  const __m512d most = _mm512_set1_pd(s.what.cutoff * s.what.cutoff);
  const __m512d xi = _mm512_set1_pd(x[4 * i]), yi = _mm512_set1_pd(x[4 * i + 1]),
                zi = _mm512_set1_pd(x[4 * i + 2]);
  std::int32_t* const near = s.near.data() + used;
  double* const distances = s.distances.data() + used;
  std::size_t count = 0;
  const std::int32_t* const end = s.list.data() + s.begin[i + 1];
  for (const std::int32_t* j = s.list.data() + s.begin[i]; j < end; j += 8) {
    const eight_rows others = load_rows(x, j, 4);
    const __m512d dx = _mm512_sub_pd(xi, others.first), dy = _mm512_sub_pd(yi, others.second),
                  dz = _mm512_sub_pd(zi, others.third);
    const __m512d squared = _mm512_fmadd_pd(dx, dx, _mm512_fmadd_pd(dy, dy, _mm512_mul_pd(dz, dz)));
    const __mmask8 is_near = _mm512_cmp_pd_mask(squared, most, _CMP_LT_OQ);
    const __m256i numbers = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(j));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(near + count),
                        _mm256_maskz_compress_epi32(is_near, numbers));
    _mm512_storeu_pd(distances + count, _mm512_maskz_compress_pd(is_near, squared));
    count += static_cast<std::size_t>(__builtin_popcount(is_near));
  }
  __m512d density = _mm512_setzero_pd();
  for (std::size_t k = 0; k < count; k += 8) {
    const auto left = static_cast<__mmask8>(count - k >= 8 ? 0xff : (1U << (count - k)) - 1);
    const __m512d distance = _mm512_sqrt_pd(_mm512_maskz_loadu_pd(left, distances + k));
    _mm512_storeu_pd(distances + k, distance);
    const eight_places at = places_of(s.embedded.density, distance);
    density = _mm512_mask_add_pd(density, left, density,
                                 value_of(load_rows(s.cubics.data(), at.interval, 8), at.part));
  }
  // Pads the vector with atoms far away, which exert no force.
  for (; count % 8 != 0; ++count) {
    near[count] = static_cast<std::int32_t>(s.atoms + s.images);
    distances[count] = INFINITY;
  }
  used += count;
  return _mm512_reduce_add_pd(density);
}

WITH_VECTORS void compute_embedded(atoms_in_box& s) {
  s.near.resize(s.list.size() + 8);
  s.distances.resize(s.list.size() + 8);
  s.slopes.assign(s.atoms + s.images + 1, 0);
  s.near_begin.assign(1, 0);
  double embedding = 0;
  std::size_t used = 0;
  for (std::size_t i = 0; i < s.atoms; ++i) {
    const auto [energy, slope] = s.embedded.embedding(collect_near(s, i, used));
    embedding += energy;
    s.slopes[i] = slope;
    s.near_begin.push_back(used);
  }
  for (std::size_t k = 0; k < s.images; ++k)
    s.slopes[s.atoms + k] = s.slopes[static_cast<std::size_t>(s.original[k])];
  const double* const x = s.x.data();
  const __m512d one = _mm512_set1_pd(1), scale = _mm512_set1_pd(s.embedded.density.intervals_in_unit());
  __m512d potential = _mm512_setzero_pd(), virial = potential;
  for (std::size_t i = 0; i < s.atoms; ++i) {
    const __m512d xi = _mm512_set1_pd(x[4 * i]), yi = _mm512_set1_pd(x[4 * i + 1]),
                  zi = _mm512_set1_pd(x[4 * i + 2]), slope = _mm512_set1_pd(s.slopes[i]);
    __m512d fx = _mm512_setzero_pd(), fy = fx, fz = fx;
    for (std::size_t k = s.near_begin[i]; k < s.near_begin[i + 1]; k += 8) {
      const std::int32_t* const j = &s.near[k];
      const eight_rows others = load_rows(x, j, 4);
      const __m512d dx = _mm512_sub_pd(xi, others.first), dy = _mm512_sub_pd(yi, others.second),
                    dz = _mm512_sub_pd(zi, others.third);
      const __m512d distance = _mm512_loadu_pd(&s.distances[k]);
      const __mmask8 is_near = _mm512_cmp_pd_mask(distance, _mm512_set1_pd(INFINITY), _CMP_LT_OQ);
      const eight_places at = places_of(s.embedded.density, _mm512_maskz_mov_pd(is_near, distance));
      const eight_rows of_density = load_rows(s.cubics.data(), at.interval, 8),
                       of_pair = load_rows(s.cubics.data() + 4, at.interval, 8);
      const __m512d inverse = _mm512_div_pd(one, distance);  // 0 for atoms far away
      const __m512d energy = _mm512_mul_pd(value_of(of_pair, at.part), inverse);
      const __m512d energy_slope =
          _mm512_mul_pd(_mm512_fmsub_pd(slope_of(of_pair, at.part), scale, energy), inverse);
      const __m512d slopes = _mm512_add_pd(
          slope,
          _mm512_i32gather_pd(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(j)), s.slopes.data(), 8));
      const __m512d density_slope = _mm512_mul_pd(slope_of(of_density, at.part), scale);
      const __m512d force = _mm512_mul_pd(_mm512_fnmsub_pd(slopes, density_slope, energy_slope), inverse);
      fx = _mm512_fmadd_pd(dx, force, fx);
      fy = _mm512_fmadd_pd(dy, force, fy);
      fz = _mm512_fmadd_pd(dz, force, fz);
      potential = _mm512_add_pd(potential, energy);
      virial = _mm512_mask3_fmadd_pd(_mm512_mul_pd(distance, distance), force, virial, is_near);
    }
    s.f[4 * i] = _mm512_reduce_add_pd(fx);
    s.f[4 * i + 1] = _mm512_reduce_add_pd(fy);
    s.f[4 * i + 2] = _mm512_reduce_add_pd(fz);
  }
  s.potential = embedding + 0.5 * _mm512_reduce_add_pd(potential);
  s.virial = 0.5 * _mm512_reduce_add_pd(virial);
}

void compute_forces(atoms_in_box& s) {
  if (s.what.field == minimd::force_field::lj)
    compute_lj(s);
  else
    compute_embedded(s);
}

// The tables of the two functions of the distance, which have equal steps, interleaved.
void take_potential(atoms_in_box& s, const std::string& file) {
  minimd::be_copper(s.what);
  minimd::take_potential(s.what, file);
  s.embedded = minimd::eam_potential::of(s.what.potential, file);
  const auto density = s.embedded.density.cubics(), pair = s.embedded.pair.cubics();
  for (std::size_t k = 0; k < density.size(); k += 4) {
    s.cubics.insert(s.cubics.end(), &density[k], &density[k] + 4);
    s.cubics.insert(s.cubics.end(), &pair[k], &pair[k] + 4);
  }
}

void renew(atoms_in_box& s) {
  const auto lengths = s.what.box();
  const std::array<double, 3> box{lengths[0], lengths[1], lengths[2]};
  std::array<int, 3> cells;
  for (std::size_t d = 0; d < 3; ++d) cells[d] = std::max(1, static_cast<int>(box[d] / (s.what.range() / 2)));
  sort_atoms(s, cells, box);
  make_images(s, box, s.what.range());
  move_images(s);
  make_lists(s, cells, box, s.what.range());
}

void heat(atoms_in_box& s) {
  std::array<minimd::exact_sum, 3> sums;
  for (std::size_t k = 0; k < 4 * s.atoms; ++k)
    if (k % 4 != 3) sums[k % 4].add(s.v[k]);
  minimd::exact_sum squares;
  for (std::size_t k = 0; k < 4 * s.atoms; ++k) {
    if (k % 4 == 3) continue;
    s.v[k] -= sums[k % 4].value() / static_cast<double>(s.atoms);
    squares.add(s.v[k] * s.v[k]);
  }
  const double scale = minimd::velocity_scale(
      s.what, s.what.mass, minimd::mass_to_energy_of_minimd(s.what.in), squares.value(), s.what.temperature);
  for (double& v : s.v) v *= scale;
}

void print(const atoms_in_box& s, std::int64_t step) {
  minimd::thermo_sums sums{.step = step, .atoms = static_cast<std::int64_t>(s.atoms)};
  for (const double v : s.v) sums.squares.add(v * v);
  sums.potential.add(s.potential);
  sums.virial.add(s.virial);
  const auto at = thermo_of(s.what, sums);
  std::printf("%ld T %.15g U %.15g P %.15g\n", static_cast<long>(step), at.temperature, at.potential,
              at.pressure);
}

}  // namespace

int main(int argc, char** argv) {
  if (!__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl")) {
    std::fprintf(stderr, "minimd_plain: error: this processor has no AVX-512\n");
    return 1;
  }
  const int side = argc > 1 ? std::atoi(argv[1]) : 20;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 100;
  if (side < 4 || steps < 1) {
    std::fprintf(stderr,
                 "minimd_plain: error: usage: minimd_plain [UNIT_CELLS_A_SIDE [STEPS [POTENTIAL_FILE]]], at "
                 "least 4 and 1\n");
    return 2;
  }
  atoms_in_box s;
  if (argc > 3) try {
      take_potential(s, argv[3]);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "minimd_plain: error: %s\n", e.what());
      return 2;
    }
  s.what.lattice = {side, side, side};
  minimd::for_each_site(s.what, {0, 0, 0}, {2 * side, 2 * side, 2 * side}, [&](const minimd::atom& a) {
    for (const double x : a.position) s.x.push_back(x);
    for (const double v : a.velocity) s.v.push_back(v);
    s.x.push_back(0);
    s.v.push_back(0);
    ++s.atoms;
  });
  s.f.resize(4 * s.atoms);
  heat(s);
  renew(s);
  compute_forces(s);
  print(s, 0);
  const auto begin = std::chrono::steady_clock::now();
  const double half = 0.5 * s.what.time_step / (s.what.mass * minimd::units::of(s.what.in).mass_to_energy);
  for (int step = 1; step <= steps; ++step) {
    for (std::size_t k = 0; k < 4 * s.atoms; ++k) {
      s.v[k] += half * s.f[k];
      s.x[k] += s.what.time_step * s.v[k];
    }
    if (step % s.what.renewal == 0)
      renew(s);
    else
      move_images(s);
    compute_forces(s);
    for (std::size_t k = 0; k < 4 * s.atoms; ++k) s.v[k] += half * s.f[k];
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  print(s, steps);
  std::printf("plain: %.3f s, %.3f M atom-steps/s\n", seconds,
              static_cast<double>(s.atoms) * steps / seconds / 1e6);
  return 0;
}
