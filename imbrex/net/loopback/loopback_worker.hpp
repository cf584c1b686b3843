// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <imbrex/net/fabric.hpp>
#include <imbrex/net/loopback/loopback_medium.hpp>

namespace imbrex::loopback {

/// A worker in a medium. Messages longer than the medium's `longest_unoffered` are offered, and stay with the
/// sender until the receiver has copied them. Messages without room at their receiver are kept, and leave in
/// a later `progress`.
class loopback_worker final : public fabric_worker {
 public:
  explicit loopback_worker(std::shared_ptr<medium> in);
  ~loopback_worker() override { medium_->remove(self_); }

  const fabric_capabilities& can() const override { return can_; }
  std::string address() const override { return std::to_string(self_); }
  void listen(fabric_events& to) override { events_ = &to; }
  fabric_status connect(fabric_connection& connection, const fabric_destination& to) override;
  bool may_share_memory(const fabric_connection& /*to*/) override { return true; }
  fabric_status send(fabric_connection& to, unsigned kind, std::span<const std::byte> header,
                     std::span<const std::byte> body, fabric_transfer& what) override;
  std::string failure(fabric_status /*status*/) const override { return "there is no such worker"; }
  void accept(void* offered, std::span<std::byte> place, fabric_transfer& what) override;
  void decline(void* offered) noexcept override;
  bool progress() noexcept override;
  bool arm() override { return waiting_.empty() && copied_.empty() && medium_->arm(self_); }
  int descriptor() const override { return medium_->descriptor_of(self_); }
  void disconnect(fabric_connection& connection) noexcept override;

 private:
  /// A message without room at its receiver.
  struct waiting {
    std::size_t to;
    unsigned kind;
    std::span<const std::byte> header;
    std::span<const std::byte> body;
    fabric_transfer* what;
  };

  static constexpr int most_taken_at_once = 8;

  /// Gives the message to the medium. False if there is no room.
  bool put(const waiting& message);
  bool is_offered(const waiting& message) const;
  void hand_over(parcel message) noexcept;

  const std::shared_ptr<medium> medium_;
  const std::size_t self_;
  fabric_capabilities can_;
  fabric_events* events_ = nullptr;
  std::deque<waiting> waiting_;
  std::vector<std::shared_ptr<offer>> kept_;  ///< offers that the endpoint has neither accepted nor declined
  std::vector<fabric_transfer*> copied_;      ///< transfers whose end the endpoint does not know yet
  bool notifies_at_once_ = false;             ///< whether the next transfer is reported within `accept`
};

}  // namespace imbrex::loopback
