// SPDX-License-Identifier: Apache-2.0
// walker.hpp
#include <imbrex/resident/chare.hpp>

struct arrived : imbrex::resident::host_entry<std::uint32_t, std::uint32_t> {};

/// Goes from a number to 1 (n / 2 if even, else 3 n + 1), and reports the number of steps to the host.
struct walker : imbrex::resident::chare<walker> {
  using tells = imbrex::resident::host_entries<arrived>;

  IMBREX_DEVICE void walk(imbrex::resident::context<walker>& here, std::uint32_t from) {
    std::uint32_t steps = 0;
    for (std::uint64_t n = from; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    if (steps == 118) here.print("from {} in {} steps", from, steps);
    here.tell<arrived>(from, steps);
  }
  using entries = imbrex::resident::entries<&walker::walk>;
};
