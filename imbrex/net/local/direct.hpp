// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <imbrex/base/inbox.hpp>
#include <imbrex/net/transport.hpp>

namespace imbrex {

/// Between threads of one process: the item itself is handed over, nothing is copied.
class direct_transport final : public transport {
 public:
  explicit direct_transport(std::vector<inbox*> inboxes) : inboxes_(std::move(inboxes)) {}

  void send(work& item, int to) override { inboxes_[static_cast<std::size_t>(to)]->post(item); }

 private:
  std::vector<inbox*> inboxes_;
};

}  // namespace imbrex
