// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "apps/minimd/line_reader.hpp"

namespace minimd {

/// The work of evaluating a formula, with the variables that it names.
struct formula_effort {
  int depth = 0;
  int operands = 0;
};

/// The variables of a LAMMPS input: texts (`index`, of which the first counts, and `string`) and formulas
/// (`equal`), which are evaluated where they are used. Formulas `atom` may be there, but not be used.
class lammps_variables {
 public:
  /// `at` refuses what cannot be, with the line where it is used.
  explicit lammps_variables(const line_reader& at) : at_(at) {}

  /// Obeys the command `variable`.
  void define(const words& command);
  /// A line with variables and formulas ($x, ${name}, $(formula)) replaced as LAMMPS does, but for those in
  /// quotes.
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
