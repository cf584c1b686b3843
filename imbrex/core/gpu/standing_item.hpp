// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/base/work.hpp>
#include <imbrex/core/pe/processor.hpp>

namespace imbrex::detail {

/// True on a PE whose chares may notify each other without messages: messages are neither observed, nor
/// shuffled, nor charged for.
inline bool needs_no_messages(const processor& pe) {
  return pe.sent().are_plain() && !pe.separates_broadcasts();
}

/// An item that its owner queues repeatedly on its PE, without an allocation. Only if `needs_no_messages`.
class standing_item final : public work {
 public:
  using function = void (*)(void* owner);

  static standing_item& make(function go_on, void* owner) { return *new standing_item(go_on, owner); }
  standing_item(const standing_item&) = delete;
  standing_item& operator=(const standing_item&) = delete;

  /// Queues the item behind all items queued now, unless it is queued already; it calls the function.
  void queue() {
    if (is_queued_) return;
    is_queued_ = true;
    processor::running_here().push_plain(*this);
  }
  /// The owner ends, or leaves its PE. The owner must not use the item afterwards.
  void leave() noexcept {
    owner_ = nullptr;
    if (!is_queued_ && !is_running_) delete this;
  }

 private:
  standing_item(function go_on, void* owner) : go_on_(go_on), owner_(owner) { type = &kind; }
  ~standing_item() = default;

  static void run(work& item) {
    auto& it = static_cast<standing_item&>(item);
    it.is_queued_ = false;
    if (it.owner_ != nullptr) {
      it.is_running_ = true;
      it.go_on_(it.owner_);
      it.is_running_ = false;
    }
    if (it.owner_ == nullptr && !it.is_queued_) delete &it;
  }
  static void drop(work& item) noexcept {
    auto& it = static_cast<standing_item&>(item);
    it.is_queued_ = false;
    if (it.owner_ == nullptr) delete &it;
  }
  static constexpr work_type kind{"an array of a channel of a device", &run, &drop, nullptr, nullptr};

  const function go_on_;
  void* owner_;  ///< null after `leave`
  bool is_queued_ = false;
  bool is_running_ = false;
};

}  // namespace imbrex::detail
