// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/balance/problem.hpp>

namespace imbrex::balance {

/// A named way to solve problems. While it lives, `find_strategy` finds it by its name; a program has it at
/// namespace scope:
///
///   imbrex::balance::strategy mine{"mine", [](const imbrex::balance::problem& p) {
///                                    std::vector<int> pe(p.pe.begin(), p.pe.end());
///                                    return pe;
///                                  }};
///
/// `solve` returns a PE for each object. It has no effects, and answers the same to the same problem; it may
/// be called by several threads at a time.
class strategy {
 public:
  using function = std::function<std::vector<int>(const problem&)>;  ///< Returns the new PE of each object.

  /// The parts of a problem that a strategy needs beside loads and PEs.
  struct needs {
    bool edges = false;        ///< the bytes between pairs of objects
    bool sent = false;         ///< the bytes and messages that each object sends
    bool coordinates = false;  ///< the places of objects in space
    /// With more objects it need not have the whole problem: machines of many PEs are balanced in two levels
    /// (`two_levels.hpp`), unless devices have loads.
    std::size_t most_at_once = std::numeric_limits<std::size_t>::max();
  };

  /// `name`: word of `--balance` that selects the strategy.
  strategy(std::string name, function solve, needs required);
  strategy(std::string name, function solve) : strategy(std::move(name), std::move(solve), needs{}) {}
  ~strategy();
  strategy(const strategy&) = delete;
  strategy& operator=(const strategy&) = delete;

  const std::string& name() const { return name_; }  ///< word of `--balance` that selects the strategy
  const needs& wants() const { return wants_; }      ///< parts of a problem that it reads

  /// Solves the problem. Objects that may not move stay where they are, and so do those for whose device
  /// memory there is no room, or no device; whatever the function answers. Throws imbrex::error with the
  /// strategy's name if the function returns PEs for more or fewer objects, or a PE that is not there; and
  /// the function's own exceptions. The problem is not checked. Many objects on many PEs are balanced in
  /// two levels if the strategy permits that.
  std::vector<int> solve(const problem& p) const;
  /// Solves the problem as a whole, however many PEs there are.
  std::vector<int> solve_at_once(const problem& p) const;

 private:
  std::vector<int> checked(const problem& p, std::vector<int> answer) const;

  std::string name_;
  function solve_;
  needs wants_;
};

/// The strategy of that name: one of the library's, or one that is registered. Throws usage_error with the
/// names of all if there is none, or if two have the name.
const strategy& find_strategy(std::string_view name);

/// The names of all strategies: first the library's, then registered ones in the order of their names.
std::vector<std::string> strategy_names();

}  // namespace imbrex::balance
