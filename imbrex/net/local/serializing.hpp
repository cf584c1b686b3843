// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <imbrex/net/transport.hpp>

namespace imbrex::detail {

/// Serialises an item and unpacks a new one from the bytes, as a wire would; the old item is destroyed. An
/// item whose type never leaves its process is returned unchanged.
work& repack(work& item);

/// The number of bytes that an item takes on a wire; 0 if its type never leaves its process.
std::size_t packed_size(work& item);

/// Serialises every item before another transport carries it (`--serialize-always`).
class serializing_transport final : public transport {
 public:
  explicit serializing_transport(std::unique_ptr<transport> carrier) : carrier_(std::move(carrier)) {}

  void send(work& item, int to) override { carrier_->send(repack(item), to); }
  void discard() noexcept override { carrier_->discard(); }

 private:
  std::unique_ptr<transport> carrier_;
};

}  // namespace imbrex::detail
