// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace imbrex {

/// The variable by which users set the threads of OpenMP, BLAS and similar libraries.
inline constexpr const char* library_threads_variable = "OMP_NUM_THREADS";

/// True if the text is a value of that variable: numbers from 1 on, with commas between. Libraries ignore
/// others, such as "0", and take all processors.
bool is_number_of_threads(std::string_view text);

/// The threads that libraries get in each PE if the user has set no number: `processors` divided by the PEs
/// that share them, at least 1.
int library_threads(int processors, int pes);

/// Limits the threads of OpenMP and BLAS in this process, unless the user has set their number: by the
/// variable, for libraries that are loaded later, and by calls of those that are loaded. `pes`: the PEs that
/// share this process's processors. One PE has them all: an earlier limit ends. Warns of a variable with
/// another value. Call it before the PEs run.
void limit_library_threads(int pes);

/// The limit of this process; 0 if there is none.
int limit_of_library_threads();

/// Limits the threads that OpenMP starts for the calling thread, as long as it lives.
class openmp_limit {
 public:
  openmp_limit();
  ~openmp_limit();
  openmp_limit(const openmp_limit&) = delete;
  openmp_limit& operator=(const openmp_limit&) = delete;

 private:
  int before_ = 0;  ///< 0: nothing was limited
};

}  // namespace imbrex
