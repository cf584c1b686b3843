// SPDX-License-Identifier: Apache-2.0
// expect: only declared so far.*index_of
#include <imbrex/imbrex.hpp>

class bond;

class atom : public imbrex::chare<atom> {
  imbrex::array<bond> bonds_;
};
