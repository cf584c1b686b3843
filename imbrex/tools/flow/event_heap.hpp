// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace imbrex::tools {

/// An event: its moment, a number that breaks ties, and what happens.
struct event {
  std::int64_t when;
  std::uint64_t order;
  std::uint64_t what;
  bool operator<(const event& other) const {
    return when != other.when ? when < other.when : order < other.order;
  }
};

/// Events, earliest first: a heap with four children a node, so that a level of it is in one or two lines of
/// cache.
class event_heap {
 public:
  bool empty() const { return all_.empty(); }
  const event& first() const { return all_.front(); }
  /// Adds an event behind those of the same moment that were added before it.
  void push_in_order(std::int64_t when, std::uint64_t what) { push({when, added_++, what}); }
  void push(const event& added) {
    std::size_t at = all_.size();
    all_.push_back(added);
    while (at > 0) {
      const std::size_t parent = (at - 1) / children;
      if (!(added < all_[parent])) break;
      all_[at] = all_[parent];
      at = parent;
    }
    all_[at] = added;
  }
  event take_first() {
    const event first = all_.front();
    const event last = all_.back();
    all_.pop_back();
    if (!all_.empty()) put_from(0, last);
    return first;
  }

 private:
  static constexpr std::size_t children = 4;

  void put_from(std::size_t at, const event& what) {
    const std::size_t size = all_.size();
    while (true) {
      const std::size_t begin = at * children + 1;
      if (begin >= size) break;
      const std::size_t end = begin + children < size ? begin + children : size;
      std::size_t least = begin;
      for (std::size_t child = begin + 1; child < end; ++child)
        if (all_[child] < all_[least]) least = child;
      if (!(all_[least] < what)) break;
      all_[at] = all_[least];
      at = least;
    }
    all_[at] = what;
  }

  std::vector<event> all_;
  std::uint64_t added_ = 0;
};

/// A moment for each of some numbers, or none, earliest first; the lowest number first at equal moments. A
/// number's earlier moments stay in the heap until they come first.
class moments {
 public:
  static constexpr std::int64_t none = -1;

  explicit moments(std::size_t count) : at_(count, none) {}
  void set(std::uint32_t number, std::int64_t when) {
    if (std::exchange(at_[number], when) != when) heap_.push({when, number, number});
  }
  void erase(std::uint32_t number) { at_[number] = none; }
  /// True if there is none.
  bool empty() {
    while (!heap_.empty() && at_[heap_.first().what] != heap_.first().when) heap_.take_first();
    return heap_.empty();
  }
  /// After `empty` was false.
  const event& first() const { return heap_.first(); }
  void take_first() {
    at_[heap_.first().what] = none;
    heap_.take_first();
  }

 private:
  std::vector<std::int64_t> at_;
  event_heap heap_;
};

}  // namespace imbrex::tools
