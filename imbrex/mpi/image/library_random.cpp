// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>

#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

namespace {

random_data& random_state() { return running_copy().library.random; }
drand48_data& random48() { return running_copy().library.random48; }

// rand is random in this C library.
long copy_random() {
  std::int32_t result = 0;
  ::random_r(&random_state(), &result);
  return result;
}
int copy_rand() { return static_cast<int>(copy_random()); }
void copy_srandom(unsigned seed) { ::srandom_r(seed, &random_state()); }
/// Where the words of a state begin: one before what is used of them.
char* words_of(const random_data& state) { return reinterpret_cast<char*>(state.state - 1); }
char* copy_initstate(unsigned seed, char* words, std::size_t size) {
  random_data& state = random_state();
  char* const before = words_of(state);
  return ::initstate_r(seed, words, size, &state) == 0 ? before : nullptr;
}
char* copy_setstate(char* words) {
  random_data& state = random_state();
  char* const before = words_of(state);
  return ::setstate_r(words, &state) == 0 ? before : nullptr;
}

double copy_drand48() {
  double result = 0;
  ::drand48_r(&random48(), &result);
  return result;
}
double copy_erand48(unsigned short words[3]) {
  double result = 0;
  ::erand48_r(words, &random48(), &result);
  return result;
}
template <int (*Function)(drand48_data*, long*)>
long integer48() {
  long result = 0;
  Function(&random48(), &result);
  return result;
}
template <int (*Function)(unsigned short*, drand48_data*, long*)>
long integer48_of(unsigned short words[3]) {
  long result = 0;
  Function(words, &random48(), &result);
  return result;
}
void copy_srand48(long seed) { ::srand48_r(seed, &random48()); }
unsigned short* copy_seed48(unsigned short words[3]) {
  ::seed48_r(words, &random48());
  return random48().__old_x;
}
void copy_lcong48(unsigned short words[7]) { ::lcong48_r(words, &random48()); }

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
