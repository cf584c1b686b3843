// SPDX-License-Identifier: Apache-2.0
// What apps/minimd is compared with: Lennard-Jones atoms by plain loops over arrays, with full lists of
// neighbours and vectors of eight numbers, on one processor, in one file. It knows no chares, no messages and
// no cells but those that it sorts atoms into. The initial state and what is printed are minimd's.
//
//   minimd_plain [UNIT_CELLS_A_SIDE [STEPS]]
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "apps/minimd/initial_state.hpp"
#include "apps/minimd/problem.hpp"
#include "apps/minimd/store.hpp"
#include "apps/minimd/thermo.hpp"

#define WITH_VECTORS __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,fma")))

namespace {

using minimd::problem;
using minimd::vectors;

// All atoms, and images of those near a side, each with four numbers; at last one that is far away.
struct atoms_in_box {
  problem what;
  std::size_t atoms = 0, images = 0;
  vectors x, v, f;
  std::vector<std::int32_t> original;        // of each image
  std::vector<std::array<double, 3>> shift;  // of each image
  std::vector<std::size_t> begin;            // of each row of the lists, and the end
  std::vector<std::int32_t> list;
  double potential = 0, virial = 0;
};

// Into the box, and in the order of the cells that they are in, so that near ones are near in memory.
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
          _mm256_mask_compressstoreu_epi32(to, near, numbers);
          to += __builtin_popcount(near);
        }
      }
    while ((to - row) % 8 != 0) *to++ = static_cast<std::int32_t>(n);
    used += static_cast<std::size_t>(to - row);
    s.begin.push_back(used);
  }
}

WITH_VECTORS void compute_forces(atoms_in_box& s) {
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
      const auto two = [&](int a, int b) WITH_VECTORS {
        return _mm512_insertf64x4(
            _mm512_castpd256_pd512(_mm256_load_pd(x + 4 * static_cast<std::ptrdiff_t>(j[a]))),
            _mm256_load_pd(x + 4 * static_cast<std::ptrdiff_t>(j[b])), 1);
      };
      const __m512d a = two(0, 4), b = two(1, 5), c = two(2, 6), d = two(3, 7);
      const __m512d ab = _mm512_unpacklo_pd(a, b), cd = _mm512_unpacklo_pd(c, d);
      const __m512d dx = _mm512_sub_pd(xi, _mm512_shuffle_f64x2(ab, cd, 0x88)),
                    dy = _mm512_sub_pd(
                        yi, _mm512_shuffle_f64x2(_mm512_unpackhi_pd(a, b), _mm512_unpackhi_pd(c, d), 0x88)),
                    dz = _mm512_sub_pd(zi, _mm512_shuffle_f64x2(ab, cd, 0xdd));
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
  const double scale = velocity_scale(s.what, squares.value());
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
                 "minimd_plain: error: usage: minimd_plain [UNIT_CELLS_A_SIDE [STEPS]], at least 4 and 1\n");
    return 2;
  }
  atoms_in_box s;
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
  const double half = 0.5 * s.what.time_step;
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
