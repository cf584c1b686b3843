// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/report.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace imbrex::resident::detail {
namespace {

std::string place_text(const std::vector<int>& place) {
  std::string text = "(";
  for (std::size_t d = 0; d < place.size(); ++d) text += (d == 0 ? "" : ", ") + std::to_string(place[d]);
  return text + ")";
}

}  // namespace

reporter::reporter(const layout& of, const entry_names& names) : layout_(of), names_(names) {
  for (const entry_names::one& one : names.all)
    members_.push_back(of.arrays()[one.array].name + "::" + one.name);
}

std::string_view reporter::member(std::uint32_t entry) const {
  return entry < members_.size() ? std::string_view(members_[entry]) : "?";
}

std::string reporter::entry(std::uint32_t number) const {
  return number < names_.all.size() ? "entry " + names_.all[number].name
                                    : "entry number " + std::to_string(number);
}

std::string reporter::element(std::uint32_t entry, std::uint32_t number) const {
  if (entry >= names_.all.size()) return "element " + std::to_string(number);
  const array_kind& array = layout_.arrays()[names_.all[entry].array];
  if (number == all_elements) return "all of " + array.name;
  std::vector<int> place(array.shape.size());
  for (std::size_t d = place.size(); d-- > 0;) {
    const auto extent = static_cast<std::uint32_t>(array.shape[d]);
    place[d] = static_cast<int>(d == 0 ? number : number % extent);
    number /= extent;
  }
  return array.name + place_text(place);
}

std::string reporter::missing(std::uint32_t array, const std::vector<int>& place) const {
  const array_kind& of = layout_.arrays()[array];
  return of.name + place_text(place) + ", which there is not: the array has the extents " +
         place_text(of.shape);
}

std::string reporter::chare(std::uint32_t meta, std::uint32_t pe) const {
  return element(entry_in(meta), element_in(meta)) + " on PE " + std::to_string(pe);
}

std::string reporter::without_listener(std::uint32_t meta, std::uint32_t pe, std::uint32_t host_entry) const {
  const std::string name = host_entry < names_.host.size() ? names_.host[host_entry] : "?";
  return entry(entry_in(meta)) + " of " + chare(meta, pe) + " sent the host " + name +
         ", but it has no listener: call on<" + name + ">() before the run";
}

