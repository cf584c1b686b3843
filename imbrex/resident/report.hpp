// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/resident/layout.hpp>
#include <imbrex/resident/machine.hpp>

namespace imbrex::resident::detail {

/// The names of a program's entries and reductions, by their numbers; of each, the array that it belongs to.
struct entry_names {
  struct one {
    std::string name;
    std::uint32_t array = 0;
    bool in_parcel = false;
  };
  std::vector<one> all;
  std::vector<std::string> host = {};  ///< entries of the host, by their numbers
};

/// Says in words what happened in a run.
class reporter {
 public:
  reporter(const layout& of, const entry_names& names);

  /// Why a run failed.
  std::string text_of(const failure& what, std::uint64_t value) const;
  /// An element that there is not: "cell(7), which there is not: the array has the extents (4)".
  std::string missing(std::uint32_t array, const std::vector<int>& place) const;
  /// Who runs an entry, by the entry's meta: "cell(3) on PE 2".
  std::string chare(std::uint32_t meta, std::uint32_t pe) const;
  /// An entry or reduction, as traces name it: "cell::token".
  std::string_view member(std::uint32_t entry) const;
  /// Something was told that nobody listens for.
  std::string unheard(std::uint32_t meta, std::uint32_t pe, std::uint32_t host_entry) const;
  /// What PEs do, from that one on, that make no progress, a line each.
  std::string text_of(const std::vector<wide_word>& watched, std::uint32_t first_pe) const;
  /// Messages that nobody accepted: how many, and one of them.
  std::string unaccepted(std::uint64_t count, const item& first) const;

 private:
  std::string entry(std::uint32_t number) const;
  std::string element(std::uint32_t entry, std::uint32_t number) const;

  const layout& layout_;
  const entry_names& names_;
  std::vector<std::string> members_;
};

}  // namespace imbrex::resident::detail
