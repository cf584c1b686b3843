// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <imbrex/core/message/message.hpp>

namespace imbrex {

/// An entry that gets its name while a program runs, such as a method of a class of another language.
struct entry_definition {
  std::string chare;      ///< its class, as traces and errors are to show it: "Block"
  std::string entry;      ///< "run"
  std::string signature;  ///< of its arguments and result, in the words of whoever defines it

  friend bool operator==(const entry_definition&, const entry_definition&) = default;
};

/// Which of the entries that were named at run time is meant. An entry method whose first parameter is an
/// `entry_name` stands for all of them: it finds by the name what to do, and traces, errors and deadlock
/// reports show the name in the place of the method's own. So `send`, `call`, `reduce` and sections take such
/// entries as all others:
///
///     void invoke(imbrex::entry_name which, std::vector<std::byte> arguments);
///     imbrex::send<&script::invoke>(element, run, arguments);
///
/// The numbers are the same in all processes.
struct entry_name {
  std::uint32_t number = 0;  ///< 0 names nothing: the method's own name is shown

  /// Throws imbrex::error if no entry of this process has the number.
  const entry_definition& definition() const;
  /// What this process does for the entry, for the front end that has defined it: null until `set_target`.
  void* target() const;
  void set_target(void* function) const;

  friend bool operator==(const entry_name&, const entry_name&) = default;
};

/// Defines an entry before a run begins, in all processes alike and in the same order; processes whose
/// definitions differ are refused when they meet. During a run `define_entries` is for all processes at once.
/// Defining the same again gives the same name; throws imbrex::error if the class has another entry of that
/// name, with another signature. Any thread.
entry_name define_entry(entry_definition definition);
/// The entry of that name, if it is defined in this process. Any thread.
std::optional<entry_name> find_entry(std::string_view chare, std::string_view entry);

namespace detail {

/// Throws imbrex::error if the class has another entry of that name.
void check_entry(const entry_definition& definition);
/// Gives a definition the number that it has in another process.
void place_entry(entry_name number, entry_definition definition);
/// Of all definitions of this process: equal in processes that have the same.
std::uint64_t digest_of_entries();
/// What reports show of the entry; null if it names nothing, or nothing known here.
const message_type* kind_of_name(entry_name name) noexcept;

}  // namespace detail
}  // namespace imbrex
