// SPDX-License-Identifier: Apache-2.0
// expect: a chare class says in public that it is one
#include <imbrex/imbrex.hpp>

class cell : imbrex::chare<cell> {};

void make() { imbrex::make_group<cell>(); }
