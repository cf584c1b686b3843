// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace imbrex::mpi {

/// Variables of the C and C++ libraries that copies have for themselves. What the libraries would do with
/// their own is done with those of the copy that runs.
enum class library_variable {
  // Their state is a program's, as the flags of std::cout.
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
  // These are the process', but the linker may have laid them into the program.
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

/// The variable of this name; none if it is another one.
std::optional<library_variable> library_variable_of(std::string_view name);
/// Its bytes.
std::size_t size_of(library_variable variable);
/// True if each copy must have one: it is no variable of the process.
bool is_of_each_copy(library_variable variable);

}  // namespace imbrex::mpi
