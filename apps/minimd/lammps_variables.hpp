// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "apps/minimd/line_reader.hpp"

namespace minimd {

/// Work done to evaluate a formula and the variables in it.
struct formula_effort {
  int depth = 0;
  int operands = 0;
};

/// The variables of a LAMMPS input. Texts are `index` (the first value counts) and `string`; formulas
/// (`equal`) are evaluated where they are used. Variables of style `atom` can be defined but not used.
class lammps_variables {
 public:
  /// `at` reports errors with the current line.
  explicit lammps_variables(const line_reader& at) : at_(at) {}

  /// Executes the command `variable`.
  void define(const words& command);
  /// The line with variables and formulas ($x, ${name}, $(formula)) replaced as in LAMMPS, except in quotes.
  std::string replaced(const std::string& line) const;
  /// The value of a variable, for an argument v_NAME.
  double value(const std::string& name) const;

 private:
  friend class formula;
  enum class style : std::uint8_t { index, string, equal, atom };
  struct variable {
    style is;
    std::string text;
  };

  const variable& find(const std::string& name) const;
  std::string text(const std::string& name) const;
  double evaluated(const std::string& formula) const;
  double value(const std::string& name, formula_effort& effort) const;
  std::string immediate(const std::string& text) const;

  const line_reader& at_;
  std::map<std::string, variable> all_;
};

}  // namespace minimd
