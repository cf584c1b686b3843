// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/crash_description.hpp>

#include <imbrex/core/message/short_item.hpp>
#include <imbrex/core/pe/local_array.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::detail {

namespace {

void add_entry(const message_type& entry, signal_text& out) { out.add(", entry ").add(entry.entry_name); }

/// Adds the entry that an item calls. False for messages that may continue without the item.
bool add_called_entry(const processor& pe, const work_type& type, const work& item, signal_text& out) {
  const message_type* const entry = message_table::find(&type);
  if (entry == nullptr || entry->chare_name.empty() || entry->port_address != nullptr) return false;
  const bool is_short = entry != &type;
  const auto* const part = array_at(pe, is_short ? static_cast<const short_item&>(item).collection
                                                 : static_cast<const message&>(item).collection);
  if (part == nullptr) return false;
  if (is_short) {
    part->write_name(static_cast<const short_item&>(item).key, out);
  } else {
    part->write_addressee(static_cast<const message&>(item), out);
  }
  add_entry(is_short ? *entry : static_cast<const message&>(item).shown_kind(), out);
  return true;
}

/// Adds the entry that has begun and does not wait; a PE runs one entry at a time.
bool add_begun_entry(const processor& pe, signal_text& out) {
  bool found = false;
  for_each_array(pe, [&](const local_array& part) {
    for (const chare_header* const e : part.locals())
      for (const scope* s = e->entries; s != nullptr && !found; s = s->next) {
        if (s->waits != nullptr) continue;
        part.write_name(*e, out);
        add_entry(static_cast<const message*>(s->request)->shown_kind(), out);
        found = true;
      }
  });
  if (found || pe.main.body == nullptr || pe.main.waits != nullptr) return found;
  out.add("the main task");
  return true;
}

void add_what_runs(const processor& pe, signal_text& out) {
  const work_type* const type = pe.running();
  if (const auto& now = pe.at_work(); now.element != nullptr) {
    now.element->home->write_name(*now.element, out);
    if (now.entry != nullptr) return add_entry(*now.entry, out);
    out.add(", outside of its entries: a constructor, a destructor or serialize");
    return;
  }
  if (type != nullptr && add_called_entry(pe, *type, *pe.running_item(), out)) return;
  if (add_begun_entry(pe, out)) return;
  if (type == nullptr) {
    out.add("no entry");
  } else {
    out.add("the work ").add(type->name);
  }
}

}  // namespace

void describe_what_runs(signal_text& out) noexcept {
  const scheduler* const here = scheduler::current();
  if (here == nullptr) {
    out.add("a thread of no PE");
  } else if (here->pe() == scheduler::no_pe) {
    out.add("the communication thread");
  } else {
    const auto& pe = static_cast<const processor&>(*here);
    add_what_runs(pe, out);
    out.add(", on PE ").add_number(pe.pe());
    if (pe.run().processes() > 1) out.add(" of process ").add_number(pe.run().process());
  }
}

}  // namespace imbrex::detail
