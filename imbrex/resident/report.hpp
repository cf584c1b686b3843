// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/resident/layout.hpp>
#include <imbrex/resident/machine.hpp>

namespace imbrex::resident::detail {

/// Names of a program's entries and reductions, by number, and the array that each belongs to.
struct entry_names {
  struct one {
    std::string name;
    std::uint32_t array = 0;
    bool in_parcel = false;
  };
  std::vector<one> all;
  std::vector<std::string> host = {};  ///< names of the host's entries, by number
};

/// Texts about a run: errors, names and states.
class reporter {
 public:
  reporter(const layout& of, const entry_names& names);

  /// Reason why a run failed.
  std::string text_of(const failure& what, std::uint64_t value) const;
  /// Text about an element that does not exist: "cell(7), which there is not: the array has the extents (4)".
  std::string missing(std::uint32_t array, const std::vector<int>& place) const;
  /// Chare that runs an entry, by the entry's meta: "cell(3) on PE 2".
  std::string chare(std::uint32_t meta, std::uint32_t pe) const;
  /// Name of an entry or reduction, as in traces: "cell::token".
  std::string_view member(std::uint32_t entry) const;
  /// Text about a message to the host that has no listener.
  std::string without_listener(std::uint32_t meta, std::uint32_t pe, std::uint32_t host_entry) const;
  /// States of PEs that make no progress, from `first_pe` on, one line each.
  std::string text_of(const std::vector<wide_word>& watched, std::uint32_t first_pe) const;
  /// Text about messages that no chare accepted: their number, and one of them.
  std::string unaccepted(std::uint64_t count, const item& first) const;

 private:
  std::string entry(std::uint32_t number) const;
  std::string element(std::uint32_t entry, std::uint32_t number) const;

  const layout& layout_;
  const entry_names& names_;
  std::vector<std::string> members_;
};

}  // namespace imbrex::resident::detail
