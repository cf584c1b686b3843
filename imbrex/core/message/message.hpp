// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <imbrex/base/pool.hpp>
#include <imbrex/base/type_name.hpp>
#include <imbrex/base/work.hpp>
#include <imbrex/core/message/wire.hpp>
#include <imbrex/sched/scheduler.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex {

struct chare_header;

namespace detail {

class device_part;

/// What a message of the runtime is for, in the program's names: "broadcast of block::run", "part of a
/// reduction of double by max". Names are full ones, as the compiler spells them.
struct message_purpose {
  std::string_view what;      ///< "broadcast"; if it is empty, reports show what class the message is of
  std::string_view of{};      ///< a type, such as a class of chares
  std::string_view member{};  ///< an entry of that class
  std::string_view by{};      ///< an operation
  bool answers = false;       ///< those who wait, whom `message::reply` names; what it is begins with "reply"
};

/// As what memory of devices is sent: by a message that is asked where it shall land, by a device channel, in
/// a collective, whose messages only say where it is, or as a piece of such a message.
enum class device_step : std::uint8_t { message, channel, collective, piece };

/// One kind of message: one object for each entry method or port that the program names, and for each kind of
/// message of the runtime itself. They register themselves before main() and are numbered in the order of
/// their spelled names, so that all processes of a job agree.
struct message_type : work_type {
  /// Of the kind of an entry that a message names, null if it names none.
  using named_kind = const message_type* (*)(const work& message);

  message_type(std::string_view full_spelling, std::string_view name_of_chare, std::string_view name_of_entry,
               const work_type& functions, const message_purpose& meant = {}, named_kind finds_name = nullptr,
               bool immediate = false);
  /// Of an entry that is named at run time, of which no message is: what reports show in the place of another
  /// kind.
  struct not_registered {};
  message_type(not_registered, const char* name, std::string_view name_of_chare,
               std::string_view name_of_entry);
  message_type(const message_type&) = delete;
  message_type& operator=(const message_type&) = delete;

  /// What reports call it: "block::run" for an entry, for others what `purpose` says.
  std::string shown_name() const;
  /// The same of a message of the runtime that is for that entry, or for the class of that constructor.
  std::string shown_name_for(const message_type& entry) const;

  std::string_view spelling;    ///< unique in the program
  std::string_view chare_name;  ///< of the class whose entry it is; empty for messages of the runtime
  std::string_view entry_name;
  message_purpose purpose;  ///< of messages of the runtime
  /// The port inside a chare and the reference number of a message to it; null unless the entry is a port.
  const void* (*port_address)(const void* chare) = nullptr;
  std::int64_t (*reference)(const work& message) = nullptr;
  /// Finds the entry that a message names (`entry_name`); null unless that is the entry's first parameter, or
  /// what the runtime sends for such an entry or for chares that stand for those of a class of that name.
  named_kind named = nullptr;
  /// The number by which a trace knows the element that a message is for; null unless it is for one.
  std::uint64_t (*element)(const work& message) = nullptr;
  /// Sends a value to the port of an element, as a `post_to_port<V>`; null unless the entry is a port of
  /// chares with dense indices. What one end of a channel knows of the other.
  void (*post)() = nullptr;
  /// Finds what a message holds of the memory of devices; null unless this kind carries any.
  void (*device_parts)(work& message, std::vector<detail::device_part*>& parts) = nullptr;
  /// The same of what a chare has not received from the port; null unless the entry is one.
  void (*unread_parts)(void* chare, std::vector<detail::device_part*>& parts) = nullptr;
  /// The class of chares whose port such an entry is, or whose chares this kind moves; null unless it is one.
  const std::type_info* chare_class = nullptr;
  /// Of a kind that moves chares: the first of the ports of their class with `unread_parts`; of such a port:
  /// the next. `message_table::number` joins them.
  const message_type* device_port = nullptr;
  /// What it costs in a `device_model` that a message of this kind brings memory of devices.
  device_step step = device_step::message;
  /// How a message of this kind that is short runs as it came, a `short_item`; null if it must be unpacked.
  const work_type* as_short = nullptr;
  /// When it comes from another process it runs at once, where the PE looks at its network between items;
  /// else before all that is queued (while an item runs, where the PE is observed, or the network has a
  /// thread of its own). For what only matches and copies, and pushes what is to go on: it must not send, nor
  /// wait.
  const bool is_immediate = false;
  static constexpr std::uint32_t not_numbered = 0xffffffff;
  std::uint32_t id = not_numbered;
  message_type* next_registered = nullptr;
};

/// How message_type::post is to be called for values V: collection, linear index, reference number, value.
template <class V>
using post_to_port = void (*)(std::uint64_t, std::uint64_t, std::int64_t, V&&);

/// Whom to answer: a slot in the reply table of the PE that the message came from (`origin`), 0 for nobody.
struct reply_address {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  std::uint32_t ordinal = 0;  ///< which of the answers that one slot gathers

  explicit operator bool() const { return slot != 0; }
};

/// The epoch of an element has 48 bits in messages: nine million moves, ends and insertions a second for a
/// year.
inline constexpr unsigned epoch_bits = 48;

/// What travels: work with an addressee. `collection` says which array, group or single chares it is for.
struct message : work {
  std::uint64_t collection = 0;
  reply_address reply;
  std::uint32_t born_below = 0;  ///< with `born_above` what `born` says

  /// It is for the life of an element that began at that epoch, and for none later of its key.
  void bind(std::uint64_t born) {
    of_one_life = true;
    born_above = static_cast<std::uint16_t>(born >> 32U);
    born_below = static_cast<std::uint32_t>(born);
  }
  std::uint64_t born() const { return static_cast<std::uint64_t>(born_above) << 32U | born_below; }

