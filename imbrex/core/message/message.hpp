// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/base/pool.hpp>
#include <imbrex/base/type_name.hpp>
#include <imbrex/base/work.hpp>
#include <imbrex/core/message/attachments.hpp>
#include <imbrex/core/message/wire.hpp>
#include <imbrex/sched/scheduler.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex {

struct chare_header;

namespace detail {

struct part_class;

/// A class of elements that may move to other PEs, if it has what that takes.
struct element_class {
  std::string_view name;  ///< as the compiler spells it
  bool has_serialize = false;
  bool has_default_constructor = false;

  constexpr bool can_migrate() const { return has_serialize && has_default_constructor; }
};

/// The purpose of a runtime message in the program's names: "broadcast of block::run", "part of a reduction
/// of double by max". Names are full names, as the compiler spells them.
struct message_purpose {
  std::string_view what;      ///< "broadcast"; if empty, reports show the message's class name
  std::string_view of{};      ///< a type, such as a class of chares
  std::string_view member{};  ///< an entry of that class
  std::string_view by{};      ///< an operation
  bool answers = false;       ///< the message is a reply to the waiters in `message::reply`; then `what`
                              ///< begins with "reply"
  const element_class* creates = nullptr;  ///< the class of an array that the message creates; null in other
                                           ///< messages, and for groups, whose elements never move
};

/// One kind of message. There is one object for each entry method or port that the program names, and for
/// each kind of runtime message. The objects register themselves before main(). They are numbered in the
/// order of their spelled names, so that all processes of a job agree.
struct message_type : work_type {
  /// Returns the kind of the entry that a message names; null if it names no entry.
  using named_kind = const message_type* (*)(const work& message);

  message_type(std::string_view full_spelling, std::string_view name_of_chare, std::string_view name_of_entry,
               const work_type& functions, const message_purpose& meant = {}, named_kind finds_name = nullptr,
               bool immediate = false);
  /// Tag of a record for an entry named at run time. No message has this kind; reports show it instead of
  /// another kind.
  struct not_registered {};
  message_type(not_registered, const char* name, std::string_view name_of_chare,
               std::string_view name_of_entry);
  message_type(const message_type&) = delete;
  message_type& operator=(const message_type&) = delete;

  /// The name in reports: "block::run" for an entry, else a text made from `purpose`.
  std::string shown_name() const;
  /// The name in reports of a runtime message for the given entry, or for the class of the given constructor.
  std::string shown_name_for(const message_type& entry) const;
  /// Adds the attachments of a message of this kind.
  void collect_attachments(work& message, std::vector<attachment*>& found) const {
    if (attachments != nullptr && attachments->collect != nullptr) attachments->collect(message, found);
  }

  std::string_view spelling;    ///< unique in the program
  std::string_view chare_name;  ///< the class that has the entry; empty for runtime messages
  std::string_view entry_name;
  message_purpose purpose;  ///< used by runtime messages only
  /// The port inside a chare, and the reference number of a message to it. Null unless this is a port.
  const void* (*port_address)(const void* chare) = nullptr;
  std::int64_t (*reference)(const work& message) = nullptr;
  /// Finds the entry that a message names (`entry_name`). Set if `entry_name` is the entry's first parameter.
  /// Set also in runtime messages for such an entry, or for chares that stand for classes named at run time.
  /// Null otherwise.
  named_kind named = nullptr;
  /// The number that traces use for the element a message is for. Null unless the message is for one element.
  std::uint64_t (*element)(const work& message) = nullptr;
  /// Sends a value, which is moved from, to the port of an element; `value` is of the port's type. Null
  /// unless this is a port of chares with dense indices. `array_port` is the typed form.
  void (*post)(std::uint64_t collection, std::uint64_t linear, std::int64_t reference, void* value) = nullptr;
  std::string_view posts{};  ///< the type of such values, as the compiler spells it
  /// The class of single chares with the kind's number; null unless the number is one of single chares.
  const part_class* singles = nullptr;
  /// The attachments of this kind of message; null if it has none.
  attachment_type* attachments = nullptr;
  /// Runs a short message of this kind while still packed, as a `short_item`; null if it must be
  /// unpacked.
  const work_type* as_short = nullptr;
  /// If true, a message from another process runs at once when the PE polls its network between items. It
  /// runs before all queued items instead while an item runs, if the PE is observed, or if the network has
  /// its own thread. Meant for code that only matches, copies and queues work: it must neither send nor wait.
  const bool is_immediate = false;
  static constexpr std::uint32_t not_numbered = 0xffffffff;
  std::uint32_t id = not_numbered;
  message_type* next_registered = nullptr;
};

/// The address of a reply: a slot in the reply table of the PE that sent the message (`origin`). 0: no reply.
struct reply_address {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  std::uint32_t ordinal = 0;  ///< index of the reply among the replies that a slot gathers

