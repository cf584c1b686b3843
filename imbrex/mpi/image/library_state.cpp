// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/library_state.hpp>

namespace imbrex::mpi {

library_state::library_state() { ::initstate_r(1, random_words.data(), random_words.size(), &random); }

library_state::~library_state() {
  if (locale != nullptr) ::freelocale(locale);
  ::hdestroy_r(&table);
}

}  // namespace imbrex::mpi