  const message_type& kind() const { return *static_cast<const message_type*>(type); }
  /// What reports and traces show as its kind: that of the entry which it names, if it names one.
  const message_type& shown_kind() const {
    const auto* const named = kind().named != nullptr ? kind().named(*this) : nullptr;
    return named != nullptr ? *named : kind();
  }
};

template <class M>
void run_message(work& item) {
  static_cast<M&>(item).deliver();
}

template <class M>
void destroy_message(work& item) noexcept {
  auto& m = static_cast<M&>(item);
  m.~M();
  pool::release(&m, sizeof(M));
}

/// Destroys a message at the end of a block, unless it was handed on.
template <class M>
class message_guard {
 public:
  explicit message_guard(M& m) : held_(&m) {}
  message_guard(const message_guard&) = delete;
  message_guard& operator=(const message_guard&) = delete;
  [[gnu::always_inline]] ~message_guard() {  // else the pointer lies in memory for the handler of exceptions
    if (held_ == nullptr) return;
    if constexpr (requires { M::type_record; })  // nothing derives from such a type
      destroy_message<M>(*held_);
    else
      held_->type->destroy(*held_);
  }
  M& get() const { return *held_; }
  M& release() { return *std::exchange(held_, nullptr); }

 private:
  M* held_;
};

void pack_header(const message& m, writer& out);
void unpack_header(message& m, reader& in);
/// The kind of the message that is to be read next. Throws serial_error.
const message_type& kind_of_packed(const reader& in);

template <class Key>
void process_key(Key& key, writer& out) {
  if constexpr (std::is_same_v<Key, std::uint64_t>)
    pack_number(key, out);
  else
    out(key);
}
template <class Key>
void process_key(Key& key, reader& in) {
  if constexpr (std::is_same_v<Key, std::uint64_t>)
    key = unpack_number(in);
  else
    in(key);
}

template <class M>
void pack_message(work& item, writer& out) {
  auto& m = static_cast<M&>(item);
  pack_header(m, out);
  m.serialize(out);
}

template <class M>
work* unpack_message(reader& in) {
  auto* m = ::new (pool::allocate(sizeof(M))) M();
  m->type = &M::type_record;
  message_guard mine(*m);
  unpack_header(*m, in);
  m->serialize(in);
  return &mine.release();
}

/// True of what carries another message over a modelled link.
template <class M>
inline constexpr bool is_envelope = false;

template <class M>
constexpr work_type functions_of(const char* name) {
  return {name, &run_message<M>, &destroy_message<M>, &pack_message<M>, &unpack_message<M>, is_envelope<M>};
}

/// `message_type::named` of messages M of the runtime, which may say by `named_kind` what they name.
template <class M>
constexpr message_type::named_kind named_kind_of() {
  if constexpr (requires(const M& m) { m.named_kind(); })
    return [](const work& m) { return static_cast<const M&>(m).named_kind(); };
  else
    return nullptr;
}

/// The record of a kind of message that is not an entry method. `immediate`: see
/// `message_type::is_immediate`.
template <class M>
message_type runtime_message_type(const message_purpose& purpose = {}, bool immediate = false) {
  static constexpr std::string_view name = type_name<M>();
  static constexpr std::string_view of_people = short_name(name);
  static constexpr auto terminated = joined<of_people.size()>({of_people});
  static constexpr work_type functions = functions_of<M>(terminated.data());
  return message_type(name, {}, {}, functions, purpose, named_kind_of<M>(), immediate);
}

/// A message of the PE that runs on this thread.
template <class M, class... A>
M& make_message_on(scheduler& pe, A&&... arguments) {
  static_assert(
      alignof(M) <= pool::granule,
      "imbrex: an argument or result is aligned to more than 64 bytes, which messages are not: send it in a "
      "std::vector or as a std::span");
  void* memory = pe.memory().take(sizeof(M));
  M* m;
  try {
    m = ::new (memory) M(std::forward<A>(arguments)...);
  } catch (...) {
    pool::release(memory, sizeof(M));
    throw;
  }
  m->type = &M::type_record;
  m->origin = static_cast<std::uint32_t>(pe.pe());
  return *m;
}

template <class M, class... A>
M& make_message(A&&... arguments) {
  return make_message_on<M>(*scheduler::current(), std::forward<A>(arguments)...);
}

/// Destroys a message that has an owner.
struct message_deleter {
  void operator()(message* m) const noexcept { m->type->destroy(*m); }
};

/// All kinds of messages of the program, by number.
class message_table {
 public:
  /// Sorts and numbers what has registered so far. Throws imbrex::error if two kinds spell the same.
  static void number();
  /// The kind with that number. Throws serial_error for a number that no kind has.
  static const message_type& at(std::uint32_t id);
  /// The kind whose work type that is, as a message or as a short one; null if it is none. In a handler of a
  /// signal.
  static const message_type* find(const work_type* type) noexcept;
  /// How many kinds have a number.
  static std::uint32_t size();
  /// Of all spellings, and of the builds of the files that they come from: equal in all processes that run
  /// the same program, and so have the same messages.
  static std::uint64_t digest();
  /// The name of a port of a chare class, or empty if no send in the program names it.
  static std::string_view port_name(std::string_view chare_name, const void* chare, const void* port);
  /// Finds the memory of devices in what a chare has not received from its ports; of the kind that moves it.
  static void collect_unread(const message_type& moves, void* chare, std::vector<device_part*>& parts) {
    for (const auto* port = moves.device_port; port != nullptr; port = port->device_port)
      port->unread_parts(chare, parts);
  }
};

}  // namespace detail
}  // namespace imbrex
