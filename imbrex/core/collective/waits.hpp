// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <imbrex/core/pe/processor.hpp>

namespace imbrex::detail {

/// The waiting entries on some PEs and the things they wait for, as text for people.
struct known_waits {
  /// Exceptions in one of several replies that wait for the other replies: a line for each.
  std::vector<std::string> thrown;
  std::vector<std::string> waits;  ///< a line for each
  std::size_t more = 0;            ///< number of omitted lines

  /// The largest number of lines in `waits`.
  static constexpr std::size_t most_lines = 20;
  void add(std::string line) { waits.size() < most_lines ? waits.push_back(std::move(line)) : void(++more); }
  /// Adds the lines of other PEs.
  void join(known_waits&& others);
  /// The lines of `waits`, each preceded by a line end.
  std::string text() const;

  void serialize(auto& ar) { ar(thrown, waits, more); }
};

/// One wait.
struct wait {
  std::string who;    ///< the entry: "block(3), entry run, on PE 0"; or a whole sentence without a line end
  std::string what;   ///< the awaited thing: "halo with reference 3"; empty after a sentence
  std::string place;  ///< position in the source: "prog.py:12, in run"; empty if it is unknown

  std::string text() const;

  void serialize(auto& ar) { ar(who, what, place); }
};

/// Calls `tell` for the first `most` waits of a PE, and returns the number of all. Called on its thread, or
/// on any thread while it sleeps.
std::size_t tell_waits_of(processor& pe, std::size_t most, const std::function<void(wait&&)>& tell);

/// Adds the waits of a PE. Called on its thread, or on any thread while it sleeps.
void add_waits_of(processor& pe, known_waits& all);

/// The exceptions on a PE that wait for other replies.
std::vector<std::string> held_exceptions_of(processor& pe);

/// Requests the waits of all PEs of the run, and calls `tell` on this PE when all have replied. A PE whose
/// entry does not return does not reply.
void ask_who_waits(std::function<void(known_waits&&)> tell);

}  // namespace imbrex::detail
