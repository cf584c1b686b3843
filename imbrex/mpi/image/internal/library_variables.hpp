// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace imbrex::mpi {

/// Variables of the C and C++ libraries that each copy has for itself. Replaced library functions use the
/// instances of the running copy.
enum class library_variable {
  // Variables whose state belongs to a program, such as the flags of std::cout.
  standard_output,
  option_argument,
  option_index,
  option_errors,
  option_other,
  gamma_sign,
  gamma_sign_alias,
  cin,
  cout,
  cerr,
  clog,
  wcin,
  wcout,
  wcerr,
  wclog,
  // Variables of the process, which the linker may have placed in the program.
  environment,
  environment_alias,
  time_zone,
  time_zone_alias,
  daylight,
  daylight_alias,
  zone_names,
  zone_names_alias,
};
constexpr std::size_t num_library_variables = 23;

/// The variable of this name; nullopt if there is none.
std::optional<library_variable> library_variable_of(std::string_view name);
/// The variable's size in bytes.
std::size_t size_of(library_variable variable);
/// True if each copy must have an instance; false for variables of the process.
bool is_of_each_copy(library_variable variable);

}  // namespace imbrex::mpi
