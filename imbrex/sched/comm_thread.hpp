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

/// The thread that alone drives a process's network for all its PEs (`--comm-thread`), so that messages move
/// while PEs compute. To the thread machine it is one more scheduler; its work is items on their way out.
/// What arrives it posts into the PEs' doors, packed, since only its PE can unpack an item; what is about the
/// job it hands to the first PE.
class comm_thread final : public scheduler, public network::receiver {
 public:
  /// `owner`: takes notices and unpacks, and must outlive this.
  comm_thread(const clock& time, network::receiver& owner);
  ~comm_thread() override;

  /// Says what it drives, and for whom; before it runs. `first_pe`: whose door is the first.
  void serve(endpoint& network, std::vector<inbox*> doors, int first_pe);
  /// What the PEs use in the place of an endpoint of their own.
  endpoint& endpoint_of_pes();
  /// Sends what the PEs have handed over, at most for that long; when no thread runs any more.
  void finish(nanoseconds at_most);

  work& unpack(reader& in) override;
  void arrived(work& item, int pe, std::size_t bytes) override;
  void notice(int process, std::span<const std::byte> bytes) override;
  void lost(int process, const std::string& why) override;

 private:
  struct item_going;
  struct item_coming;
  struct notice_going;
  struct notice_coming;
  struct receipt;
  class inlet;
  class outlet;

  /// Of items that wait for this thread, beyond which the PEs pause.
  static constexpr std::size_t most_bytes_going = std::size_t{4} << 20U;
  /// Or less, so that what no receipt stands for is little beside `most_unread` however many PEs there are.
  static constexpr std::size_t most_bytes_a_receipt = std::size_t{1} << 20U;
  static constexpr std::size_t bytes_beside_payload = 256;

  /// Of a PE among those of this process.
  std::size_t place_of(int pe) const;

  network::receiver& owner_;
  std::unique_ptr<inlet> inlet_;
  std::unique_ptr<outlet> outlet_;
  std::vector<inbox*> doors_;
  int first_pe_ = 0;
  bool finishing_ = false;  ///< no other thread runs
  bool finished_ = false;
  std::vector<std::unique_ptr<inbox>> returned_;  ///< for each PE: what it has sent, to be destroyed by it
  std::size_t bytes_a_receipt_ = most_bytes_a_receipt;
  std::vector<std::size_t> unreceipted_;      ///< of each PE: bytes posted that no receipt stands for yet
  std::atomic<std::size_t> unread_ = 0;       ///< bytes posted that the PEs have not run; they subtract
  std::atomic<std::size_t> bytes_going_ = 0;  ///< of items that PEs have handed over; they add
  std::atomic<bool> congested_ = false;       ///< the network; written by this thread
};

}  // namespace imbrex::detail
