// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <imbrex/resident/arguments.hpp>

namespace imbrex::resident {

/// Entry of the host, which chares inside a GPU call by name, with arguments as those of an entry:
///
///     struct found : imbrex::resident::host_entry<std::uint32_t, double> {};
///
/// A chare calls `here.tell<found>(7, 0.5)`. The host sets beforehand which function this calls:
/// `program::on<found>`.
template <class... A>
struct host_entry {
  using traits = detail::argument_traits<std::remove_cv_t<std::remove_reference_t<A>>...>;
};

/// Entries of the host that a class calls. The class declares `using tells =
/// imbrex::resident::host_entries<found>;`.
template <class... Entry>
struct host_entries {};

namespace detail {

inline constexpr std::uint32_t most_host_entries = no_entry;

template <class List>
struct host_entry_list;
template <class... All>
struct host_entry_list<host_entries<All...>> {
  static constexpr std::uint32_t count = sizeof...(All);

  template <class Entry>
  static IMBREX_DEVICE constexpr std::uint32_t number() {
    std::uint32_t n = 0, at = no_entry;
    ((at = std::is_same_v<Entry, All> ? n : at, ++n), ...);
    return at;
  }
};

}  // namespace detail
}  // namespace imbrex::resident
