// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/net/transport.hpp>

namespace imbrex::detail {

/// A transport for the deterministic machine. Each item is serialised and waits for a time drawn from a
/// seeded generator, mostly short, sometimes very long. Items leave in the order of those times. Time is
/// counted in deliveries.
class delayed_transport final : public transport {
 public:
  struct item {
    std::uint64_t due;     ///< delivery count at which it leaves, at the earliest
    std::uint64_t serial;  ///< order of sending, which breaks ties
    int to;                ///< receiving PE
    work* what;
  };

  explicit delayed_transport(std::uint64_t seed) : random_(seed) {}
  ~delayed_transport() override { discard(); }

  void send(work& item, int to) override;
  void discard() noexcept override;

  bool empty() const { return in_flight_.empty(); }
  /// The items sent and not yet delivered, in no particular order.
  const std::vector<item>& in_flight() const { return in_flight_; }
  /// Removes the item that is due first. Not when empty.
  item take();

 private:
  random random_;
  std::uint64_t now_ = 0;
  std::uint64_t sent_ = 0;
  std::vector<item> in_flight_;  // a heap, earliest first
};

}  // namespace imbrex::detail
