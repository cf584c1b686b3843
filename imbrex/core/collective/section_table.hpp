// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <imbrex/base/standard/sort.hpp>
#include <imbrex/core/name/key.hpp>
#include <imbrex/core/pe/processor.hpp>

namespace imbrex::detail {

/// The number of a section is that of the PE that made it, above these bits, and a count of its sections.
inline constexpr unsigned section_bits = 44;
/// The PE on which a section was made. Throws imbrex::error if this run has no such PE.
int root_of_section(const processor& pe, std::uint64_t id);

/// The members of the sections that were made on one PE, for arrays with this type of key.
template <class Key>
class section_table {
 public:
  /// Stores the members of a section on this PE, and returns its number. The array itself may not have been
  /// created here yet.
  static std::uint64_t add(processor& pe, std::uint64_t collection, std::vector<Key> members) {
    std::sort(members.begin(), members.end(), [](const Key& a, const Key& b) { return key_less(a, b); });
    members.erase(std::unique(members.begin(), members.end()), members.end());
    auto& all = pe.local<section_table>();
    const std::uint64_t id = static_cast<std::uint64_t>(pe.pe()) << section_bits | all.count_++;
    all.sections_.emplace(id, section{collection, std::move(members)});
    return id;
  }
  /// Stores the members of a section of a checkpoint under a number of this PE, which no later section gets.
  static void restore(processor& pe, std::uint64_t collection, std::uint64_t id, std::vector<Key> members) {
    auto& all = pe.local<section_table>();
    const std::uint64_t count = (id & ((std::uint64_t{1} << section_bits) - 1)) + 1;
    if (all.count_ < count) all.count_ = count;
    all.sections_.insert_or_assign(id, section{collection, std::move(members)});
  }
  /// Calls visit(number, members) for each section of an array that was made on this PE.
  template <class Visitor>
  static void for_each(processor& pe, std::uint64_t collection, Visitor visit) {
    for (const auto& [id, each] : pe.local<section_table>().sections_)
      if (each.collection == collection) visit(id, each.members);
  }
  /// The members of a section that was made on this PE, in key order, without duplicates. Throws
  /// imbrex::error if there is none.
  static const std::vector<Key>& members(processor& pe, std::uint64_t collection, std::uint64_t id) {
    const auto& all = pe.local<section_table>().sections_;
    const auto at = all.find(id);
    if (at == all.end() || at->second.collection != collection)
      throw_of_another_run("section", static_cast<std::uint64_t>(pe.pe()));
    return at->second.members;
  }
  /// Destroys the sections of an array that has ended.
  void forget(std::uint64_t collection) {
    std::erase_if(sections_, [collection](const auto& each) { return each.second.collection == collection; });
  }

 private:
  struct section {
    std::uint64_t collection;
    std::vector<Key> members;
  };

  std::unordered_map<std::uint64_t, section> sections_;
  std::uint64_t count_ = 0;
};

}  // namespace imbrex::detail
