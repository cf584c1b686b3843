// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message/message.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/build.hpp>
#include <imbrex/core/message/wire.hpp>
#include <imbrex/sched/observer.hpp>
#include <imbrex/sched/run_queue.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::detail {

namespace {

// The entry table is constant-initialised, so that records may register before any constructor of this file.
constinit message_type* registered = nullptr;
constinit std::mutex table_lock;

constinit std::vector<message_type*> numbered;

/// True if the type is a lambda: some compilers spell all lambdas of a function alike.
bool names_a_lambda(std::string_view spelling) { return spelling.find("lambda") != spelling.npos; }

bool is_in_anonymous_namespace(std::string_view spelling) {
  return spelling.find("(anonymous namespace)") != spelling.npos ||
         spelling.find("{anonymous}") != spelling.npos;
}

[[noreturn]] void throw_no_such_kind(std::uint32_t id) {
  throw serial_error("a message names entry " + std::to_string(id) + ", but this program has " +
                     std::to_string(numbered.size()) + "; do all processes run the same build?");
}

/// The executable or shared library that contains a function.
const void* module_of(void (*function)(work&)) {
  Dl_info where{};
  return ::dladdr(reinterpret_cast<const void*>(function), &where) != 0 ? where.dli_fbase : nullptr;
}

/// Gives each kind that moves chares the list of those ports of its class that may hold attachments. If
/// several libraries have a kind, all of its copies get the list.
void join_ports(std::span<message_type* const> unique) {
  for (auto* kind = registered; kind != nullptr; kind = kind->next_registered) {
    if (kind->attachments == nullptr || !kind->attachments->moves_chares()) continue;
    const attachment_type** last = &kind->attachments->next_port;
    for (const message_type* const other : unique) {
      attachment_type* const port = other->attachments;
      if (port == nullptr || port->collect_unread == nullptr) continue;
      if (*port->chare_class != *kind->attachments->chare_class) continue;
      *last = port;
      last = &port->next_port;
    }
    *last = nullptr;
  }
}

std::string shown_purpose(const message_purpose& purpose, std::string_view spelling) {
  std::string name(purpose.what);
  if (name.empty()) {  // "broadcast_done"
    name = short_name(spelling);
    std::ranges::replace(name, '_', ' ');
  }
  if (!purpose.of.empty()) name += " of " + std::string(purpose.of);
  if (!purpose.member.empty()) name += "::" + std::string(short_name(purpose.member));
  if (!purpose.by.empty()) {
    std::string_view by = short_name(purpose.by);
    constexpr std::string_view ending = "_operation";  // the suffix of Imbrex's own operations, such as
                                                       // max_operation
    if (by.ends_with(ending)) by.remove_suffix(ending.size());
    name += " by " + std::string(by);
  }
  return name;
}

}  // namespace

message_type::message_type(std::string_view full_spelling, std::string_view name_of_chare,
                           std::string_view name_of_entry, const work_type& functions,
                           const message_purpose& meant, named_kind finds_name, bool immediate)
    : work_type(functions),
      spelling(full_spelling),
      chare_name(name_of_chare),
      entry_name(name_of_entry),
      purpose(meant),
      named(finds_name),
      is_immediate(immediate) {
  const std::lock_guard hold(table_lock);
  next_registered = registered;
  registered = this;
}

message_type::message_type(not_registered, const char* name, std::string_view name_of_chare,
                           std::string_view name_of_entry)
    : work_type{name, nullptr, nullptr, nullptr, nullptr},
      spelling(name),
      chare_name(name_of_chare),
      entry_name(name_of_entry) {}

std::string message_type::shown_name() const {
  if (!chare_name.empty()) return std::string(chare_name) + "::" + std::string(entry_name);
  return shown_purpose(purpose, spelling);
}

