// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/processor.hpp>

#include <map>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/pe/run_marks.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::detail {

namespace {

/// The frozen parts of a PE, by number.
struct frozen_parts : std::map<std::uint64_t, owner<collection_part>> {};

}  // namespace

processor::processor(run_services& run, int pe, const clock& time, std::optional<std::uint64_t> shuffle,
                     pool* shared)
    : scheduler(pe, time, shuffle, shared), run_(run) {}

processor::~processor() = default;

void processor::throw_no_pe() {
  throw error(
      "no PE runs on this thread: make chares and send messages in the main task and in entries of a run, or "
      "in Python beside a session that imbrex.start has begun. Other threads post functions to an executor, "
      "which a main task or entry makes (in Python by imbrex.executor())");
}

void processor::note_sent(message& m, int to) {
  const departing_message what(m, to);
  observers()->tell([&](observer& o) { o.sent(what); });
}

std::uint64_t processor::new_collection() { return run_.new_collection(); }

void processor::dispatch_otherwise(message& m, int to) {
  announce(m, to);
  if (to == pe() && direct_) return push(m);
  carry(m, to);
}

processor::slot& processor::slot_to_change(std::uint64_t id) {
  recent_ = {};
  auto& of_kind = (id & singles_bit) != 0 ? singles_ : arrays_;
  const std::size_t place = place_of_collection(id);
  if (place >= of_kind.size()) of_kind.resize(place + 1);
  return of_kind[place];
}

collection_part* processor::collection_of(std::uint64_t id, std::string_view chare_name) {
  auto* const part = collection(id);
  if (part == nullptr || !part->is_of(chare_name)) return nullptr;
  recent_ = {id, chare_name.data(), part};
  return part;
}

std::vector<message*> processor::take_held(std::uint64_t id) {
  std::vector<message*> taken;
  std::erase_if(held_, [&](message* m) {
    if (m->collection == id) taken.push_back(m);
    return m->collection == id;
  });
  return taken;
}

void processor::install(owner<collection_part> part) {
  const std::uint64_t id = part->id();
  if (observers() != nullptr) observers()->tell([&](observer& o) { o.created(*part); });
  auto& its = slot_to_change(id);
  if (its.id != 0) remove(its.id);  // the removal of the earlier collection arrives later
  run_marks::note_place(place_of_collection(id));
  its.id = id;
  its.part = std::move(part);
  for (auto* m : take_held(id)) {
    announce(*m, pe());
    push(*m);
  }
}

void processor::freeze(std::uint64_t id) { local<frozen_parts>()[id] = std::move(slot_to_change(id).part); }

collection_part* processor::frozen(std::uint64_t id) const {
  const auto* const parts = locals_.find<frozen_parts>();
  if (parts == nullptr) return nullptr;
  const auto at = parts->find(id);
  return at == parts->end() ? nullptr : at->second.get();
}

void processor::thaw(std::uint64_t id) {
  auto its = local<frozen_parts>().extract(id);
  if (!its) return;  // the collection's end arrived first
  slot_to_change(id).part = std::move(its.mapped());
  for (auto* m : take_held(id)) {
    announce(*m, pe());
    push(*m);
  }
}

void processor::remove(std::uint64_t id) {
  // Otherwise another array already has the place.
  if (collection(id) == nullptr && frozen(id) == nullptr) return;
  auto& its = slot_to_change(id);
  its.next_generation = generation_of_collection(id) + 1;
  const auto was_frozen = local<frozen_parts>().extract(id);
  const auto part = was_frozen ? std::move(was_frozen.mapped()) : std::move(its.part);
  its.id = 0;
  locals_.forget(id);
  for (auto* m : take_held(id)) {  // these messages are refused, or no longer matter
    announce(*m, pe());
    push(*m);
  }
  if (part->creator() == pe()) run_.give_back(id);
}

namespace {

/// A reply with an exception.
struct failure_message : message {
  std::string who;
  carried_exception why;

  static inline message_type type_record =
      runtime_message_type<failure_message>({.what = "reply of an exception", .answers = true});
  void serialize(auto& ar) { ar(who, why); }
  void deliver() {
    const message_guard guard(*this);
    auto& pe = processor::here();
    if (auto* target = pe.replies().find(reply)) return target->fail(reply.ordinal, std::move(why));
    fail_run(pe, who + ": " + why.description(who) + " (the result of this call is not awaited)");
  }
};

}  // namespace

void send_failure(std::uint32_t caller, const reply_address& reply, const std::string& who,
                  carried_exception why) {
  auto& m = make_message<failure_message>();
  m.who = who;
  m.why = std::move(why);
  m.reply = reply;
  processor::here().dispatch(m, static_cast<int>(caller));
}

carried_exception array_has_ended() {
  return carried_exception(std::make_exception_ptr(error("the array has been destroyed")));
}

void fail_run(processor& pe, std::string_view text) { pe.run().fail(text); }

void throw_of_another_run(const char* what, std::uint64_t pe) {
  throw error("a " + std::string(what) + " was used that PE " + std::to_string(pe) +
              " has not made in this run: a " + what + " does not outlive its run");
}

void processor::hold(message& m) {
  message_guard guard(m);
  if (has_ended(m.collection)) {  // a message of the runtime about an array that has ended
    if (m.reply) send_failure(m.origin, m.reply, "a request", array_has_ended());
    return;
  }
  check_run(m.collection, m.shown_kind().chare_name, m.shown_kind().entry_name);
  held_.push_back(&m);
  guard.release();
}

void processor::check_run(std::uint64_t number, std::string_view chare_name,
                          std::string_view entry_name) const {
  if (in_proxy(number) == nothing_created) throw_names_nothing(chare_name, entry_name);
  if (run_marks::is_of_another(place_of_collection(in_proxy(number)), mark_))
    throw_proxy_of_another_run(chare_name, entry_name);
}

namespace {

std::string description_of_use(std::string_view chare_name, std::string_view entry_name) {
  std::string whose;
  if (!entry_name.empty()) whose += " for the entry " + std::string(short_name(entry_name));
  if (!chare_name.empty()) whose += " of " + std::string(short_name(chare_name));
  return whose;
}

}  // namespace

void throw_proxy_of_another_run(std::string_view chare_name, std::string_view entry_name) {
  throw error("a proxy was used" + description_of_use(chare_name, entry_name) +
              " that belongs to an earlier run of this process, or to a concurrent one: proxies are valid "
              "only within their run");
}

void throw_names_nothing(std::string_view chare_name, std::string_view entry_name) {
  throw error("a default-constructed proxy was used" + description_of_use(chare_name, entry_name) +
              ": it names nothing until it is assigned what make_array, make_group, make_chare, self() or "
              "peers() returns");
}

void processor::clear() noexcept {
  if (auto* const parts = locals_.find<frozen_parts>())
    for (auto& [id, part] : *parts) slot_to_change(id).part = std::move(part);
  for (auto* of_kind : {&arrays_, &singles_})
    for (auto& c : *of_kind)
      if (c.part) c.part->clear();
  replies_.abandon_all();
  for (auto* m : std::exchange(held_, {})) m->type->destroy(*m);
  locals_.clear();
  discard_work();
}

void processor::clear_parts() noexcept {
  replies_.abandon_all();  // replies that destructors have requested
  recent_ = {};
  for (auto* of_kind : {&arrays_, &singles_})
    const part_table ending = std::exchange(*of_kind, {});  // empties the table first, so that destructors
                                                            // find no parts
}

}  // namespace imbrex::detail
