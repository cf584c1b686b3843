// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/library_threads.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <mutex>

#include <imbrex/base/host/topology.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex {
namespace {

std::atomic<int> limit = 0;
/// The value that this process has given to the variable; empty: none.
std::string own_value;
std::mutex own_value_lock;

/// A function of a library that the program has loaded for all; null if there is none.
template <class Function>
Function* function_named(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

bool is_positive(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() && number > 0;
}

}  // namespace

bool is_number_of_threads(std::string_view text) {
  for (;;) {
    const std::size_t comma = text.find(',');
    if (!is_positive(text.substr(0, comma))) return false;
    if (comma == text.npos) return true;
    text.remove_prefix(comma + 1);
  }
}

int library_threads(int processors, int pes) { return std::max(1, processors / std::max(1, pes)); }

void limit_library_threads(int pes) {
  const std::lock_guard hold(own_value_lock);
  const char* const now = std::getenv(library_threads_variable);
  const std::string_view value = now == nullptr ? "" : now;
  const bool is_own = !own_value.empty() && value == own_value;
  if (!is_own && is_number_of_threads(value)) {
    limit = 0;
    return;
  }
  if (pes <= 1) {
    if (is_own) ::unsetenv(library_threads_variable);
    own_value.clear();
    limit = 0;
    return;
  }
  const int threads = library_threads(usable_processors(), pes);
  if (!is_own && !value.empty())
    log(log_level::warning, std::string(library_threads_variable) + "=" + printable(value) +
                                " is no number of threads; libraries get " + std::to_string(threads) +
                                " in each PE");
  own_value = std::to_string(threads);
  ::setenv(library_threads_variable, own_value.c_str(), 1);
  limit = threads;
  if (auto* const set = function_named<void(int)>("openblas_set_num_threads")) set(threads);
}

int limit_of_library_threads() { return limit; }

openmp_limit::openmp_limit() {
  const int threads = limit;
  auto* const get = function_named<int()>("omp_get_max_threads");
  auto* const set = function_named<void(int)>("omp_set_num_threads");
  if (threads == 0 || get == nullptr || set == nullptr) return;
  before_ = get();
  set(threads);
}

openmp_limit::~openmp_limit() {
  if (before_ > 0) function_named<void(int)>("omp_set_num_threads")(before_);
}

}  // namespace imbrex