  explicit operator bool() const { return slot != 0; }
};

/// Bits of an element's epoch in messages: enough for nine million moves, ends and insertions a second for a
/// year.
inline constexpr unsigned epoch_bits = 48;

/// A message: work with an addressee. `collection` is the array, group or single chares that it is for.
struct message : work {
  std::uint64_t collection = 0;
  reply_address reply;
  std::uint32_t born_below = 0;  ///< the low bits of `born()`; `born_above` has the high ones

  /// Limits the message to the life of an element that began at epoch `born`. A later element with the same
  /// key does not get it.
  void bind(std::uint64_t born) {
    of_one_life = true;
    born_above = static_cast<std::uint16_t>(born >> 32U);
    born_below = static_cast<std::uint32_t>(born);
  }
  std::uint64_t born() const { return static_cast<std::uint64_t>(born_above) << 32U | born_below; }

  const message_type& kind() const { return *static_cast<const message_type*>(type); }
  /// The kind that reports and traces show: the entry that the message names, else the message's own kind.
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

/// Destroys a message at the end of a block, unless `release` was called.
template <class M>
class message_guard {
 public:
  explicit message_guard(M& m) : held_(&m) {}
  message_guard(const message_guard&) = delete;
  message_guard& operator=(const message_guard&) = delete;
  [[gnu::always_inline]] ~message_guard() {  // if not inlined, the pointer would lie in memory for the
                                             // exception handler
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
/// The kind of the next message in the input. Throws serial_error.
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
  message_guard guard(*m);
  unpack_header(*m, in);
  m->serialize(in);
  return &guard.release();
}

/// True of messages that carry another message over a modelled link.
template <class M>
inline constexpr bool is_envelope = false;

template <class M>
constexpr work_type functions_of(const char* name) {
  return {name, &run_message<M>, &destroy_message<M>, &pack_message<M>, &unpack_message<M>, is_envelope<M>};
}

/// `message_type::named` for runtime messages M, which may have a member `named_kind` for it.
template <class M>
constexpr message_type::named_kind named_kind_of() {
  if constexpr (requires(const M& m) { m.named_kind(); })
    return [](const work& m) { return static_cast<const M&>(m).named_kind(); };
  else
    return nullptr;
}

/// The record of a runtime message kind. For `immediate` see `message_type::is_immediate`.
template <class M>
message_type runtime_message_type(const message_purpose& purpose = {}, bool immediate = false) {
  static constexpr std::string_view name = type_name<M>();
  static constexpr std::string_view display_name = short_name(name);
  static constexpr auto terminated = joined<display_name.size()>({display_name});
  static constexpr work_type functions = functions_of<M>(terminated.data());
  return message_type(name, {}, {}, functions, purpose, named_kind_of<M>(), immediate);
}

/// Makes a message on the PE that runs on this thread.
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

/// Deleter for owned messages.
struct message_deleter {
  void operator()(message* m) const noexcept { m->type->destroy(*m); }
};

/// All message kinds of the program, by number.
class message_table {
 public:
  /// Sorts and numbers all kinds registered so far. Throws imbrex::error if two kinds spell the same.
  static void number();
  /// The kind with number `id`. Throws serial_error if there is none.
  static const message_type& at(std::uint32_t id);
  /// The kind that has `type` as its work type or as `as_short`; null if there is none. Callable in a signal
  /// handler.
  static const message_type* find(const work_type* type) noexcept;
  /// The kind with this spelling; null if there is none.
  static const message_type* spelled(std::string_view spelling) noexcept;
  /// Number of kinds that have a number.
  static std::uint32_t size();
  /// The classes of which the program has code to create arrays, in the order of their spelled names. Known
  /// from the beginning of a run.
  static std::vector<const element_class*> classes_of_arrays();
  /// A hash of all spellings and of the builds of the files that contain the kinds. Processes that run the
  /// same program have equal digests and the same kinds.
  static std::uint64_t digest();
  /// The name of a port of a chare class; empty if the program never sends to it by name.
  static std::string_view port_name(std::string_view chare_name, const void* chare, const void* port);
};

}  // namespace detail
}  // namespace imbrex
