// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/process_ranks.hpp>

#include <algorithm>

#include <imbrex/core/extension/pe.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/mpi/rank/packet.hpp>
#include <imbrex/mpi/rank/rank.hpp>

namespace imbrex::mpi {

using extension::current_pe;

bool shares_memory() {
  const current_pe pe;
  return pe.queues_plainly() && pe.run().is_on_threads() && !pe.run().delays_messages();
}

bool may_leave_process() { return program::current().is_migratable && current_pe().run().processes() > 1; }

int first_pe_of(const rank& self, int number) {
  return ranks_beside(self).home_of(static_cast<std::uint64_t>(number));
}

int first_node_of(const rank& self, int number) {
  const auto starts = current_pe().run().node_starts();
  return static_cast<int>(std::ranges::upper_bound(starts, first_pe_of(self, number)) - starts.begin()) - 1;
}

bool is_in_process(const rank& self, int number) {
  return current_pe().run().holds(first_pe_of(self, number));
}

bool is_here(const rank& self, int number) {
  return ranks_beside(self).find(static_cast<std::uint64_t>(number)) != nullptr;
}

void complete_at(const rank& self, int number, request& q) {
  if (auto* const there = ranks_beside(self).find(static_cast<std::uint64_t>(number)))
    return there->complete(q);
  call_at(
      self, number,
      [](rank& there, void* object, std::uint64_t) { there.complete(*static_cast<request*>(object)); }, &q,
      0);
}

void call_at(const rank& self, int number, void (*function)(rank&, void*, std::uint64_t), void* object,
             std::uint64_t what) {
  auto& m = extension::make_message<local_call>();
  m.collection = ranks_beside(self).collection();
  m.key = static_cast<std::uint64_t>(number);
  m.function = function;
  m.object = object;
  m.what = what;
  extension::send_to_element<rank_chare>(m);
}

}  // namespace imbrex::mpi
