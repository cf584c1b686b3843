// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <imbrex/base/inbox.hpp>
#include <imbrex/net/network.hpp>
#include <imbrex/sched/scheduler.hpp>

namespace imbrex::detail {

/// The single thread that drives a process's network for all its PEs (`--comm-thread`), so that messages move
/// while PEs compute. For the thread machine it is one more scheduler, whose work is outgoing items. It posts
/// arriving items to the PEs' inboxes, still packed, since only the item's PE can unpack it. Control messages
/// of the job go to the first PE.
class comm_thread final : public scheduler, public network::receiver {
 public:
  /// `owner`: receives control messages and unpacks items; must outlive this.
  comm_thread(const clock& time, network::receiver& owner);
  ~comm_thread() override;

  /// Sets the network to drive, and the inboxes of the PEs; before the thread runs. `first_pe`: PE of the
  /// first inbox.
  void serve(endpoint& network, std::vector<inbox*> inboxes, int first_pe);
  /// The endpoint that the PEs use.
  endpoint& endpoint_of_pes();
  /// Sends the remaining items of the PEs, for at most `at_most`; when no thread runs any more.
  void finish(nanoseconds at_most);

  work& unpack(reader& in) override;
  void arrived(work& item, int pe, std::size_t bytes) override;
  void control_message(int process, std::span<const std::byte> bytes) override;
  void lost(int process, const std::string& why) override;

 private:
  struct outgoing_item;
  struct incoming_item;
  struct outgoing_control_message;
  struct incoming_control_message;
  struct receipt;
  class inlet;
  class outlet;

  /// Limit of bytes that wait for this thread; above it, the PEs pause.
  static constexpr std::size_t most_bytes_going = std::size_t{4} << 20U;
  /// Bytes for each receipt; fewer with many PEs, so that bytes without a receipt stay few beside
  /// `most_unread`.
  static constexpr std::size_t most_bytes_a_receipt = std::size_t{1} << 20U;
  static constexpr std::size_t bytes_beside_payload = 256;

  /// Index of a PE among those of this process.
  std::size_t place_of(int pe) const;

  network::receiver& owner_;
  std::unique_ptr<inlet> inlet_;
  std::unique_ptr<outlet> outlet_;
  std::vector<inbox*> inboxes_;
  int first_pe_ = 0;
  bool finishing_ = false;  ///< no other thread runs
  bool finished_ = false;
  std::vector<std::unique_ptr<inbox>> returned_;  ///< by PE: items that it has sent, and must destroy
  std::size_t bytes_a_receipt_ = most_bytes_a_receipt;
  std::vector<std::size_t> unreceipted_;      ///< by PE: posted bytes without a receipt
  std::atomic<std::size_t> unread_ = 0;       ///< posted bytes that the PEs have not run; the PEs subtract
  std::atomic<std::size_t> bytes_going_ = 0;  ///< bytes of items that PEs have handed over; the PEs add
  std::atomic<bool> congested_ = false;       ///< whether the network is congested; written by this thread
};

}  // namespace imbrex::detail
