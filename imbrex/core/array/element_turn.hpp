// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/message/pe_observer.hpp>
#include <imbrex/core/pe/local_array.hpp>

namespace imbrex::detail {

/// One element's turn in a broadcast, from here to the end of the block, for whoever watches the PE.
class element_turn {
 public:
  element_turn(const scheduler& pe, const message_type& entry, const local_array& part,
               const chare_header& element, const message& broadcast)
      : watch_(pe_observer::of(pe)) {
    if (watch_ != nullptr) [[unlikely]]
      watch_->turn_begins(entry, part, element, broadcast);
  }
  ~element_turn() {
    if (watch_ != nullptr) [[unlikely]]
      watch_->turn_ends();
  }
  element_turn(const element_turn&) = delete;
  element_turn& operator=(const element_turn&) = delete;

 private:
  pe_observer* const watch_;
};

}  // namespace imbrex::detail
