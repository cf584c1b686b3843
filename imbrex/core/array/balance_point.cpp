// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/balance_point.hpp>

#include <string>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

void check_balance_point(const scope& entry, const waiter& who) {
  if (entry.chare == nullptr || entry.body != who.object())
    throw error(
        "balance_point must be awaited by the entry method itself, not by a task that it awaits: the frame "
        "of the entry ends "
        "there");
  const auto& e = *static_cast<const chare_header*>(entry.chare);
  for (const scope* s = e.entries; s != nullptr; s = s->next)
    if (s != &entry) {
      std::string text = e.home->element_name(e) + " cannot migrate at its balance_point: its entry " +
                         std::string(static_cast<const message*>(s->request)->shown_kind().entry_name) +
                         " is suspended too";
      if (s->waits != nullptr) text += ", waiting for " + s->waits->description();
      throw error(text + ". A frame cannot travel: let the other entry end first");
    }
}

}  // namespace imbrex::detail
