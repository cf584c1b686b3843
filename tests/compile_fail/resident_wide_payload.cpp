// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: a payload inside a GPU holds what is trivially copyable and aligned to at most 16 bytes
#include <imbrex/resident/chare.hpp>

struct alignas(32) line {
  double values[4];
};
struct drawer : imbrex::resident::chare<drawer> {
  void draw(imbrex::resident::context<drawer>&, imbrex::resident::payload<line>) {}
  using entries = imbrex::resident::entries<&drawer::draw>;
};
constexpr auto bytes = imbrex::resident::detail::traits_of<&drawer::draw>::fixed_bytes;
