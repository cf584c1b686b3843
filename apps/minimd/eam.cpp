// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/eam.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string_view>

#include <imbrex/error.hpp>

#include "apps/minimd/eam_vectors.hpp"
#include "apps/minimd/vectors.hpp"

namespace minimd {

spline::spline(const std::vector<double>& values, double step)
    : inverse_step_(1 / step), last_(values.size() - 2) {
  const std::size_t n = values.size();
  std::vector<double> slopes(n);
  slopes[0] = values[1] - values[0];
  slopes[1] = 0.5 * (values[2] - values[0]);
  slopes[n - 2] = 0.5 * (values[n - 1] - values[n - 3]);
  slopes[n - 1] = values[n - 1] - values[n - 2];
  for (std::size_t i = 2; i + 2 < n; ++i)
    slopes[i] = ((values[i - 2] - values[i + 2]) + 8 * (values[i + 1] - values[i - 1])) / 12;
  coefficients_.resize(4 * n);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double rise = values[i + 1] - values[i];
    double* const c = &coefficients_[4 * i];
    c[0] = values[i];
    c[1] = slopes[i];
    c[2] = 3 * rise - 2 * slopes[i] - slopes[i + 1];
    c[3] = slopes[i] + slopes[i + 1] - 2 * rise;
  }
}

namespace {

// Reads the numbers of a potential file, and counts lines for errors.
class number_reader {
 public:
  number_reader(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  void skip_line() {
    const auto end = text_.find('\n', at_);
    at_ = end == std::string::npos ? text_.size() : end + 1;
    ++line_;
  }
  double number(const char* what) {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n'))
      line_ += text_[at_++] == '\n' ? 1 : 0;
    const char* const first = text_.data() + at_;
    double value = 0;
    const auto [end, problem] = std::from_chars(first, text_.data() + text_.size(), value);
    if (problem != std::errc() || !std::isfinite(value))
      refuse(std::string("a number is missing for ") + what + "; the file must have the format funcfl");
    at_ += static_cast<std::size_t>(end - first);
    return value;
  }
  double length(const char* what) {
    const double n = number(what);
    if (!(n > 0)) refuse(fmt::format("{} is {}, and must be more than 0", what, n));
    return n;
  }
  int count(const char* what) {
    const double n = number(what);
    if (!(n >= 5 && n <= 1e7 && n == std::floor(n)))
      refuse(fmt::format("{} is {}, and must be a whole number from 5 to 10000000", what, n));
    return static_cast<int>(n);
  }
  /// Refuses a table that does not reach the cut-off, except for the last step.
  void check_reach(int distances, double step, double cutoff) const {
    const double reach = distances * step;
    if (reach * (1 + 1e-9) < cutoff || step > cutoff)
      refuse(fmt::format("the cut-off is {}, and {} distances in steps of {} reach to {:g}", cutoff,
                         distances, step, reach));
  }
  std::vector<double> numbers(int n, const char* what) {
    std::vector<double> all;
    all.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) all.push_back(number(what));
    return all;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw imbrex::usage_error(file_ + ", line " + std::to_string(line_) + ": " + why);
  }

