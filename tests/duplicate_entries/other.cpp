// SPDX-License-Identifier: Apache-2.0
#include <imbrex/imbrex.hpp>

namespace {

class twin : public imbrex::chare<twin> {
 public:
  void greet() {}
};

}  // namespace

void use_the_other() { imbrex::send<&twin::greet>(imbrex::make_chare<twin>()); }
