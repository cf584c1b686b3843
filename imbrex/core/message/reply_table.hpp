// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/message/message.hpp>

namespace imbrex::detail {

/// An object on this PE that waits for replies, such as the result of a call or the results of a reduction.
class reply_target {
 public:
  /// Takes the result out of `result`, an object of the requested type.
  virtual void accept(std::uint32_t ordinal, void* result) = 0;
  virtual void fail(std::uint32_t ordinal, carried_exception why) = 0;
  /// The element had already ended, which is normal for a copy of a broadcast. By default this is an
  /// exception.
  virtual void found_none(std::uint32_t ordinal);
  /// An exception that was received while other replies are outstanding; empty if there is none.
  virtual carried_exception held_error() const { return {}; }
  /// The run is over and no reply will be received. A target without an owner destroys itself. The table has
  /// already forgotten it.
  virtual void abandon() noexcept {}

 protected:
  ~reply_target() = default;
};

/// The reply targets of one PE by number. A number is reused with another generation, so that a late reply
/// finds no target. After all generations a number is retired: with ten million calls a second that loses 16
/// bytes every seven minutes.
class reply_table {
 public:
  reply_table() = default;
  /// For tests of the last generation.
  explicit reply_table(std::uint32_t first_generation) : first_generation_(first_generation) {}

  reply_address open(reply_target& target) {
    if (free_ == 0) [[unlikely]]
      add_slot();
    const std::uint32_t number = free_;
    auto& s = slots_[number];
    free_ = s.next_free;
    s.target = &target;
    return {number, s.generation, 0};
  }

  void close(const reply_address& address) noexcept {
    auto& s = slots_[address.slot];
    s.target = nullptr;
    if (++s.generation == 0) [[unlikely]]
      return;  // all generations are used: a late reply would find the next target
    s.next_free = free_;
    free_ = address.slot;
  }

  void abandon_all() noexcept {
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (auto* const target = std::exchange(slots_[i].target, nullptr)) target->abandon();
  }

  template <class Visitor>
  void for_each(Visitor visit) const {
    for (const slot& s : slots_)
      if (s.target != nullptr) visit(*s.target);
  }

  /// Null if the target has closed its slot.
  reply_target* find(const reply_address& address) const {
    if (address.slot >= count_) [[unlikely]]
      return nullptr;
    const auto& s = slots_[address.slot];
    return s.generation == address.generation ? s.target : nullptr;
  }

 private:
  struct slot {
    reply_target* target;
    std::uint32_t generation;
    std::uint32_t next_free;
  };

  void add_slot();

  std::vector<slot> slots_;  // by number; number 0 is reserved and has no target
  std::uint32_t count_ = 0;  // number of slots
  std::uint32_t free_ = 0;
  std::uint32_t first_generation_ = 1;
};

}  // namespace imbrex::detail
