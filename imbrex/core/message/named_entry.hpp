// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <imbrex/core/message/durable_names.hpp>
#include <imbrex/core/message/message.hpp>

namespace imbrex {

/// An entry that is named while the program runs, such as a method of a class of another language.
struct entry_definition {
  std::string chare;      ///< the class name in traces and errors: "Block"
  std::string entry;      ///< "run"
  std::string signature;  ///< the arguments and result, in the notation of the definer

  friend bool operator==(const entry_definition&, const entry_definition&) = default;
};

/// Identifies one of the entries named at run time. An entry method whose first parameter is an `entry_name`
/// stands for all of them: it looks up by the name what to do. Traces, errors and deadlock reports show that
/// name instead of the method's own. `send`, `call`, `reduce` and sections take such entries as all others:
///
///     void invoke(imbrex::entry_name which, std::vector<std::byte> arguments);
///     imbrex::send<&script::invoke>(element, run, arguments);
///
/// The numbers are the same in all processes.
struct entry_name {
  std::uint32_t number = 0;  ///< 0 names nothing: the method's own name is shown

  /// Throws imbrex::error if no entry of this process has the number.
  const entry_definition& definition() const;
  /// This process's implementation of the entry, for the front end that has defined it; null until
  /// `set_target`.
  void* target() const;
  void set_target(void* function) const;

  friend bool operator==(const entry_name&, const entry_name&) = default;
};

/// Defines an entry before a run begins. All processes must make the same definitions in the same order;
/// processes whose definitions differ are refused at connection. During a run, use the collective
/// `define_entries`. A repeated definition returns the same name. Throws imbrex::error if the class has an
/// entry of that name with another signature. Any thread.
entry_name define_entry(entry_definition definition);
/// The entry of that name, if this process has defined it. Any thread.
std::optional<entry_name> find_entry(std::string_view chare, std::string_view entry);

namespace detail {

/// Throws imbrex::error if the class has another entry of that name.
void check_entry(const entry_definition& definition);
/// Stores a definition under the number that it has in another process.
void place_entry(entry_name number, entry_definition definition);
/// The name of a class that has entries in this process; empty if there is none. The text lives as long as
/// the process.
std::string_view class_of_entries(std::string_view name);
/// "Block::run"
std::string text_of_entry(entry_name which);
/// The inverse of `text_of_entry`; empty if this process has not defined the entry.
std::optional<entry_name> entry_of_text(std::string_view text);
void archive_durably(name_writer& names, entry_name& which, writer& out);
void archive_durably(name_reader& names, entry_name& which, reader& in);
/// A hash of all definitions of this process: equal in processes that have the same definitions.
std::uint64_t digest_of_entries();
/// The kind that reports show for the entry; null if `name` is empty or unknown here.
const message_type* kind_of_name(entry_name name) noexcept;

}  // namespace detail
}  // namespace imbrex
