// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace imbrex::endpoints {

/// Owns what UCX works on until it says that it has finished; where it never does, since the connection
/// broke, as long as this lives. A T has a member `std::size_t held_at`, which is this one's.
template <class T>
class held {
 public:
  T& hold(std::unique_ptr<T> given) {
    given->held_at = all_.size();
    all_.push_back(std::move(given));
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
