// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>

#include <imbrex/tools/overlap/survey.hpp>

namespace imbrex::overlap {

/// A picture and its file name.
struct figure {
  std::string file;
  std::string svg;
};

/// Draws the paper's figures 6 to 10 for one or more programs:
///
/// - 6: normalised overlap by bandwidth and latency;
/// - 7: t(i) of the data whose dependent work counts, or of all data if there are none such;
/// - 8: normalised time with and without overlap by bandwidth;
/// - 9: the bandwidth at which overlap reaches the time without overlap;
/// - 10: shares of the execution time.
std::array<figure, 5> draw_figures(std::span<const application> of, const survey& over);

}  // namespace imbrex::overlap