  const std::string& text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

eam_potential eam_potential::of(const std::string& text, const std::string& file) {
  number_reader in(text, file);
  eam_potential p;
  in.skip_line();
  in.number("the atomic number");
  p.mass = in.length("the mass");
  in.skip_line();
  const int densities = in.count("the number of densities");
  const double density_step = in.length("the step of densities");
  const int distances = in.count("the number of distances");
  const double distance_step = in.length("the step of distances");
  p.cutoff = in.length("the cut-off");
  in.check_reach(distances, distance_step, p.cutoff);
  p.embedding = spline(in.numbers(densities, "the embedding energy"), density_step);
  // The file contains effective charges Z; a pair has the energy 27.2 * 0.529 Z^2 / r, in eV and Angstrom.
  auto charges = in.numbers(distances, "the effective charge");
  for (double& z : charges) z = 27.2 * 0.529 * z * z;
  p.pair = spline(charges, distance_step);
  p.density = spline(in.numbers(distances, "the density"), distance_step);
  for (std::size_t k = 0; k < p.density.cubics().size(); k += 4)
    for (const spline* of : {&p.density, &p.pair}) {
      const auto cubic = of->cubics().subspan(k, 4);
      p.by_distance.insert(p.by_distance.end(), cubic.begin(), cubic.end());
    }
  return p;
}

namespace {

// Calls visit(i, j, dx, dy, dz, distance, is_shared) for each pair of the lists within the cut-off. A shared
// pair is visited for both of its atoms.
template <class Visit>
void for_each_pair(const problem& what, double cutoff, const atom_store& store, const neighbour_list& list,
                   Visit visit) {
  const double* const x = store.position.data();
  const bool is_full = what.lists == list_kind::full;
  for (std::size_t i = 0; i < store.own; ++i)
    for (std::size_t k = list.begin[i]; k < list.begin[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(list.atoms[k]);
      const double dx = x[4 * i] - x[4 * j], dy = x[4 * i + 1] - x[4 * j + 1],
                   dz = x[4 * i + 2] - x[4 * j + 2];
      const double squared = dx * dx + dy * dy + dz * dz;
      if (!(squared < cutoff * cutoff)) continue;
      visit(i, j, dx, dy, dz, std::sqrt(squared), is_full || (j >= store.own && !what.newton));
    }
}

}  // namespace

void eam_densities(const problem& what, const eam_potential& by, const atom_store& store,
                   const neighbour_list& list, [[maybe_unused]] near_pairs& near,
                   std::vector<double>& densities) {
#if MINIMD_HAS_AVX512
  if (what.lists == list_kind::full && has_avx512())
    return eam_densities_by_vectors(what, by, store, list, near, densities);
#endif
  densities.assign(store.all(), 0);
  for_each_pair(what, what.cutoff, store, list,
                [&](std::size_t i, std::size_t j, double, double, double, double distance, bool is_shared) {
                  const double density = by.density(distance).value;
                  densities[i] += density;
                  if (!is_shared) densities[j] += density;
                });
}

double eam_embed(const eam_potential& by, const std::vector<double>& densities, std::size_t own,
                 std::vector<double>& slopes) {
  slopes.resize(densities.size() + 1);
  double energy = 0;
  for (std::size_t i = 0; i < own; ++i) {
    const auto [value, slope] = by.embedding(densities[i]);
    energy += value;
    slopes[i] = slope;
  }
  return energy;
}

pair_sums eam_forces(const problem& what, const eam_potential& by, const std::vector<double>& slopes,
                     const neighbour_list& list, [[maybe_unused]] const near_pairs& near, atom_store& store) {
#if MINIMD_HAS_AVX512
  if (what.lists == list_kind::full && has_avx512()) return eam_forces_by_vectors(by, slopes, near, store);
#endif
  std::fill(store.force.begin(), store.force.end(), 0);
  double* const f = store.force.data();
  pair_sums sums;
  for_each_pair(
      what, what.cutoff, store, list,
      [&](std::size_t i, std::size_t j, double dx, double dy, double dz, double distance, bool is_shared) {
        const auto [energy, force] = by.pair_at(distance, slopes[i] + slopes[j]);
        const double part = is_shared ? 0.5 : 1;
        sums.potential += part * energy;
        sums.virial += part * force * distance * distance;
        f[4 * i] += dx * force;
        f[4 * i + 1] += dy * force;
        f[4 * i + 2] += dz * force;
        if (is_shared) return;
        f[4 * j] -= dx * force;
        f[4 * j + 1] -= dy * force;
        f[4 * j + 2] -= dz * force;
      });
  return sums;
}

}  // namespace minimd
