// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grp.h>
#include <locale.h>
#include <pthread.h>
#include <pwd.h>
#include <search.h>
#include <stdlib.h>
#include <time.h>

#include <array>
#include <cstdio>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include <imbrex/mpi/image/internal/option_scanner.hpp>

namespace imbrex::mpi {

/// State of the C library for one copy that its program has pointers to, or that is nothing but values. Moves
/// with the memory of the copy.
struct library_values {
  // State of getopt, used if the program has no such variables.
  option_scanner options;
  char* option_argument = nullptr;
  int option_index = 1;
  int option_errors = 1;
  int option_other = '?';

  random_data random{};
  std::array<char, 128> random_words{};  // as many as the library's own state has
  drand48_data random48{};

  std::new_handler on_new = nullptr;
  std::terminate_handler on_terminate = nullptr;
  bool is_synchronised = true;  // set by std::ios_base::sync_with_stdio

  char* token = nullptr;
  std::array<char, 128> text{};  // result of strerror, strsignal
  std::array<char, 16> address_text{};
  std::array<char, L_tmpnam> file_name{};
  struct calendar_result {
    tm time{};
    std::array<char, 128> text{};
  };
  calendar_result calendar;
};

/// State of the C library for one copy. Begins as in a new process.
struct library_state : library_values {
  library_state();
  ~library_state();
  library_state(const library_state&) = delete;

  std::mutex mutex;  // guards random numbers and the locale, which threads may use at once

  /// An entry of one of the system's databases, and the memory of its strings.
  template <class Entry>
  struct found_entry {
    Entry entry{};
    std::vector<char> text;
  };
  found_entry<passwd> user;
  found_entry<group> users;
  hsearch_data table{};  // table of hsearch

  /// Keys of pthread_key_create.
  struct keys_of_threads {
    std::unordered_map<pthread_key_t, const void*> values;  // on the thread that runs the copy
    /// Keys of a copy with a heap. False: one of a process that it has left, unknown to this one.
    std::unordered_map<pthread_key_t, bool> are_of_process;
  };
  keys_of_threads keys;

  locale_t locale = nullptr;    // null: the process' locale
  locale_t replaced = nullptr;  // the thread's locale while the copy runs there
  std::string locale_text;      // last result of setlocale
};

}  // namespace imbrex::mpi
