// SPDX-License-Identifier: Apache-2.0
// The system's loader knows only the original program; its results are translated to the calling copy.
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <imbrex/base/log.hpp>
#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>
#include <imbrex/mpi/image/program_copy.hpp>

namespace imbrex::mpi {

namespace {

/// Translates an address in the original program to the calling copy; returns others unchanged.
void* in_copy(void* address) {
  const copy_state& s = calling_copy();
  const auto place = s.plan.place_of(reinterpret_cast<std::uintptr_t>(address));
  return place ? s.at(*place) : address;
}

/// Looks a name up in the libraries that follow the program: RTLD_NEXT for a program.
void* behind_program(const char* name, const char* version) {
  void* const program = ::dlopen(nullptr, RTLD_LAZY);
  const link_map* first = nullptr;
  void* found = nullptr;
  if (program != nullptr && ::dlinfo(program, RTLD_DI_LINKMAP, &first) == 0)
    for (const link_map* m = first->l_next; m != nullptr && found == nullptr; m = m->l_next)
      if (void* const library = ::dlopen(m->l_name, RTLD_LAZY | RTLD_NOLOAD)) {
        found = version == nullptr ? ::dlsym(library, name) : ::dlvsym(library, name, version);
        ::dlclose(library);
      }
  if (program != nullptr) ::dlclose(program);
  return found;
}

/// Warns once of each library that several copies have loaded: they share its variables.
void note_loaded(void* library) {
  static std::mutex mutex;
  static auto& first_users = *new std::map<std::uintptr_t, const copy_state*>;  // outlives all threads
  const copy_state& s = calling_copy();
  const link_map* map = nullptr;
  if (library == RTLD_DEFAULT || ::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 ||
      std::find(s.plan.loaded.begin(), s.plan.loaded.end(), map->l_addr) != s.plan.loaded.end())
    return;
  const std::lock_guard hold(mutex);
  const auto [user, is_first] = first_users.try_emplace(map->l_addr, &s);
  if (is_first || user->second == nullptr || user->second == &s) return;
  user->second = nullptr;  // warned already
  const std::string name = map->l_name;
  log(log_level::warning,
      "ranks have loaded " + name +
          ", whose variables all ranks of a process share: if results are wrong, or a rank "
          "crashes, give each rank its own by --privatise " +
          name);
}

void* copy_dlsym(void* library, const char* name) {
  if (library != RTLD_NEXT) note_loaded(library);
  return in_copy(library == RTLD_NEXT ? behind_program(name, nullptr) : ::dlsym(library, name));
}
void* copy_dlvsym(void* library, const char* name, const char* version) {
  return in_copy(library == RTLD_NEXT ? behind_program(name, version) : ::dlvsym(library, name, version));
}

/// The module of the copy that holds an address; null if there is none.
const module_plan* module_of(const copy_state& s, const void* address) {
  const auto place = static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - s.slot);
  for (const module_plan& m : s.plan.modules)
    if (place - m.at < m.file.span()) return &m;
  return nullptr;
}

int copy_dladdr(const void* address, Dl_info* info) {
  const copy_state& s = calling_copy();
  const module_plan* const m = module_of(s, address);
  if (m == nullptr) return ::dladdr(address, info);
  const auto place = static_cast<const std::byte*>(address) - s.at(m->at);
  const int found =
      ::dladdr(reinterpret_cast<const void*>(m->original + static_cast<std::uintptr_t>(place)), info);
  info->dli_fbase = in_copy(info->dli_fbase);
  info->dli_saddr = in_copy(info->dli_saddr);
  return found;
}

/// Translates code addresses of copies to the loaded program, where the system's loader knows function names.
std::vector<void*> loaded_code(void* const* places, int number) {
  std::vector<void*> loaded(places, places + number);
  for (void*& place : loaded) place = program_copy::loaded_code(place);
  return loaded;
}
char** copy_backtrace_symbols(void* const* places, int number) {
  return ::backtrace_symbols(loaded_code(places, number).data(), number);
}
void copy_backtrace_symbols_fd(void* const* places, int number, int descriptor) {
  ::backtrace_symbols_fd(loaded_code(places, number).data(), number, descriptor);
}

/// Lists modules for unwinders that are linked into the program.
int copy_dl_iterate_phdr(int (*callback)(dl_phdr_info*, std::size_t, void*), void* data) {
  const copy_state& s = calling_copy();
  for (const module_plan& m : s.plan.modules) {
    dl_phdr_info info{};
    info.dlpi_addr = reinterpret_cast<std::uintptr_t>(s.at(m.at));
    info.dlpi_name = &m == &s.plan.modules.back() ? "" : m.file.path().c_str();
    info.dlpi_phdr = m.file.segments().data();
    info.dlpi_phnum = static_cast<ElfW(Half)>(m.file.segments().size());
    info.dlpi_adds = 1;
    if (const int result = callback(&info, sizeof info, data)) return result;
  }
  return ::dl_iterate_phdr(callback, data);
}

}  // namespace

void add_loader(function_table& table) {
  table.insert({
      {"dlsym", address_outside<&copy_dlsym>()},
      {"dlvsym", address_outside<&copy_dlvsym>()},
      {"backtrace_symbols", address_outside<&copy_backtrace_symbols>()},
      {"backtrace_symbols_fd", address_outside<&copy_backtrace_symbols_fd>()},
      {"dladdr", address_outside<&copy_dladdr>()},
      {"dl_iterate_phdr", address_outside<&copy_dl_iterate_phdr>()},
      {"_dl_find_object", function_address(&::_dl_find_object)},
  });
}

}  // namespace imbrex::mpi
