// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <getopt.h>

namespace imbrex::mpi {

/// Variables by which getopt returns results to its caller.
struct option_variables {
  char** argument;
  int* index;
  int* errors;
  int* other;
};

/// State of getopt for one program; the C library's serves a process. Permutes arguments, accepts abbreviated
/// long options, and prints the same messages as the C library.
class option_scanner {
 public:
  /// Returns the next option, like getopt (without `longs`), getopt_long and getopt_long_only.
  int next(int argc, char* const* argv, const char* shorts, const option* longs, int* long_index,
           bool long_only, bool is_posix, const option_variables& v);

 private:
  enum class order { required, permuted, returned };

  struct scan {
    int argc;
    char** argv;
    const char* shorts;
    const option* longs;
    int* long_index;
    bool long_only;
    bool tells_errors;
    const option_variables& v;
  };

  const char* begin(const scan& s, bool is_posix);
  /// Advances to the next option argument. False if the result is known: `result`.
  bool next_argument(const scan& s, int& result);
  int long_option(const scan& s, const char* dashes);
  int chosen_long_option(const scan& s, const option& chosen, const char* dashes, const char* name_end);
  int short_option(const scan& s);
  int option_of_w(const scan& s, int character);
  void exchange(const scan& s);

  bool is_begun_ = false;
  order order_ = order::permuted;
  char* rest_ = nullptr;  // unread characters of an argument with several short options
  int first_other_ = 1;   // begin of the skipped arguments that are no options
  int last_other_ = 1;    // end of the skipped arguments
};

}  // namespace imbrex::mpi
