// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <imbrex/core/pe/processor.hpp>

namespace imbrex::detail {

/// Who waits for what on some PEs, for people.
struct known_waits {
  /// Exceptions that have come to one answer of several, and wait for the others: a line for each.
  std::vector<std::string> thrown;
  std::vector<std::string> waits;  ///< a line for each
  std::size_t more = 0;            ///< lines that are left out

  /// Of `waits`, as many as people read.
  static constexpr std::size_t most_lines = 20;
  void add(std::string line) { waits.size() < most_lines ? waits.push_back(std::move(line)) : void(++more); }
  /// Those of other PEs.
  void join(known_waits&& others);
  /// Each line of `waits` after a line end.
  std::string text() const;

  void serialize(auto& ar) { ar(thrown, waits, more); }
};

/// Adds those of a PE. Its thread, or any while it sleeps.
void add_waits_of(processor& pe, known_waits& all);

/// The exceptions that wait on a PE for other answers.
std::vector<std::string> held_exceptions_of(processor& pe);

/// Asks all PEs of the run who waits, and calls `tell` on this PE when all have answered. A PE that does not
/// return from an entry does not answer.
void ask_who_waits(std::function<void(known_waits&&)> tell);

}  // namespace imbrex::detail
