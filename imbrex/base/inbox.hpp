// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>

#include <imbrex/base/standard/duration.hpp>
#include <imbrex/base/work.hpp>

namespace imbrex::detail {

/// The queue through which work enters a PE from outside: other PEs, the network, devices, timers of other
/// threads. Many threads post, one (the owner) takes.
///
/// It is Treiber's stack (IBM RJ 5118, 1986). The owner always takes the whole content, so that no item is
/// ever popped singly and the ABA problem cannot arise. `head_` has three states:
///
///     null          empty, the owner is awake
///     parked()      empty, the owner sleeps or is about to
///     an item       the newest of a chain, linked by `next`
///
/// post:  any -> item. Release, so that the thread that takes the item sees what its creator wrote. The one
///        thread that replaces parked() wakes the owner: exactly one wake for each sleep.
/// take:  item -> null, by the owner, acquire. A plain load sees the common empty case without a write.
/// park:  null -> parked(), by the owner; fails when there is an item. Sequentially consistent, as are post
///        and `is_parked`, because quiescence detection reasons about the order of parks and posts on
///        different inboxes.
///
/// An eventfd wakes the owner, so that a single poll() can wait for it and the network's descriptor.
class inbox {
 public:
  /// `sleeps`: the owner parks and sleeps; otherwise it takes no descriptor. Throws imbrex::error if there is
  /// none.
  explicit inbox(bool sleeps = true);
  ~inbox();
  inbox(const inbox&) = delete;
  inbox& operator=(const inbox&) = delete;

  /// Adds an item for the owner. Any thread.
  void post(work& item) {
    // Null is a guess: a load first would fetch the cache line once more when the owner keeps up.
    work* seen = nullptr;
    do {
      item.next = seen == parked() ? nullptr : seen;
    } while (!head_.compare_exchange_weak(seen, &item, std::memory_order_seq_cst, std::memory_order_relaxed));
    if (seen == parked()) wake();
  }

  /// True if `take` would return an item. Only the owner.
  bool has_items() const {
    work* seen = head_.load(std::memory_order_relaxed);
    if (seen == nullptr) [[likely]]
      return false;
    return seen != parked();
  }

  /// Removes all items, oldest first, linked by `next`; null if there are none. Only the owner.
  work* take() {
    work* newest = head_.load(std::memory_order_relaxed);
    if (newest == nullptr || newest == parked()) return nullptr;
    // Fetches the item from its creator's cache while the exchange waits for the head.
    __builtin_prefetch(newest);
    newest = head_.exchange(nullptr, std::memory_order_acquire);
    work* oldest = nullptr;
    while (newest != nullptr) {
      work* older = newest->next;
      newest->next = oldest;
      oldest = newest;
      newest = older;
    }
    return oldest;
  }

  /// Announces that the owner will sleep. False if an item is there: the owner must take it first.
  bool park() {
    work* empty = nullptr;
    return head_.compare_exchange_strong(empty, parked(), std::memory_order_seq_cst,
                                         std::memory_order_relaxed);
  }

  /// Sleeps until an item is posted, the time has passed or a descriptor (the network's; -1 for none) is
  /// readable; after `park`. The owner is awake again when it returns.
  void sleep(std::optional<std::chrono::nanoseconds> at_most, int descriptor = -1);

  /// True while the owner sleeps and no item was posted. Any thread.
  bool is_parked() const { return head_.load(std::memory_order_seq_cst) == parked(); }

 private:
  work* parked() const { return const_cast<work*>(&parked_); }
  void wake();

  alignas(64) std::atomic<work*> head_ = nullptr;
  alignas(64) work parked_;
  int event_ = -1;
};

}  // namespace imbrex::detail
