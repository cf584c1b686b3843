// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/pe/local_array.hpp>
#include <imbrex/sched/observer.hpp>

namespace imbrex::detail {

/// Reports one element's call in a broadcast to the observers of the PE, from here to the end of the block.
class element_turn {
 public:
  element_turn(const scheduler& pe, const message_type& entry, const local_array& part,
               const chare_header& element, const message& broadcast)
      : observers_(pe.element_observers()) {
    if (observers_ != nullptr) [[unlikely]]
      observers_->turn_begins(part, element, entry, broadcast);
  }
  ~element_turn() {
    if (observers_ != nullptr) [[unlikely]]
      observers_->turn_ends();
  }
  element_turn(const element_turn&) = delete;
  element_turn& operator=(const element_turn&) = delete;

 private:
  const observer_list* const observers_;
};

}  // namespace imbrex::detail
