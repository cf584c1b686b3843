// SPDX-License-Identifier: Apache-2.0
// expect: a chare class names itself in its base
#include <imbrex/imbrex.hpp>

class other : public imbrex::chare<other> {};
class cell : public imbrex::chare<other> {};

void make() { imbrex::make_array<cell>(3); }
