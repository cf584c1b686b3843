// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/net/endpoint.hpp>
#include <imbrex/serial/error.hpp>

namespace imbrex::detail {

/// The path of items that leave a PE: by one transport within its process, by its endpoint to all other PEs.
class router final : public transport {
 public:
  router(transport& within, endpoint& remote_endpoint, const pe_range& here)
      : within_(within), remote_endpoint_(remote_endpoint), here_(here) {}

  void send(work& item, int to) override {
    if (to < 0 || to >= here_.total) [[unlikely]]
      refuse(item, to);
    here_.holds(to) ? within_.send(item, to) : remote_endpoint_.send(item, to);
  }

 private:
  /// Refuses a PE outside of the job: numbers of PEs are also read from wires.
  [[noreturn]] void refuse(work& item, int to) const {
    item.type->destroy(item);
    throw serial_error("a message for PE " + std::to_string(to) + " of " + std::to_string(here_.total));
  }

  transport& within_;
  endpoint& remote_endpoint_;
  const pe_range here_;
};

}  // namespace imbrex::detail
