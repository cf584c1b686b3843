// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/array/chare.hpp>
#include <imbrex/core/array/collectives.hpp>

namespace imbrex::cells {

/// Part of a map that belongs to one chare of an array or group, as a member of each. Entries lie where they
/// were put. They move to other chares together, when all chares synchronise (listing 1 of "Distributed Cell
/// Set").
///
///   parts.put("main", 1);
///   parts.move_at_sync("main", to);     // the index of another chare
///   co_await parts.sync(*this);         // in an entry of each chare
template <class Key, class Value, class Index = index<1>, class Less = std::less<Key>>
class distributed_map {
 public:
  /// Puts an entry here. An entry of that key that is here is replaced.
  void put(Key key, Value value) { entries_.insert_or_assign(std::move(key), std::move(value)); }
  /// Value of that key; null if it is not here.
  Value* find(const Key& key) {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second;
  }
  void erase(const Key& key) { entries_.erase(key); }  ///< Removes the entry of that key, if it is here.
  std::size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  /// Schedules an entry to move to the chare of that index at the next `sync`. Throws imbrex::error if it is
  /// not here.
  void move_at_sync(const Key& key, const Index& to) {
    if (entries_.find(key) == entries_.end()) [[unlikely]]
      throw error("a distributed map cannot move an entry that is not here: call find first");
    moves_.insert_or_assign(key, to);
  }

  /// Moves all scheduled entries, in one collective in which each chare takes part. If a chare receives
  /// several entries of one key, the one from the last chare in index order stays.
  template <class Chare>
  task<> sync(Chare& self) {
    std::map<Index, std::vector<std::pair<Key, Value>>> leaving;
    for (const auto& [key, to] : moves_) {
      auto entry = entries_.extract(key);
      if (!entry.empty()) leaving[to].emplace_back(std::move(entry.key()), std::move(entry.mapped()));
    }
    moves_.clear();
    auto got = co_await imbrex::exchange(self, std::move(leaving));
    for (auto& [from, some] : got)
      for (auto& [key, value] : some) put(std::move(key), std::move(value));
  }

  void serialize(auto& ar) { ar(entries_, moves_); }

 private:
  std::map<Key, Value, Less> entries_;
  std::map<Key, Index, Less> moves_;
};

}  // namespace imbrex::cells
