// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/balance/neighbours.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace imbrex::tools::balance {

void connect_neighbours(imbrex::balance::snapshot& problem,
                        std::span<const imbrex::balance::object_name> names) {
  using place = std::pair<std::uint64_t, std::array<float, imbrex::balance::problem::most_dimensions>>;
  const auto dimensions = static_cast<std::size_t>(problem.dimensions);
  const auto place_of = [&](std::size_t object) {
    place at{names[object].array, {}};
    std::copy_n(problem.coordinates.begin() + static_cast<std::ptrdiff_t>(object * dimensions), dimensions,
                at.second.begin());
    return at;
  };
  std::map<place, std::uint32_t> objects;
  for (std::size_t i = 0; i < names.size(); ++i) objects.emplace(place_of(i), static_cast<std::uint32_t>(i));
  problem.edge_to.clear();
  problem.edge_bytes.clear();
  problem.first_edge.assign(1, 0);
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t d = 0; d < dimensions; ++d) {
      place next = place_of(i);
      next.second[d] += 1;
      if (const auto found = objects.find(next); found != objects.end())
        problem.edge_to.push_back(found->second);
    }
    problem.first_edge.push_back(static_cast<std::uint32_t>(problem.edge_to.size()));
  }
}

}  // namespace imbrex::tools::balance
