// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace imbrex::mpi {

/// Variables of the C and C++ libraries of which each copy has its own, because what the library does with
/// them is done for the copy, or because their state is a program's, as the flags of std::cout.
enum class library_variable {
  standard_output,
  option_argument,
  option_index,
  option_errors,
  option_other,
  cin,
  cout,
  cerr,
  clog,
  wcin,
  wcout,
  wcerr,
  wclog,
};
constexpr std::size_t num_library_variables = 13;

/// The variable of this name; none if it is another one.
std::optional<library_variable> library_variable_of(std::string_view name);
/// Its bytes.
std::size_t size_of(library_variable variable);

}  // namespace imbrex::mpi
