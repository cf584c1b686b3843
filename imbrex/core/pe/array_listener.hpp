// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/pe/chare_header.hpp>

namespace imbrex::detail {

/// A station of a PE's part of an array, which follows the elements there. `local_array::listeners` has it.
class array_listener {
 public:
  /// An element was inserted. The elements with which an array begins cause no call.
  virtual void element_inserted(chare_header& /*element*/) {}
  virtual void element_destroyed(const chare_header& /*element*/) {}
  /// An element has left for another PE.
  virtual void element_left(const chare_header& /*element*/) {}
  /// An element has arrived from another PE.
  virtual void element_arrived(chare_header& /*element*/) {}
  /// The array ends: the part has lost its elements, and accepts no others.
  virtual void array_ends() {}
  /// At the root: true if no collective is in progress.
  virtual bool is_idle() const { return true; }

 protected:
  ~array_listener() = default;

 private:
  friend class array_listeners;

  array_listener* next_ = nullptr;
};

/// The listeners of a part, in the order of their registration.
class array_listeners {
 public:
  void add(array_listener& added) {
    array_listener** last = &first_;
    while (*last != nullptr) last = &(*last)->next_;
    *last = &added;
  }
  template <class Event>
  void tell(Event event) const {
    for (auto* each = first_; each != nullptr; each = each->next_) event(*each);
  }
  bool are_idle() const {
    bool all_are = true;
    tell([&](const array_listener& each) { all_are = all_are && each.is_idle(); });
    return all_are;
  }

 private:
  array_listener* first_ = nullptr;
};

}  // namespace imbrex::detail
