// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "apps/jacobi3d/options.hpp"

namespace jacobi3d {

/// The overdecomposition factor of `--odf auto`.
struct odf_choice {
  std::int64_t odf = 1;
  std::int64_t suggested = 1;  ///< by imbrex::suggest_odf
  double expected = 1;         ///< time of an iteration, as a part of that with ODF 1, by the estimates
  double measured = 1;         ///< that part by a trial of some iterations; 1 if ODF 1 was suggested
  int status = 0;              ///< exit status; other than 0 if a trial failed
};

/// Estimates which factor is best, and tries it for some iterations beside ODF 1, which is taken if it is
/// faster. All processes of a job call it, and get equal choices.
odf_choice choose_odf(const settings& setup);

/// The estimates of all factors, as a line of JSON. Blocks on devices have none.
std::string estimates_text(const settings& setup);

/// A line about it.
std::string choice_text(const odf_choice& choice);

}  // namespace jacobi3d
