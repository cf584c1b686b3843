// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <imbrex/base/inbox.hpp>
#include <imbrex/net/transport.hpp>

namespace imbrex::detail {

/// A transport between threads of one process: it passes on the item itself, without a copy.
class direct_transport final : public transport {
 public:
  /// `inboxes`: those of the PEs from `first` on.
  explicit direct_transport(std::vector<inbox*> inboxes, int first = 0)
      : inboxes_(std::move(inboxes)), first_(first) {}

  void send(work& item, int to) override { inboxes_[static_cast<std::size_t>(to - first_)]->post(item); }

 private:
  std::vector<inbox*> inboxes_;
  int first_;
};

}  // namespace imbrex::detail
