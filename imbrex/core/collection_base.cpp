// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/collection_base.hpp>

#include <algorithm>

#include <imbrex/base/error.hpp>
#include <imbrex/core/balance_point.hpp>
#include <imbrex/core/create.hpp>
#include <imbrex/core/recorder.hpp>
#include <imbrex/core/runtime.hpp>

namespace imbrex {

chare_header::chare_header() = default;
chare_header::~chare_header() = default;

namespace detail {

collection_base::collection_base(processor& pe, std::uint64_t id, std::string_view chare_name,
                                 std::uint64_t initial_elements)
    : pe_(pe),
      id_(id),
      chare_name_(chare_name),
      broadcasts(*this),
      reductions(*this, initial_elements),
      ending(*this, initial_elements) {}

collection_base::~collection_base() = default;

namespace {

[[noreturn]] void rethrow_order_failure(const collection_base& part) {
  throw error("the order of the keys of the array of " + std::string(short_name(part.chare_name())) +
              " on PE " + std::to_string(part.pe().pe()) + ", operator< or their serialize, threw " +
              describe_current_exception());
}

}  // namespace

void collection_base::sort_locals() {
  if (sorted_) return;
  try {
    std::sort(locals_.begin(), locals_.end(), [this](auto* a, auto* b) { return before(*a, *b); });
  } catch (...) {
    rethrow_order_failure(*this);
  }
  for (std::size_t i = 0; i < locals_.size(); ++i) locals_[i]->slot = static_cast<std::uint32_t>(i);
  sorted_ = true;
}

void collection_base::add_local(chare_header& element) {
  try {
    sorted_ = sorted_ && (locals_.empty() || before(*locals_.back(), element));
  } catch (...) {
    rethrow_order_failure(*this);
  }
  if (recorder* const r = recorder::of(pe_)) [[unlikely]]
    r->came(*this, element);
  locals_.push_back(&element);
  element.slot = static_cast<std::uint32_t>(locals_.size() - 1);
}

void collection_base::remove_local(chare_header& element) {
  chare_header* last = locals_.back();
  locals_.pop_back();
  const std::uint32_t slot = std::exchange(element.slot, chare_header::no_slot);
  if (last == &element) return;
  locals_[slot] = last;
  last->slot = slot;
  sorted_ = false;
}

void collection_base::end_entries(chare_header& element, const std::string& why) {
  while (element.entries != nullptr) {
    auto& request = static_cast<message&>(*element.entries->request);
    if (request.reply)
      send_failure(request.origin, request.reply, describe_entry(element, request.kind()),
                   carried_exception(std::make_exception_ptr(error(why))));
    end_scope(*element.entries);
  }
}

void end_scope(scope& s) {
  auto& e = *static_cast<chare_header*>(s.chare);
  (s.previous != nullptr ? s.previous->next : e.entries) = s.next;
  if (s.next != nullptr) s.next->previous = s.previous;
  s.root.destroy();
  s.request->type->destroy(*s.request);
  s.~scope();
  pool::release(&s, sizeof s);
}

void fail_run(processor& pe, const std::string& text) { pe.owner().fail(text); }

namespace {

/// Tells of an error; of the one that this meets where it does not succeed, such as for want of memory.
template <class Telling>
void tell(Telling tell_it) noexcept {
  auto& pe = processor::here();
  try {
    tell_it();
  } catch (...) {
    pe.owner().escaped(pe.pe());
  }
}

}  // namespace

std::string describe_current_exception() { return describe(std::current_exception()); }

std::string describe_entry(const chare_header& element, const message_type& entry) {
  return element.home->element_name(element) + ", entry " + std::string(entry.entry_name) + ", on PE " +
         std::to_string(element.home->pe().pe());
}

carried_exception thrown_by_entry(const chare_header& element, const message_type& entry,
                                  std::exception_ptr why, const scope* begun) {
  const auto thrower = begun != nullptr ? begun->thrower_of(why) : std::nullopt;
  return carried_exception(std::move(why), thrower ? *thrower : describe_entry(element, entry));
}

void fail_entry(message& request, const chare_header& element, std::exception_ptr why,
                const scope* begun) noexcept {
  tell([&] {
    fail_request(request, describe_entry(element, request.kind()),
                 thrown_by_entry(element, request.kind(), std::move(why), begun));
  });
}

void fail_unanswered(const chare_header& element, const message_type& entry,
                     std::exception_ptr why) noexcept {
  tell([&] {
    const std::string who = describe_entry(element, entry);
    fail_run(processor::here(),
             who + ": " + thrown_by_entry(element, entry, std::move(why)).description(who));
  });
}

void fail_request(message& request, const std::string& who, carried_exception why) {
  if (request.reply) return send_failure(request.origin, request.reply, who, std::move(why));
  fail_run(processor::here(), who + ": " + why.description(who));
}

namespace {

/// Answers with an exception.
struct failure_message : message {
  std::string who;
  carried_exception why;