std::string message_type::shown_name_for(const message_type& entry) const {
  message_purpose whole = purpose;
  if (!whole.of.empty()) whole.of = entry.chare_name;
  if (!whole.member.empty()) whole.member = entry.entry_name;
  return shown_purpose(whole, spelling);
}
void message_table::number() {
  const std::lock_guard hold(table_lock);
  std::vector<std::pair<std::size_t, message_type*>> all;
  for (auto* t = registered; t != nullptr; t = t->next_registered) all.emplace_back(all.size(), t);
  static std::size_t known = 0;
  if (all.size() == known) return;  // other runtimes of this process may be reading the table
  // Types of equal spelling stay in registration order, which is fixed for one binary.
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) {
    return a.second->spelling != b.second->spelling ? a.second->spelling < b.second->spelling
                                                    : a.first < b.first;
  });
  std::vector<message_type*> unique;
  for (const auto& [place, t] : all) {
    const bool again = !unique.empty() && unique.back()->spelling == t->spelling;
    if (again && is_in_anonymous_namespace(t->spelling) && module_of(t->run) != module_of(unique.back()->run))
      throw error(
          "two libraries have an entry method of one name: " + std::string(t->spelling) +
          ". Their classes are different ones in anonymous namespaces; give one of them another name");
    // Equal spellings in different shared libraries are one entry; within a library the linker would have
    // merged them.
    if (again && module_of(t->run) != module_of(unique.back()->run)) {
      t->id = unique.back()->id;
      continue;
    }
    if (again && !names_a_lambda(t->spelling))
      throw error("two entry methods spell the same: " + std::string(t->spelling) +
                  ". Either two files have classes of that name in anonymous namespaces, or they are two "
                  "instances of one member template; give one of them another name");
    t->id = static_cast<std::uint32_t>(unique.size());
    unique.push_back(t);
  }
  join_ports(unique);
  numbered = std::move(unique);
  known = all.size();
}

const message_type& message_table::at(std::uint32_t id) {
  if (id >= numbered.size()) [[unlikely]]
    throw_no_such_kind(id);
  return *numbered[id];
}

const message_type* message_table::find(const work_type* type) noexcept {
  for (const message_type* const t : numbered)
    if (t == type || (t->as_short != nullptr && t->as_short == type)) return t;
  return nullptr;
}

const message_type* message_table::spelled(std::string_view spelling) noexcept {
  const auto at = std::ranges::lower_bound(numbered, spelling, {}, &message_type::spelling);
  return at != numbered.end() && (*at)->spelling == spelling ? *at : nullptr;
}

std::uint32_t message_table::size() { return static_cast<std::uint32_t>(numbered.size()); }

std::vector<const element_class*> message_table::classes_of_arrays() {
  std::vector<const element_class*> all;
  for (const auto* const t : numbered)
    if (t->purpose.creates != nullptr) all.push_back(t->purpose.creates);
  const auto by_name = [](const element_class* of) { return of->name; };
  std::ranges::sort(all, {}, by_name);
  const auto repeated = std::ranges::unique(all, {}, by_name);  // a class with several kinds of arrays
  all.erase(repeated.begin(), repeated.end());
  return all;
}

std::uint64_t message_table::digest() {
  std::uint64_t d = 14695981039346656037U;  // the FNV-1a hash
  std::set<const void*> modules;
  std::uint64_t builds = 0;  // a sum, since processes may load the same libraries in different orders
  for (const auto* t : numbered) {
    for (const char c : t->spelling) d = (d ^ static_cast<unsigned char>(c)) * 1099511628211U;
    if (modules.insert(module_of(t->run)).second) builds += build_of(reinterpret_cast<const void*>(t->run));
  }
  return d ^ builds;
}

std::string_view message_table::port_name(std::string_view chare_name, const void* chare, const void* port) {
  for (const auto* t : numbered)
    if (t->port_address != nullptr && t->chare_name == chare_name && t->port_address(chare) == port)
      return t->entry_name;
  return {};
}

