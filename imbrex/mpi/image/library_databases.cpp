// SPDX-License-Identifier: Apache-2.0
#include <grp.h>
#include <pwd.h>
#include <search.h>

#include <cerrno>
#include <cstddef>

#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

namespace {

library_state& state() { return *calling_copy().library; }

int copy_hcreate(std::size_t size) { return ::hcreate_r(size, &state().table); }
void copy_hdestroy() { ::hdestroy_r(&state().table); }
ENTRY* copy_hsearch(ENTRY item, ACTION what) {
  ENTRY* found = nullptr;
  return ::hsearch_r(item, what, &found, &state().table) != 0 ? found : nullptr;
}

/// Finds an entry by a function that takes memory for the strings of the entry.
template <class Entry, class Key>
Entry* find(library_state::found_entry<Entry>& own, int (*look)(Key, Entry*, char*, std::size_t, Entry**),
            Key key) {
  constexpr std::size_t first = 1024;
  if (own.text.empty()) own.text.resize(first);
  for (;;) {
    Entry* found = nullptr;
    const int error = look(key, &own.entry, own.text.data(), own.text.size(), &found);
    if (error == ERANGE) {
      own.text.resize(2 * own.text.size());
      continue;
    }
    if (error != 0) errno = error;
    return found;
  }
}
passwd* copy_getpwnam(const char* name) { return find(state().user, &::getpwnam_r, name); }
passwd* copy_getpwuid(uid_t number) { return find(state().user, &::getpwuid_r, number); }
group* copy_getgrnam(const char* name) { return find(state().users, &::getgrnam_r, name); }
group* copy_getgrgid(gid_t number) { return find(state().users, &::getgrgid_r, number); }

}  // namespace

void add_databases(function_table& table) {
  table.insert({
      {"hcreate", address_outside<&copy_hcreate>()},
      {"hdestroy", address_outside<&copy_hdestroy>()},
      {"hsearch", address_outside<&copy_hsearch>()},
      {"getpwnam", address_outside<&copy_getpwnam>()},
      {"getpwuid", address_outside<&copy_getpwuid>()},
      {"getgrnam", address_outside<&copy_getgrnam>()},
      {"getgrgid", address_outside<&copy_getgrgid>()},
  });
}

}  // namespace imbrex::mpi
