// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

namespace {

/// The program's getopt variables; hidden ones in place of those that it does not have.
option_variables variables(copy_state& s) {
  const auto own = [&s]<class T>(library_variable which, T& otherwise) {
    T* const variable = s.variable<T>(which);
    return variable == nullptr ? &otherwise : variable;
  };
  library_state& l = *s.library;
  return {own(library_variable::option_argument, l.option_argument),
          own(library_variable::option_index, l.option_index),
          own(library_variable::option_errors, l.option_errors),
          own(library_variable::option_other, l.option_other)};
}

int scan(int argc, char* const* argv, const char* shorts, const option* longs, int* long_index,
         bool long_only, bool is_posix) {
  copy_state& s = calling_copy();
  return s.library->options.next(argc, argv, shorts, longs, long_index, long_only, is_posix, variables(s));
}

int copy_getopt(int argc, char* const* argv, const char* shorts) {
  return scan(argc, argv, shorts, nullptr, nullptr, false, false);
}
int copy_posix_getopt(int argc, char* const* argv, const char* shorts) {
  return scan(argc, argv, shorts, nullptr, nullptr, false, true);
}
int copy_getopt_long(int argc, char* const* argv, const char* shorts, const option* longs, int* long_index) {
  return scan(argc, argv, shorts, longs, long_index, false, false);
}
int copy_getopt_long_only(int argc, char* const* argv, const char* shorts, const option* longs,
                          int* long_index) {
  return scan(argc, argv, shorts, longs, long_index, true, false);
}

}  // namespace

void add_options(function_table& table) {
  table.insert({
      {"getopt", function_address(&copy_getopt)},
      {"__posix_getopt", function_address(&copy_posix_getopt)},
      {"getopt_long", function_address(&copy_getopt_long)},
      {"getopt_long_only", function_address(&copy_getopt_long_only)},
  });
}

}  // namespace imbrex::mpi
