// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <locale.h>
#include <stdlib.h>
#include <time.h>

#include <array>
#include <mutex>
#include <string>

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

  char* token = nullptr;
  tm calendar{};
  std::array<char, 128> calendar_text{};

  locale_t locale = nullptr;    // null: that of the process
  locale_t replaced = nullptr;  // of the thread, while the copy runs there
  std::string locale_text;      // what setlocale has returned
};

}  // namespace imbrex::mpi