  static inline message_type type_record = runtime_message_type<failure_message>();
  void serialize(auto& ar) { ar(who, why); }
  void deliver() {
    const message_guard mine(*this);
    auto& pe = processor::here();
    if (auto* target = pe.replies().find(reply)) return target->fail(reply.ordinal, std::move(why));
    fail_run(pe, who + ": " + why.description(who) + " (nobody awaits the result of this call)");
  }
};

/// Answers that there was no element.
struct none_found_message : message {
  static inline message_type type_record = runtime_message_type<none_found_message>();
  void serialize(auto&) {}
  void deliver() {
    const message_guard mine(*this);
    if (auto* target = processor::here().replies().find(reply)) target->found_none(reply.ordinal);
  }
};

}  // namespace

void answer_none_found(const message& request) {
  if (!request.reply) return;
  auto& m = make_message<none_found_message>();
  m.reply = request.reply;
  processor::here().dispatch(m, static_cast<int>(request.origin));
}

void send_failure(std::uint32_t caller, const reply_address& reply, const std::string& who,
                  carried_exception why) {
  auto& m = make_message<failure_message>();
  m.who = who;
  m.why = std::move(why);
  m.reply = reply;
  processor::here().dispatch(m, static_cast<int>(caller));
}

void fail_reduction_types(collection_base& part) {
  fail_run(part.pe(),
           "the elements of the array of " + std::string(short_name(part.chare_name())) +
               " disagree about a reduction: all must call all_reduce with the same types of value and "
               "operation, in the same order");
}

void throw_no_peers(const char* what, const chare_header& single) {
  throw error(std::string(what) + ": " + single.home->element_name(single) +
              " is a single chare and has no peers: make an array or a group of its class");
}

void fail_empty_reduction(collection_base& part, std::uint32_t caller, const reply_address& reply) {
  send_failure(caller, reply, "a reduction",
               carried_exception(
                   std::make_exception_ptr(error("a reduction over no elements: the array of " +
                                                 std::string(short_name(part.chare_name())) + " is empty"))));
}

void push_after_entry(const work_type& what, chare_header& element, message* restart) {
  auto& after = *::new (pool::allocate(sizeof(after_entry))) after_entry();
  after.type = &what;
  after.element = &element;
  after.restart = restart;
  element.home->pe().push_after(after);
}

void drop_after_entry(const chare_header& element) {
  element.home->pe().drop_after(
      [&](work& item) { return static_cast<after_entry&>(item).element == &element; });
}

void destroy_after_entry(work& item) noexcept {
  auto& after = static_cast<after_entry&>(item);
  if (after.restart != nullptr) after.restart->type->destroy(*after.restart);
  pool::release(&after, sizeof after);
}

void check_balance_point(const scope& entry, std::coroutine_handle<> waiter) {
  if (entry.chare == nullptr || entry.root != waiter)
    throw error(
        "balance_point must be awaited by the entry method itself, not by a task that it awaits: the frame "
        "of the entry ends "
        "there");
  const auto& e = *static_cast<const chare_header*>(entry.chare);
  for (const scope* s = e.entries; s != nullptr; s = s->next)
    if (s != &entry) {
      std::string text = e.home->element_name(e) + " cannot migrate at its balance_point: its entry " +
                         std::string(static_cast<const message*>(s->request)->kind().entry_name) +
                         " is suspended too";
      if (s->waits != nullptr) text += ", waiting for " + s->waits->description();
      throw error(text + ". A frame cannot travel: let the other entry end first");
    }
}

std::string describe_port(const scope& entry, const void* port) {
  std::string_view name;
  if (entry.chare != nullptr) {
    const auto& e = *static_cast<const chare_header*>(entry.chare);
    name = message_table::port_name(e.home->chare_name(), e.home->object(e), port);
  }
  return name.empty() ? "a mailbox that nothing in this program sends to" : std::string(name);
}

void check_priority(int priority) {
  if (priority < first_priority || priority > last_priority)
    throw error("priority " + std::to_string(priority) + ": priorities of messages are from " +
                std::to_string(first_priority) + " (first) to " + std::to_string(last_priority) +
                " (last); 0 is what messages have without one");
}

void throw_wrong_index(std::string_view chare_name, const std::string& index, const std::string& shape) {
  throw error("index " + index + " is outside the array of " + std::string(short_name(chare_name)) +
              ", whose shape is " + shape + ": indices begin at 0 and end before the shape");
}

void throw_not_here(std::string_view group_of, int pe) {
  const std::string name(short_name(group_of));
  throw error("local: the " + name + " of the group on PE " + std::to_string(pe) +
              " is not there yet, or no more. Messages may come before the group does: where make_group<" +
              name + "> was called, await created() of the group before others are told of it");
}

void throw_wrong_shape(std::string_view chare_name, const std::string& shape) {
  throw error(
      "make_array: an array of " + std::string(short_name(chare_name)) + " cannot have the shape " + shape +
      ": each extent must be 1 or more, and there may be 2^40 elements at most; 2^62 in a sparse array");
}

void throw_another_class(std::string_view chare_name, const collection_base& part) {
  const std::string named(short_name(chare_name));
  throw error("a proxy of " + named + " names what is of " + std::string(short_name(part.chare_name())) +
              " in this run: was it made in an earlier run of this process? Proxies end with their run");
}

void refuse_ended(message& m, std::string_view chare_name) {
  const message_guard mine(m);
  if (m.may_find_none) return answer_none_found(m);
  const std::string name(short_name(chare_name));
  std::string who = "a message for an array of " + name;
  if (!m.kind().entry_name.empty()) who += ", entry " + std::string(m.kind().entry_name);
  fail_request(m, who + ", sent by PE " + std::to_string(m.origin),
               carried_exception(std::make_exception_ptr(
                   error("that array of " + name +
                         " has ended: it was destroyed, or all that it began with were, and many more arrays "
                         "since; make another, or begin with sparse() what is to be filled again"))));
}

void throw_no_such_singles(std::string_view chare_name, std::uint64_t number) {
  throw serial_error("a message for a chare of " + std::string(short_name(chare_name)) +
                     " names the single chares number " + std::to_string(number & ~singles_bit) +
                     ", which are of another class");
}

void throw_pinned(const chare_header& element) {
  throw error("migrate_to: " + element.home->element_name(element) +
              " belongs to a group, whose chares stay on their PEs: make an array of its class");
}

void throw_travelling(const char* what, const chare_header& element) {
  const std::string name = element.home->element_name(element);
  throw error(
      std::string(what) + ": " + name +
      " is on its way to another PE, which runs the default constructor of " +
      std::string(short_name(element.home->chare_name())) +
      " and serialize: neither may ask that it move or end, but its entries and its other constructors may");
}

void rethrow_travel_failure(const char* doing, const chare_header& element) {
  throw error(std::string(doing) + " of " + element.home->element_name(element) + ", which migrates, threw " +
              describe_current_exception() + " on PE " + std::to_string(processor::here().pe()));
}

void throw_wrong_pe(const char* what, int pe, int num_pes) {
  throw error(std::string(what) + ": there is no PE " + std::to_string(pe) + "; this run has PEs 0 to " +
              std::to_string(num_pes - 1));
}

void throw_wrong_placement(int pe, int num_pes) {
  throw error("the placement of an array gave PE " + std::to_string(pe) + "; this run has PEs 0 to " +
              std::to_string(num_pes - 1));
}

void throw_unconnected() {
  throw error("send on a channel that is not connected: call connect<&chare::port>(peer) first");
}

void rethrow_creation_failure(std::string_view chare_name, int pe) {
  throw error("the placement of the array of " + std::string(short_name(chare_name)) +
              ", or its creation on PE " + std::to_string(pe) + ", threw " + describe_current_exception());
}

void rethrow_construction_failure(const std::string& name, int pe) {
  throw error("the constructor of " + name + " on PE " + std::to_string(pe) + " threw " +
              describe_current_exception());
}

}  // namespace detail
}  // namespace imbrex
