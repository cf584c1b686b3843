// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace imbrex::endpoints {

/// Owns objects that UCX uses, until UCX reports their end. If it never does, since the connection broke,
/// they live as long as this. T has a member `std::size_t held_at`, which belongs to this class.
template <class T>
class held {
 public:
  T& hold(std::unique_ptr<T> object) {
    object->held_at = all_.size();
    all_.push_back(std::move(object));
    return *all_.back();
  }
  std::unique_ptr<T> release(T& object) {
    std::swap(all_[object.held_at], all_.back());
    all_[object.held_at]->held_at = object.held_at;
    std::unique_ptr<T> released = std::move(all_.back());
    all_.pop_back();
    return released;
  }
  void clear() { all_.clear(); }
  std::size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }

 private:
  std::vector<std::unique_ptr<T>> all_;
};

}  // namespace imbrex::endpoints