namespace {

/// Bits of the header's first byte: the optional parts that follow.
enum parts : std::uint8_t {
  has_priority = 1,
  has_reply = 2,
  has_trace = 4,  ///< the PE that packed the message while recording, and its number there
  has_life = 8    ///< the epoch, shifted left by one, with `may_find_none` in the lowest bit
};

std::uint64_t packed_life(const message& m) { return m.born() << 1U | (m.may_find_none ? 1U : 0U); }

[[noreturn]] void throw_other_kind(const message& m, std::uint32_t packed) {
  throw serial_error("a message of kind " + std::to_string(packed) + " was unpacked as " +
                     std::string(m.kind().spelling));
}

inline void check_kind(const message& m, std::uint32_t packed) {
  if (packed != m.kind().id) [[unlikely]]
    throw_other_kind(m, packed);
}

// Not inlined, so that packing a short header saves no registers for optional parts.

[[gnu::noinline]] void pack_parts(const message& m, std::uint8_t which, const packing_record& recorded,
                                  writer& out) {
  pack_long_header(which, {m.kind().id, m.origin, m.collection}, out);
  if ((which & has_priority) != 0) out(m.priority);
  if ((which & has_reply) != 0) {
    pack_number(m.reply.slot, out);
    pack_number(m.reply.generation, out);
    pack_number(m.reply.ordinal, out);
  }
  if ((which & has_life) != 0) pack_number(packed_life(m), out);
  if ((which & has_trace) != 0) {
    pack_number(recorded.track, out);
    pack_number(recorded.number, out);
  }
}

[[gnu::noinline]] void unpack_parts(message& m, reader& in) {
  const auto [which, numbers] = unpack_long_header(in);
  if (which > no_parts) throw_out_of_range("the parts of a header", which, no_parts + 1);
  check_kind(m, numbers.kind);
  m.origin = numbers.origin;
  m.collection = numbers.collection;
  if ((which & has_priority) != 0) {
    in(m.priority);
    if (m.priority < first_priority || m.priority > last_priority)
      throw serial_error("a message has priority " + std::to_string(m.priority) + ", which is not from " +
                         std::to_string(first_priority) + " to " + std::to_string(last_priority));
  }
  if ((which & has_reply) != 0)
    m.reply = {unpack_short_number(in), unpack_short_number(in), unpack_short_number(in)};
  if ((which & has_life) != 0) {
    const std::uint64_t life = unpack_number(in);
    if (life >> (epoch_bits + 1) != 0)
      throw serial_error("a message is for an element of epoch " + std::to_string(life >> 1U) +
                         ", which does not fit " + std::to_string(epoch_bits) + " bits");
    m.bind(life >> 1U);
    m.may_find_none = (life & 1U) != 0;
  }
  if ((which & has_trace) != 0) {
    const auto track = unpack_short_number(in);
    const auto number = unpack_short_number(in);
    if (const auto* const observers = observer_list::here())
      observers->tell([&](observer& o) { o.arrived(m, packing_record{track, number}); });
  }
}

[[gnu::noinline]] const message_type& kind_of_parts(const reader& in) {
  reader number(in.ahead());
  number.view(1);
  return message_table::at(unpack_short_number(number));
}

}  // namespace

void pack_header(const message& m, writer& out) {
  std::optional<packing_record> recorded;
  if (const auto* const observers = observer_list::here(); observers != nullptr && !out.only_counts())
      [[unlikely]] {
    // Bytes that outlive the run are no message on its way.
    if (out.carrier() == nullptr || out.carrier()->names_to_write() == nullptr)
      recorded = observers->packed(m);
  }
  const auto which =
      static_cast<std::uint8_t>((m.priority != 0 ? has_priority : 0) | (m.reply ? has_reply : 0) |
                                (recorded ? has_trace : 0) | (m.of_one_life ? has_life : 0));
  if (which != 0) return pack_parts(m, which, recorded.value_or(packing_record{}), out);
  pack_plain_header({m.kind().id, m.origin, m.collection}, out);
}

void unpack_header(message& m, reader& in) {
  if (!short_header::is_next(in)) return unpack_parts(m, in);
  const plain_header header = unpack_short_header(in).numbers();
  check_kind(m, header.kind);
  m.origin = header.origin;
  m.collection = header.collection;
}

const message_type& kind_of_packed(const reader& in) {
  if (!short_header::is_next(in)) return kind_of_parts(in);
  reader header(in.ahead());
  return message_table::at(unpack_short_header(header).kind());
}

}  // namespace imbrex::detail
