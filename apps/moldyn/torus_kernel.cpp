// SPDX-License-Identifier: Apache-2.0
#include "apps/moldyn/torus_kernel.hpp"

#include "apps/moldyn/torus.hpp"

// Compiles for the vectors of several processors, if the compiler supports the choice at program start.
#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)
#if defined(__has_feature)
#if !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer) && \
    !__has_feature(undefined_behavior_sanitizer)
#define MOLDYN_FOR_VECTORS __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
#else
#define MOLDYN_FOR_VECTORS __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
#endif
#ifndef MOLDYN_FOR_VECTORS
#define MOLDYN_FOR_VECTORS
#endif

namespace moldyn::torus {
namespace {

// Adds the forces between one particle of a and the particles of b from `first` on. Returns their potential
// energy.
__attribute__((always_inline)) inline double interact_with(double ax, double ay, double& afx, double& afy,
                                                           const cell_columns& b, std::size_t first) {
  const double* const bx = b.x;
  const double* const by = b.y;
  double* const __restrict bfx = b.fx;
  double* const __restrict bfy = b.fy;
  double fx = 0, fy = 0, energy = 0;
  for (std::size_t j = first; j < b.size; ++j) {
    const double x = ax - bx[j], y = ay - by[j], squared = x * x + y * y;
    const double inverse = 1 / squared, ratio = sigma * sigma * inverse;
    const double is_near = squared < cutoff * cutoff ? 1 : 0;
    const double sixth = ratio * ratio * ratio * is_near;
    const double force = 24 * epsilon * sixth * (2 * sixth - 1) * inverse;
    energy += 4 * epsilon * sixth * (sixth - 1);
    fx += force * x;
    fy += force * y;
    bfx[j] -= force * x;
    bfy[j] -= force * y;
  }
  afx += fx;
  afy += fy;
  return energy;
}

}  // namespace

MOLDYN_FOR_VECTORS double interact(const cell_columns& a, const cell_columns& b, double shift_x,
                                   double shift_y) {
  double energy = 0;
  for (std::size_t i = 0; i < a.size; ++i)
    energy += interact_with(a.x[i] - shift_x, a.y[i] - shift_y, a.fx[i], a.fy[i], b, 0);
  return energy;
}

MOLDYN_FOR_VECTORS double interact_within(const cell_columns& a) {
  double energy = 0;
  for (std::size_t i = 0; i < a.size; ++i) {
    double fx = 0, fy = 0;
    energy += interact_with(a.x[i], a.y[i], fx, fy, a, i + 1);
    a.fx[i] += fx;
    a.fy[i] += fy;
  }
  return energy;
}

MOLDYN_FOR_VECTORS void move(double* __restrict position, double* __restrict velocity,
                             double* __restrict force, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    velocity[i] += force[i] * time_step;
    position[i] += velocity[i] * time_step;
    force[i] = 0;
  }
}

}  // namespace moldyn::torus
