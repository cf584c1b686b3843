// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>

#include <imbrex/tools/overlap/survey.hpp>

namespace imbrex::overlap {

/// A picture and the name of the file for it.
struct figure {
  std::string file;
  std::string svg;
};

/// The paper's figures 6 to 10 for these programs: normalised overlap by bandwidth and latency; t(i) of the
/// data whose dependent work counts, or if there are none, of all; normalised time with and without overlap
/// by bandwidth; the bandwidth with which overlap does as well; what the time goes to. There is a program or
/// more.
std::array<figure, 5> draw_figures(std::span<const application> of, const survey& over);

}  // namespace imbrex::overlap
