// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <imbrex/mpi/object/counted.hpp>
#include <imbrex/mpi/object/handle.hpp>

namespace imbrex::mpi {

/// The objects of one kind that a rank's program has made, by handle. A handle holds one reference; a `ref`
/// keeps the object alive longer. Each call is O(1).
template <typename T, handle_kind Kind>
class object_table {
 public:
  /// Handles with an index below `first` belong to predefined objects.
  explicit object_table(std::uint32_t first = 0) : first_(first) {}

  int add(ref<T> object) {
    if (free_ == none) {
      slots_.push_back({std::move(object), none});
      return make_handle(Kind, first_ + std::uint32_t(slots_.size()) - 1);
    }
    const std::uint32_t i = free_;
    free_ = std::exchange(slots_[i].next_free, none);
    slots_[i].object = std::move(object);
    return make_handle(Kind, first_ + i);
  }

  /// Null if the handle is unknown.
  T* find(int handle) const {
    const std::uint32_t i = std::uint32_t(handle) - std::uint32_t(make_handle(Kind, first_));
    return i < slots_.size() ? slots_[i].object.get() : nullptr;
  }
  /// Throws as `refuse_handle` does if the handle is unknown.
  T& at(int handle) const {
    if (T* object = find(handle)) return *object;
    refuse_handle(handle, Kind);
  }

  /// The handle's own reference. Throws as `at` does.
  const ref<T>& share(int handle) const {
    at(handle);
    return slots_[index_of(handle) - first_].object;
  }

  /// Invalidates the handle and returns its reference. Throws as `at` does.
  ref<T> remove(int handle) {
    at(handle);
    const std::uint32_t i = index_of(handle) - first_;
    slots_[i].next_free = std::exchange(free_, i);
    return std::exchange(slots_[i].object, ref<T>());
  }

  /// Writes all handles with their objects, each by write_object(out, object).
  void write(auto& out, auto&& write_object) const {
    out(free_, std::uint64_t{slots_.size()});
    for (const slot& each : slots_) {
      out(each.next_free, static_cast<bool>(each.object));
      if (each.object) write_object(out, each.object);
    }
  }
  /// Reads what `write` has written; read_object(in) returns each object.
  void read(auto& in, auto&& read_object) {
    std::uint64_t size = 0;
    in(free_, size);
    slots_.clear();
    for (; size > 0; --size) {
      slot& each = slots_.emplace_back();
      bool is_there = false;
      in(each.next_free, is_there);
      if (is_there) each.object = read_object(in);
    }
  }

  /// Calls visit(handle, object) for each object in order of handles. O(largest number of objects so far).
  void for_each(auto&& visit) const {
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (slots_[i].object) visit(make_handle(Kind, first_ + std::uint32_t(i)), *slots_[i].object);
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct slot {
    ref<T> object;
    std::uint32_t next_free = none;
  };
  std::vector<slot> slots_;
  std::uint32_t first_;
  std::uint32_t free_ = none;
};

}  // namespace imbrex::mpi
