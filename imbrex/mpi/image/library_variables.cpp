// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/library_variables.hpp>

#include <cstdio>
#include <istream>
#include <ostream>

namespace imbrex::mpi {

namespace {

struct entry {
  std::string_view name;
  std::size_t size;
};

constexpr entry entries[num_library_variables] = {
    {"stdout", sizeof(std::FILE*)},
    {"optarg", sizeof(char*)},
    {"optind", sizeof(int)},
    {"opterr", sizeof(int)},
    {"optopt", sizeof(int)},
    {"signgam", sizeof(int)},
    {"__signgam", sizeof(int)},
    {"_ZSt3cin", sizeof(std::istream)},
    {"_ZSt4cout", sizeof(std::ostream)},
    {"_ZSt4cerr", sizeof(std::ostream)},
    {"_ZSt4clog", sizeof(std::ostream)},
    {"_ZSt4wcin", sizeof(std::wistream)},
    {"_ZSt5wcout", sizeof(std::wostream)},
    {"_ZSt5wcerr", sizeof(std::wostream)},
    {"_ZSt5wclog", sizeof(std::wostream)},
    {"environ", sizeof(char**)},
    {"__environ", sizeof(char**)},
    {"timezone", sizeof(long)},
    {"__timezone", sizeof(long)},
    {"daylight", sizeof(int)},
    {"__daylight", sizeof(int)},
    {"tzname", 2 * sizeof(char*)},
    {"__tzname", 2 * sizeof(char*)},
};

}  // namespace

std::optional<library_variable> library_variable_of(std::string_view name) {
  for (std::size_t i = 0; i < num_library_variables; ++i)
    if (entries[i].name == name) return static_cast<library_variable>(i);
  return std::nullopt;
}

std::size_t size_of(library_variable variable) { return entries[static_cast<std::size_t>(variable)].size; }

bool is_of_each_copy(library_variable variable) { return variable < library_variable::environment; }

}  // namespace imbrex::mpi
