// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/pe_statistics.hpp>

#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/sched/completion_source.hpp>
#include <imbrex/sched/device_completions.hpp>

namespace imbrex::detail {

idle_cause pe_statistics::cause_of(const work& item) const {
  const bool is_message = item.type->pack != nullptr;
  if (item.type->brings_message && !is_message) return idle_cause::message;
  if (is_message && item.origin != static_cast<std::uint32_t>(pe_.pe())) return idle_cause::message;
  if (pe_.completions() != nullptr && pe_.completions()->pending() > 0) return idle_cause::device;
  return idle_cause::other;
}

void pe_statistics::item_begins(const work& item) { counts_.begin(pe_.now(), cause_of(item)); }

void pe_statistics::item_ends() { counts_.end(pe_.now()); }

void pe_statistics::sent(const departing_message& what) {
  counts_.messages.add(1);
  counts_.bytes.add(what.bytes());
  if (what.to() == pe_.pe()) return;
  counts_.to_other_pes.add(1);
  if (!pe_.run().holds(what.to())) counts_.to_other_processes.add(1);
}

void pe_statistics::departs(const local_array&, const chare_header&, int) { counts_.migrations.add(1); }
void pe_statistics::stays(const local_array&, const chare_header&, int) { counts_.stays.add(1); }

}  // namespace imbrex::detail
