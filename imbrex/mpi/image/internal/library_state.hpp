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

/// What the C library keeps for a process, for one copy. It begins as in a new process.
struct library_state {
  library_state();
  ~library_state();
  library_state(const library_state&) = delete;

  std::mutex mutex;  // of what threads of a process may use at once: random numbers, the locale

  // Of getopt, where the program has no such variables.
  option_scanner options;
  char* option_argument = nullptr;
  int option_index = 1;
  int option_errors = 1;
  int option_other = '?';

  random_data random{};
  std::array<char, 128> random_words{};  // so many as the library's own has
  drand48_data random48{};

  /// An entry of a database of the system, with its text.
  template <class Entry>
  struct found_entry {
    Entry entry{};
    std::vector<char> text;
  };
  found_entry<passwd> user;
  found_entry<group> users;
  hsearch_data table{};  // of hsearch

  std::unordered_map<pthread_key_t, const void*> key_values;  // on the thread that it runs on

  std::new_handler on_new = nullptr;
  std::terminate_handler on_terminate = nullptr;

  char* token = nullptr;
  std::array<char, 128> text{};  // of strerror, strsignal
  std::array<char, 16> address_text{};
  std::array<char, L_tmpnam> file_name{};
  tm calendar{};
  std::array<char, 128> calendar_text{};

  locale_t locale = nullptr;    // null: that of the process
  locale_t replaced = nullptr;  // of the thread, while the copy runs there
  std::string locale_text;      // what setlocale has returned
};

}  // namespace imbrex::mpi