std::string reporter::text_of(const failure& what, std::uint64_t value) const {
  const settings& s = layout_.chosen();
  std::string where = "PE " + std::to_string(what.pe);
  if (what.entry != failure::no_number)
    where = entry(what.entry) + " of " + element(what.entry, what.element) + " on " + where;
  const auto about = [&](std::uint32_t array) {
    std::vector<int> place;
    for (std::size_t d = 0; d < layout_.arrays()[array].shape.size(); ++d)
      place.push_back(static_cast<int>(what.about_place[d]));
    return missing(array, place);
  };
  switch (what.kind) {
    case failure_kind::missing_element:
      return where + " sent " + entry(what.about_entry) + " to " +
             about(names_.all.at(what.about_entry).array);
    case failure_kind::missing_chare: return where + " named " + about(what.about_entry);
    case failure_kind::missing_pe:
      return where + " named PE " + std::to_string(value) + ", which there is not: there are 0 to " +
             std::to_string(s.pes - 1);
    case failure_kind::wrong_entry:
      return where + " got a message for " + entry(what.about_entry) + " of " +
             element(what.about_entry, what.about_place[0]) +
             ", which there is not: memory of the runtime was overwritten";
    case failure_kind::outbox_full:
      if (value == s.pes)
        return where + " had " + std::to_string(s.outbox) +
               " messages that the host has no room for, and one more: send less at once, or raise "
               "settings::outbox or settings::host_slots";
      return where + " had " + std::to_string(s.outbox) +
             " messages for full mailboxes and one more for PE " + std::to_string(value) +
             ": send less at once, or raise settings::outbox or settings::mailbox";
    case failure_kind::kept_full:
      return where + " had " + std::to_string(s.early) +
             " messages whose numbers are not accepted, and one more: raise settings::early";
    case failure_kind::no_parcel:
      if (value > s.parcel_bytes)
        return where + " requested a message of " + std::to_string(value) +
               " bytes: raise settings::parcel_bytes, now " + std::to_string(s.parcel_bytes);
      return where + " sent more than 8 bytes, and all " + std::to_string(s.parcels) +
             " parcels of its PE are in flight: request them by prepare(), or raise settings::parcels";
    case failure_kind::no_parcel_to_tell:
      return where + " sent the host more than 8 bytes, and all " + std::to_string(s.parcels) +
             " parcels of its PE are in flight: send less at once, or raise settings::parcels or "
             "settings::host_slots";
    case failure_kind::no_host_parcel:
      return where + " has a message of the host of more than 8 bytes, and all " + std::to_string(s.parcels) +
             " parcels of the host are in messages whose numbers are not accepted: send less ahead, or raise "
             "settings::parcels";
    case failure_kind::host_bytes:
      return where + " requested a message to the host of " + std::to_string(value) +
             " bytes: raise settings::host_bytes, now " + std::to_string(s.host_bytes);
    case failure_kind::reduction_ahead:
      return where + " is " + std::to_string(reduction_window) + " rounds of " +
             names_.all.at(what.about_entry).name + " ahead of another element: wait for a result in between";
    case failure_kind::prepared_otherwise:
      return where +
             " sent a payload that was prepared for an entry with other fixed arguments: prepare it for the "
             "entry that it is sent to";
    case failure_kind::not_prepared:
      return where +
             " sent a payload that it has sent already, or that an entry before it was given: prepare "
             "another for each message";
    case failure_kind::trigger_elsewhere:
      return where +
             " signalled to a trigger that is not on the GPU of the chare whose entry it runs: have it "
             "in that chare";
    case failure_kind::not_one_pe:
      return where + " takes part in a collective of all GPUs for its GPU, but is one of " +
             std::to_string(value) +
             " PEs there: have one on each, by `using pe = imbrex::resident::whole_gpu` or settings::pes";
    case failure_kind::wrong_signals:
      if (value == 0) return where + " signalled to a trigger of no signals: 1 is the least";
      return where + " signalled to a trigger of " + std::to_string(value) + " signals: on several GPUs " +
             std::to_string(most_signals) + " are the most";
    case failure_kind::missing_gpu:
      return where + " accessed the memory of GPU " + std::to_string(value) +
             ", which it has not mapped: its GPUs are among 0 to " + std::to_string(s.gpus - 1);
    case failure_kind::outside_heap:
      return where + " named symmetric memory from byte " + std::to_string(value) +
             " on, which ends outside its heap: take smaller parts";
    case failure_kind::other_program:
      return where + " has another program than GPU " + std::to_string(value) +
             ", or other settings, another offset in the heap or another first message: make objects in a "
             "symmetric heap, and begin runs, alike and in one order in all processes";
    case failure_kind::of_program: return where + " failed with number " + std::to_string(value);
    case failure_kind::none: break;
  }
  return where + " failed";
}

std::string reporter::text_of(const std::vector<wide_word>& watched, std::uint32_t first_pe) const {
  std::string text;
  for (std::size_t pe = 0; pe < watched.size(); ++pe) {
    const auto meta = static_cast<std::uint32_t>(watched[pe].stamp);
    const auto keeps = static_cast<std::uint32_t>(watched[pe].body >> 32U);
    std::string line;
    if (watched[pe].stamp >> 32U == 2)
      line = "waits for GPU " + std::to_string(meta) + " to begin the run";
    else if (watched[pe].stamp >> 32U != 0)
      line = "is in " + entry(entry_in(meta)) + " of " + element(entry_in(meta), element_in(meta));
    if (keeps != 0)
      line += (line.empty() ? "" : ", and ") +
              ("keeps " + std::to_string(keeps) + " messages for full mailboxes or the host");
    if (!line.empty()) text += "\n  PE " + std::to_string(first_pe + pe) + " " + line;
  }
  return text;
}

std::string reporter::unaccepted(std::uint64_t count, const item& first) const {
  const std::uint32_t number = entry_in(first.meta);
  const bool shows_number = number < names_.all.size() && !names_.all[number].in_parcel;
  return std::to_string(count) + (count == 1 ? " message waits" : " messages wait") +
         " for a number that is not accepted, such as " + entry(number) + " of " +
         element(number, element_in(first.meta)) +
         (shows_number ? " with number " + std::to_string(static_cast<std::uint32_t>(first.body)) : "");
}

}  // namespace imbrex::resident::detail
