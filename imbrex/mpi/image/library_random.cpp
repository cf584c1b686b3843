// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <mutex>

#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

namespace {

/// Calls a function with the calling copy's state, which its threads share.
template <class Function>
auto with_state(Function function) {
  library_state& state = *calling_copy().library;
  const std::lock_guard hold(state.mutex);
  return function(state);
}

// rand equals random in this C library.
long copy_random() {
  return with_state([](library_state& s) {
    std::int32_t result = 0;
    ::random_r(&s.random, &result);
    return long{result};
  });
}
int copy_rand() { return static_cast<int>(copy_random()); }
void copy_srandom(unsigned seed) {
  with_state([seed](library_state& s) { ::srandom_r(seed, &s.random); });
}
/// Begin of a state's words: one before the first used word.
char* words_of(const random_data& state) { return reinterpret_cast<char*>(state.state - 1); }
char* copy_initstate(unsigned seed, char* words, std::size_t size) {
  return with_state([=](library_state& s) {
    char* const before = words_of(s.random);
    return ::initstate_r(seed, words, size, &s.random) == 0 ? before : nullptr;
  });
}
char* copy_setstate(char* words) {
  return with_state([words](library_state& s) {
    char* const before = words_of(s.random);
    return ::setstate_r(words, &s.random) == 0 ? before : nullptr;
  });
}

double copy_drand48() {
  return with_state([](library_state& s) {
    double result = 0;
    ::drand48_r(&s.random48, &result);
    return result;
  });
}
double copy_erand48(unsigned short words[3]) {
  return with_state([words](library_state& s) {
    double result = 0;
    ::erand48_r(words, &s.random48, &result);
    return result;
  });
}
template <int (*Function)(drand48_data*, long*)>
long integer48() {
  return with_state([](library_state& s) {
    long result = 0;
    Function(&s.random48, &result);
    return result;
  });
}
template <int (*Function)(unsigned short*, drand48_data*, long*)>
long integer48_of(unsigned short words[3]) {
  return with_state([words](library_state& s) {
    long result = 0;
    Function(words, &s.random48, &result);
    return result;
  });
}
void copy_srand48(long seed) {
  with_state([seed](library_state& s) { ::srand48_r(seed, &s.random48); });
}
unsigned short* copy_seed48(unsigned short words[3]) {
  return with_state([words](library_state& s) {
    ::seed48_r(words, &s.random48);
    return s.random48.__old_x;
  });
}
void copy_lcong48(unsigned short words[7]) {
  with_state([words](library_state& s) { ::lcong48_r(words, &s.random48); });
}

}  // namespace

void add_random(function_table& table) {
  table.insert({
      {"rand", function_address(&copy_rand)},
      {"srand", function_address(&copy_srandom)},
      {"random", function_address(&copy_random)},
      {"srandom", function_address(&copy_srandom)},
      {"initstate", function_address(&copy_initstate)},
      {"setstate", function_address(&copy_setstate)},
      {"drand48", function_address(&copy_drand48)},
      {"erand48", function_address(&copy_erand48)},
      {"lrand48", function_address(&integer48<&::lrand48_r>)},
      {"mrand48", function_address(&integer48<&::mrand48_r>)},
      {"nrand48", function_address(&integer48_of<&::nrand48_r>)},
      {"jrand48", function_address(&integer48_of<&::jrand48_r>)},
      {"srand48", function_address(&copy_srand48)},
      {"seed48", function_address(&copy_seed48)},
      {"lcong48", function_address(&copy_lcong48)},
  });
}

}  // namespace imbrex::mpi
