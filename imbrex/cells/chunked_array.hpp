// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/array/chare.hpp>
#include <imbrex/core/array/collectives.hpp>

namespace imbrex::cells {

/// Half-open range of element numbers.
struct number_range {
  std::int64_t begin = 0, end = 0;

  std::int64_t size() const { return end - begin; }
  auto operator<=>(const number_range&) const = default;
};

/// Part of a long array that belongs to one chare of an array or group, as a member of each. It consists of
/// chunks, which are ranges of numbers. A chunk lies where it was made. Chunks move to other chares together,
/// when all chares synchronise.
template <class T, class Index = index<1>>
class chunked_array {
 public:
  /// Adds a chunk here, of `make(number)` for each number. Throws imbrex::error if the range is empty or some
  /// of it is here.
  template <class Make>
  void add(const number_range& where, Make make) {
    std::vector<T> values;
    for (std::int64_t i = where.begin; i < where.end; ++i) values.push_back(make(i));
    add_values(where.begin, std::move(values));
  }

  /// Element of that number; null if it is not here. O(log chunks).
  T* find(std::int64_t number) {
    auto at = chunks_.upper_bound(number);
    if (at == chunks_.begin()) return nullptr;
    --at;
    const auto place = static_cast<std::size_t>(number - at->first);
    return place < at->second.size() ? &at->second[place] : nullptr;
  }
  std::int64_t size() const {
    std::int64_t n = 0;
    for (const auto& [first, values] : chunks_) n += static_cast<std::int64_t>(values.size());
    return n;
  }
  /// Ranges of the chunks here, in order.
  std::vector<number_range> ranges() const {
    std::vector<number_range> all;
    for (const auto& [first, values] : chunks_)
      all.push_back({first, first + static_cast<std::int64_t>(values.size())});
    return all;
  }
  /// Calls `visit(number, T&)` for all elements here, in order.
  template <class Visit>
  void for_each(Visit visit) {
    for (auto& [first, values] : chunks_)
      for (std::size_t i = 0; i < values.size(); ++i) visit(first + static_cast<std::int64_t>(i), values[i]);
  }

  /// Schedules the elements of a range that are here to move to the chare of that index at the next `sync`.
  /// Chunks are cut at the ends of the range. For an element scheduled repeatedly, the last call counts.
  void move_at_sync(const number_range& which, const Index& to) { moves_.emplace_back(which, to); }

  /// Moves all scheduled elements, in one collective in which each chare takes part. Throws imbrex::error if
  /// a received element is here already.
  template <class Chare>
  task<> sync(Chare& self) {
    std::map<Index, std::vector<std::pair<std::int64_t, std::vector<T>>>> leaving;
    std::ranges::reverse(moves_);
    for (const auto& [which, to] : moves_) {
      cut(which.begin);
      cut(which.end);
      for (auto at = chunks_.lower_bound(which.begin); at != chunks_.end() && at->first < which.end;) {
        leaving[to].emplace_back(at->first, std::move(at->second));
        at = chunks_.erase(at);
      }
    }
    moves_.clear();
    auto got = co_await imbrex::exchange(self, std::move(leaving));
    for (auto& [from, some] : got)
      for (auto& [first, values] : some) add_values(first, std::move(values));
  }

  void serialize(auto& ar) { ar(chunks_, moves_); }

 private:
  void add_values(std::int64_t first, std::vector<T> values) {
    const std::int64_t end = first + static_cast<std::int64_t>(values.size());
    const auto next = chunks_.lower_bound(first);
    const bool meets_next = next != chunks_.end() && next->first < end;
    if (values.empty() || meets_next || find(first) != nullptr) [[unlikely]]
      throw error("a chunk from " + std::to_string(first) + " to before " + std::to_string(end) +
                  " cannot be added: it is empty, or some of it is here already");
    chunks_.emplace_hint(next, first, std::move(values));
  }
  /// Splits the chunk that contains that number, so that a chunk begins with it.
  void cut(std::int64_t number) {
    auto at = chunks_.upper_bound(number);
    if (at == chunks_.begin()) return;
    --at;
    auto& values = at->second;
    const auto place = number - at->first;
    if (place == 0 || place >= static_cast<std::int64_t>(values.size())) return;
    std::vector<T> rest(std::make_move_iterator(values.begin() + place),
                        std::make_move_iterator(values.end()));
    values.erase(values.begin() + place, values.end());
    chunks_.emplace(number, std::move(rest));
  }

  std::map<std::int64_t, std::vector<T>> chunks_;
  std::vector<std::pair<number_range, Index>> moves_;
};

}  // namespace imbrex::cells
