// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/debugger.hpp>

#include <cstdint>
#include <mutex>

namespace imbrex::mpi {

namespace {

// Debuggers read lists of modules from the process' memory. The first list belongs to the system's loader,
// and no other code may change it. Since version 2 of the protocol there may be more, for example of dlmopen.
// This list is of copies.
std::mutex entries_mutex;
r_debug_extended of_copies;

/// Appends the list of copies to the loader's lists.
void join_lists() {
  auto* last = reinterpret_cast<r_debug_extended*>(&_r_debug);
  while (last->base.r_version >= 2 && last->r_next != nullptr && last->r_next != &of_copies)
    last = last->r_next;
  of_copies.base.r_version = 2;
  of_copies.base.r_brk = _r_debug.r_brk;
  of_copies.base.r_state = r_debug::RT_CONSISTENT;
  of_copies.base.r_ldbase = _r_debug.r_ldbase;
  of_copies.r_next = nullptr;
  last->base.r_version = 2;
  last->r_next = &of_copies;
}

}  // namespace

debugger_entry::debugger_entry(const std::vector<module>& modules) {
  for (const module& m : modules) {
    link_map map{};
    map.l_addr = reinterpret_cast<std::uintptr_t>(m.begin);
    map.l_name = const_cast<char*>(m.file);
    map.l_ld = static_cast<ElfW(Dyn)*>(m.dynamic_section);
    maps_.push_back(map);
  }
  const std::lock_guard hold(entries_mutex);
  for (link_map& map : maps_) {
    map.l_next = of_copies.base.r_map;
    if (map.l_next != nullptr) map.l_next->l_prev = &map;
    of_copies.base.r_map = &map;
  }
  join_lists();
  reinterpret_cast<void (*)()>(_r_debug.r_brk)();
}

debugger_entry::~debugger_entry() {
  const std::lock_guard hold(entries_mutex);
  for (link_map& map : maps_) {
    if (map.l_next != nullptr) map.l_next->l_prev = map.l_prev;
    (map.l_prev != nullptr ? map.l_prev->l_next : of_copies.base.r_map) = map.l_next;
  }
}

}  // namespace imbrex::mpi
