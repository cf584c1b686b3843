// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/net/network.hpp>

namespace imbrex {

/// How items leave one PE: to the PEs of its process by one transport, to all others by its port.
class router final : public transport {
 public:
  router(transport& within, port& beyond, const pe_range& here)
      : within_(within), beyond_(beyond), here_(here) {}

  void send(work& item, int to) override {
    here_.holds(to) ? within_.send(item, to) : beyond_.send(item, to);
  }

 private:
  transport& within_;
  port& beyond_;
  const pe_range here_;
};

}  // namespace imbrex
