// SPDX-License-Identifier: Apache-2.0
// expect: a placement of keys is
#include <string>

#include <imbrex/imbrex.hpp>

class page : public imbrex::chare<page, std::string> {};

void make_it() { imbrex::make_array<page>(imbrex::keyed<std::string>().placed(imbrex::round_robin)); }
