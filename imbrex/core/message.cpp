// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex {

namespace {

// The entry table: constant-initialised, so that records may register before any constructor here has run.
constinit message_type* registered = nullptr;
constinit std::mutex table_lock;

std::vector<message_type*>& numbered() {
  static std::vector<message_type*> table;
  return table;
}

/// Some compilers spell all lambdas of a function alike.
bool names_a_lambda(std::string_view spelling) { return spelling.find("lambda") != spelling.npos; }

/// The executable or shared library that holds a function.
const void* module_of(void (*function)(work&)) {
  Dl_info where{};
  return ::dladdr(reinterpret_cast<const void*>(function), &where) != 0 ? where.dli_fbase : nullptr;
}

}  // namespace

message_type::message_type(std::string_view full_spelling, std::string_view name_of_chare,
                           std::string_view name_of_entry, const work_type& functions)
    : work_type(functions), spelling(full_spelling), chare_name(name_of_chare), entry_name(name_of_entry) {
  const std::lock_guard hold(table_lock);
  next_registered = registered;
  registered = this;
}

void message_table::number() {
  const std::lock_guard hold(table_lock);
  std::vector<std::pair<std::size_t, message_type*>> all;
  for (auto* t = registered; t != nullptr; t = t->next_registered) all.emplace_back(all.size(), t);
  static std::size_t known = 0;
  if (all.size() == known) return;  // other runtimes of this process may be reading the table
  // Types that spell the same stay in the order of their registration, which one binary does not change.
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) {
    return a.second->spelling != b.second->spelling ? a.second->spelling < b.second->spelling
                                                    : a.first < b.first;
  });
  std::vector<message_type*> unique;
  for (const auto& [place, t] : all) {
    const bool again = !unique.empty() && unique.back()->spelling == t->spelling;
    // Across shared libraries it is one entry that both name; within one the linker would have merged it.
    if (again && module_of(t->run) != module_of(unique.back()->run)) {
      t->id = unique.back()->id;
      continue;
    }
    if (again && !names_a_lambda(t->spelling))
      throw error("two entry methods spell the same: " + std::string(t->spelling) +
                  ". Either two files have classes of that name in anonymous namespaces, or they are two "
                  "instances of "
                  "one member template; give one of them another name");
    t->id = static_cast<std::uint32_t>(unique.size());
    unique.push_back(t);
  }
  numbered() = std::move(unique);
  known = all.size();
}

const message_type& message_table::at(std::uint32_t id) {
  const auto& table = numbered();
  if (id >= table.size())
    throw serial_error("a message names entry " + std::to_string(id) + ", but this program has " +
                       std::to_string(table.size()) + "; do all processes run the same build?");
  return *table[id];
}

std::uint64_t message_table::digest() {
  std::uint64_t d = 14695981039346656037U;  // FNV-1a
  for (const auto* t : numbered())
    for (const char c : t->spelling) d = (d ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return d;
}

std::string_view message_table::port_name(std::string_view chare_name, const void* chare, const void* port) {
  for (const auto* t : numbered())
    if (t->port_address != nullptr && t->chare_name == chare_name && t->port_address(chare) == port)
      return t->entry_name;
  return {};
}

namespace detail {

void pack_header(const message& m, writer& out) {
  out(m.kind().id, m.priority, m.location_hint, m.origin, m.collection, m.reply.slot, m.reply.generation,
      m.reply.ordinal);
}

void unpack_header(message& m, reader& in) {
  std::uint32_t id = 0;
  in(id, m.priority, m.location_hint, m.origin, m.collection, m.reply.slot, m.reply.generation,
     m.reply.ordinal);
  if (m.priority < first_priority || m.priority > last_priority)
    throw serial_error("a message has priority " + std::to_string(m.priority) + ", which is not from " +
                       std::to_string(first_priority) + " to " + std::to_string(last_priority));
  if (&message_table::at(id) != m.type && message_table::at(id).spelling != m.kind().spelling)
    throw serial_error("a message of kind " + std::to_string(id) + " was unpacked as " +
                       std::string(m.kind().spelling));
}

}  // namespace detail
}  // namespace imbrex
