// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/make_streams.hpp>

#include <array>
#include <cstddef>

namespace imbrex::detail {

std::vector<stream> make_streams(device& of, stream_policy policy, const std::string& owner) {
  constexpr std::array<std::size_t, 4> counts{1, 2, 4, 5};
  std::vector<stream> streams;
  for (std::size_t s = 0; s < counts[static_cast<std::size_t>(policy)]; ++s)
    streams.emplace_back(of, s == 0 ? stream_priority::low : stream_priority::high, owner);
  return streams;
}

}  // namespace imbrex::detail
