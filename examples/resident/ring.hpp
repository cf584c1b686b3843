// SPDX-License-Identifier: Apache-2.0
// ring.hpp
#include <imbrex/resident/chare.hpp>

struct ring : imbrex::resident::chare<ring> {
  std::uint32_t got = 0;

  IMBREX_DEVICE void token(imbrex::resident::context<ring>& here, std::uint64_t hops) {
    if (here.leads()) ++got;
    if (hops == 0) return here.exit(got);
    here.send<&ring::token>((here.where()[0] + 1) % here.shape()[0], hops - 1);
  }
  using entries = imbrex::resident::entries<&ring::token>;
};
