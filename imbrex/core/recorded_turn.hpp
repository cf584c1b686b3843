// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/collection_base.hpp>

namespace imbrex::detail {

class recorder;

/// Records one element's turn in a broadcast, from here to the end of the block, if the PE records.
class recorded_turn {
 public:
  recorded_turn(const scheduler& pe, const message_type& entry, const collection_base& part,
                const chare_header& element, const message& broadcast)
      : recorder_(pe.observer() == nullptr ? nullptr : begin(pe, entry, part, element, broadcast)) {}
  ~recorded_turn() {
    if (recorder_ != nullptr) [[unlikely]]
      end();
  }
  recorded_turn(const recorded_turn&) = delete;
  recorded_turn& operator=(const recorded_turn&) = delete;

 private:
  static recorder* begin(const scheduler& pe, const message_type& entry, const collection_base& part,
                         const chare_header& element, const message& broadcast);
  void end();

  recorder* const recorder_;
};

}  // namespace imbrex::detail
