// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <getopt.h>

namespace imbrex::mpi {

/// What getopt tells its caller by variables.
struct option_variables {
  char** argument;
  int* index;
  int* errors;
  int* other;
};

/// The state of getopt for one program: as the C library's, which has one for a process. It permutes
/// arguments, takes abbreviated long options, and has the same messages.
class option_scanner {
 public:
  /// The next option, as getopt (without `longs`), getopt_long and getopt_long_only.
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
  /// Goes on to the next argument that is an option. False if the result is known: `result`.
  bool next_argument(const scan& s, int& result);
  int long_option(const scan& s, const char* dashes);
  int chosen_long_option(const scan& s, const option& chosen, const char* dashes, const char* name_end);
  int short_option(const scan& s);
  int option_of_w(const scan& s, int letter);
  void exchange(const scan& s);

  bool is_begun_ = false;
  order order_ = order::permuted;
  char* rest_ = nullptr;  // of an argument with several options
  int first_other_ = 1;   // arguments that are no options lie from here
  int last_other_ = 1;    // to here, before the one that is looked at
};

}  // namespace imbrex::mpi
