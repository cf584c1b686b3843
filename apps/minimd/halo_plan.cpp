// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/halo_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>

#include <imbrex/error.hpp>

namespace minimd {
namespace {

std::int8_t times_around(int wrap) {
  if (wrap < std::numeric_limits<std::int8_t>::min() || wrap > std::numeric_limits<std::int8_t>::max())
    throw imbrex::error(
        "a copy lies " + std::to_string(wrap) +
        " times around the box, too far for a device: take a larger box, or leave --device out");
  return static_cast<std::int8_t>(wrap);
}

std::size_t rounded(double number) { return static_cast<std::size_t>(std::llround(number)); }

}  // namespace

halo_plan plan_of(atom_cells& cells) {
  halo_plan plan{.own = cells.size(), .copies = cells.copies()};
  for (const auto& with : cells.copy_partners()) {
    plan.parts.push_back({with.block, plan.sources.size(), with.sent.size(), with.first_copy, with.copies});
    for (const auto& sent : with.sent)
      plan.sources.push_back(
          {static_cast<std::int32_t>(sent.number),
           {times_around(sent.wrap[0]), times_around(sent.wrap[1]), times_around(sent.wrap[2])}});
  }
  plan.number_of_sources = plan.sources.size();
  return plan;
}

halo_plan expected_plan(const problem& what, const imbrex::cells::domain<3>& box,
                        const imbrex::grid::decomposition<3>& cut, const imbrex::index<3>& block) {
  const double range = what.range();
  const auto shape = cut.shape();
  const auto width_of = [&](const imbrex::index<3>& of, int d) {
    return cut[of].extents[d] * box.cell_width()[static_cast<std::size_t>(d)];
  };
  double volume = 1;
  for (int d = 0; d < 3; ++d) {
    if (width_of(block, d) < range)
      throw imbrex::usage_error(
          "--no-data needs blocks as wide as the cut-off and the skin: take a smaller --odf, "
          "or a larger --size");
    volume *= width_of(block, d);
  }
  halo_plan plan{.own = rounded(what.cell.density() * volume)};
  plan.parts.push_back({block});
  for (const auto& at : imbrex::indices(imbrex::index<3>(3, 3, 3))) {
    const imbrex::index<3> offset = at - imbrex::index<3>(1, 1, 1);
    if (offset == imbrex::index<3>()) continue;
    imbrex::index<3> with;
    double shared = 1;
    for (int d = 0; d < 3; ++d) {
      with[d] = (block[d] + offset[d] + shape[d]) % shape[d];
      shared *= offset[d] == 0 ? width_of(block, d) : range;
    }
    const std::size_t atoms = rounded(what.cell.density() * shared);
    auto part = std::ranges::find(plan.parts, with, &halo_part::with);
    if (part == plan.parts.end()) part = plan.parts.insert(part, halo_part{with});
    part->sources += atoms;
    part->copies += atoms;
  }
  for (halo_part& part : plan.parts) {
    part.first_source = part.first_copy = plan.copies;
    plan.copies += part.copies;
  }
  plan.number_of_sources = plan.copies;
  const double near = what.cell.density() * 4 / 3 * std::numbers::pi * range * range * range;
  const std::size_t row =
      (static_cast<std::size_t>(near) + 7) / 8 * 8;  // rows of a slice have the length of its longest
  plan.entries_of_list = (plan.own + slice - 1) / slice * slice * row;
  return plan;
}

}  // namespace minimd
