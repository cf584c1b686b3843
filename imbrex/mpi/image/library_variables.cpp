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
    {"_ZSt3cin", sizeof(std::istream)},
    {"_ZSt4cout", sizeof(std::ostream)},
    {"_ZSt4cerr", sizeof(std::ostream)},
    {"_ZSt4clog", sizeof(std::ostream)},
    {"_ZSt4wcin", sizeof(std::wistream)},
    {"_ZSt5wcout", sizeof(std::wostream)},
    {"_ZSt5wcerr", sizeof(std::wostream)},
    {"_ZSt5wclog", sizeof(std::wostream)},
};

}  // namespace

std::optional<library_variable> library_variable_of(std::string_view name) {
  for (std::size_t i = 0; i < num_library_variables; ++i)
    if (entries[i].name == name) return static_cast<library_variable>(i);
  return std::nullopt;
}

std::size_t size_of(library_variable variable) { return entries[static_cast<std::size_t>(variable)].size; }

}  // namespace imbrex::mpi
