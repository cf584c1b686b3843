// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/recorder.hpp>
#include <imbrex/sched/run_queue.hpp>
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

std::uint32_t message_table::size() { return static_cast<std::uint32_t>(numbered().size()); }

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

namespace {

/// Which parts of a header follow.
enum parts : std::uint8_t {
  has_priority = 1,
  has_location_hint = 2,
  has_reply = 4,
  has_trace = 8,  ///< who packed it while recording, and its number there
  all_parts = 15
};

/// Seven bits to a byte, the lowest first; the eighth says that more follow.
std::uint8_t* put(std::uint8_t* to, std::uint64_t number) {
  for (; number > 0x7f; number >>= 7U) *to++ = static_cast<std::uint8_t>(number | 0x80U);
  *to++ = static_cast<std::uint8_t>(number);
  return to;
}

/// The bit that sets single chares apart comes last, so that most numbers are small.
std::uint32_t turned(std::uint32_t collection) { return std::rotl(collection, 1); }

std::uint32_t unpack_short(reader& in) {
  const std::uint64_t number = unpack_number(in);
  if (number > std::numeric_limits<std::uint32_t>::max())
    throw serial_error("malformed message: " + std::to_string(number) + " in a header does not fit 32 bits");
  return static_cast<std::uint32_t>(number);
}

}  // namespace

void pack_header(const message& m, writer& out) {
  std::array<std::uint8_t, 52> bytes;
  std::uint8_t* end = bytes.data() + 1;
  std::uint8_t which = 0;
  end = put(end, m.kind().id);
  end = put(end, m.origin);
  end = put(end, turned(m.collection));
  if (m.priority != 0) {
    which |= has_priority;
    *end++ = static_cast<std::uint8_t>(m.priority);
  }
  if (m.location_hint != 0) {
    which |= has_location_hint;
    end = put(end, m.location_hint);
  }
  if (m.reply) {
    which |= has_reply;
    end = put(end, m.reply.slot);
    end = put(end, m.reply.generation);
    end = put(end, m.reply.ordinal);
  }
  if (recorder* const r = recorder::of_this_thread(); r != nullptr && r->is_on() && !out.only_counts())
      [[unlikely]] {
    which |= has_trace;
    end = put(end, r->track());
    end = put(end, r->packed(m));
  }
  bytes.front() = which;
  out.bytes(bytes.data(), static_cast<std::size_t>(end - bytes.data()));
}

void unpack_header(message& m, reader& in) {
  std::uint8_t which = 0;
  in(which);
  if (which > all_parts) throw_out_of_range("the parts of a header", which, all_parts + 1);
  const std::uint32_t id = unpack_short(in);
  m.origin = unpack_short(in);
  m.collection = std::rotr(unpack_short(in), 1);
  if ((which & has_priority) != 0) {
    in(m.priority);
    if (m.priority < first_priority || m.priority > last_priority)
      throw serial_error("a message has priority " + std::to_string(m.priority) + ", which is not from " +
                         std::to_string(first_priority) + " to " + std::to_string(last_priority));
  }
  if ((which & has_location_hint) != 0) m.location_hint = static_cast<std::uint16_t>(unpack_short(in));
  if ((which & has_reply) != 0) m.reply = {unpack_short(in), unpack_short(in), unpack_short(in)};
  if ((which & has_trace) != 0) {
    const auto track = unpack_short(in);
    const auto number = unpack_short(in);
    if (recorder* const r = recorder::of_this_thread()) r->arrived(m, track, number);
  }
  if (&message_table::at(id) != m.type && message_table::at(id).spelling != m.kind().spelling)
    throw serial_error("a message of kind " + std::to_string(id) + " was unpacked as " +
                       std::string(m.kind().spelling));
}

const message_type& kind_of_packed(reader in) {
  in.view(1);
  return message_table::at(unpack_short(in));
}

void pack_number(std::uint64_t number, writer& out) {
  std::array<std::uint8_t, 10> bytes;
  const std::uint8_t* const end = put(bytes.data(), number);
  out.bytes(bytes.data(), static_cast<std::size_t>(end - bytes.data()));
}

std::uint64_t unpack_number(reader& in) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    std::uint8_t byte = 0;
    in.bytes(&byte, 1);
    number |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return number;
  }
  throw serial_error("malformed message: a number of more than 64 bits");
}

}  // namespace detail
}  // namespace imbrex
