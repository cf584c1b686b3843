// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <imbrex/net/transport.hpp>

namespace imbrex::detail {

/// Writes an item into bytes and makes a new one of them, as a wire would; the old one is destroyed. An item
/// whose type never leaves its process is returned as it is.
work& repack(work& item);

/// How many bytes an item takes on a wire; 0 if its type never leaves its process.
std::size_t packed_size(work& item);

/// Lets every item travel through bytes before another transport carries it (`--serialize-always`).
class serializing_transport final : public transport {
 public:
  explicit serializing_transport(std::unique_ptr<transport> carrier) : carrier_(std::move(carrier)) {}

  void send(work& item, int to) override { carrier_->send(repack(item), to); }
  void discard() noexcept override { carrier_->discard(); }

 private:
  std::unique_ptr<transport> carrier_;
};

}  // namespace imbrex::detail
