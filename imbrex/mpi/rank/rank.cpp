// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/rank.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/rank/await.hpp>
#include <imbrex/mpi/rank/packet.hpp>
#include <imbrex/mpi/rank/rank_ends.hpp>
#include <imbrex/mpi/rank/rank_objects.hpp>

namespace imbrex::mpi {

using extension::current_pe;

namespace {

std::string text_of_source(std::int32_t source) {
  return source == any_source ? "any rank" : "rank " + std::to_string(source);
}
std::string text_of_tag(std::int32_t tag) {
  return tag == any_tag ? "any tag" : "tag " + std::to_string(tag);
}

void no_destroy(detail::work& /*item*/) noexcept {}

void tell_end(const program& of, int status) {
  if (of.is_migratable) rank_ends::tell(status);
}

}  // namespace

/// The rank's current wait, as reports show it.
class rank::wait final : public suspension {
 public:
  explicit wait(rank& of) : of_(of) {}

  std::string description() const override {
    const auto& current = of_.call;
    std::string text = current.function != nullptr ? current.function : "its turn";
    const auto* const q = of_.waits_.only;
    const auto* const probed = of_.messages.probed();
    if (probed != nullptr)
      text += " of a message from " + text_of_source(probed->source) + ", " + text_of_tag(probed->tag);
    else if (q != nullptr && q->peer == request::is_receive)
      text += " from " + text_of_source(q->head.source) + ", " + text_of_tag(q->head.tag);
    else if (q != nullptr && q->peer >= 0)
      text += " to rank " + std::to_string(q->peer) + " of all, " + text_of_tag(q->head.tag);
    else if (q == nullptr && of_.waits_.count > 0)
      text += " of " + std::to_string(of_.waits_.count) + (of_.waits_.count == 1 ? " request" : " requests");
    if (current.describe != nullptr) text += " in " + current.describe(current.communicator);
    return text;
  }
  awaited cause() const override {
    return {trace::wait_cause::mailbox, of_.waits_.only != nullptr ? of_.waits_.only->head.tag : 0};
  }
  bool can_move() const override { return of_.waits_.moves; }

 private:
  rank& of_;
};

const detail::work_type rank::ready_item::type_of_item{"rank", &run, &no_destroy, nullptr, nullptr};
const detail::work_type rank::alarm_item::type_of_item{"timer", &run, &no_destroy, nullptr, nullptr};
const detail::work_type rank::step::type_of_steps{"collective", &run, &no_destroy, nullptr, nullptr};

rank::rank(int number)
    : messages(*this, number, program::current()),
      number_(number),
      program_(program::current()),
      callbacks_(program_, number),
      wait_(std::make_unique<wait>(*this)) {
  items_.ready.type = &ready_item::type_of_item;
  items_.ready.owner = this;
  items_.alarm.type = &alarm_item::type_of_item;
  items_.alarm.owner = this;
}

// Threads that still work for the state use the rank's memory: they end before its stack does.
rank::~rank() { state_.reset(); }

// ---- its stack

void rank::make_code() {
  if (code_) return;
  code_ = program_.make_code(number());
  fiber_ = make_stack(program_, number(), &rank::body, this, code_->place_of_stack());
  devices.begin();
  if (program_.make_state) {
    state_ = program_.make_state(*this);
    objects_ = &state_->objects();
  }
}

void rank::body(void* self) {
  int status = 0;
  std::exception_ptr error;
  try {
    status = static_cast<rank*>(self)->code_->run();
  } catch (...) {
    error = std::current_exception();
  }
  journey::end_code(status, std::move(error));
}

bool rank::start(scope& entry, const waiter& awaiter) {
  entry_.of = &entry;
  entry_.awaiter = awaiter;
  run_code();
  if (fiber_->has_ended()) tell_end(program_, entry_.status);
  return fiber_->has_ended() || way.is_begun();
}

void rank::leave_entry() noexcept {
  if (way.is_begun()) return;
  awaited_.reset();  // may refer to the stack
  fiber_.reset();
  callbacks_.release();
  wait_.reset();  // may still be registered with the entry
}

void rank::leave_in_child() {
  note_child_process();
  current_ = nullptr;
  set_objects(nullptr);
}

void rank::note_early_end() { imbrex::send<&rank_chare::tell_early_end>(chare_of(*this).self()); }

void rank::run_code() {
  begin_code();
  fiber_->enter();
  end_code();
}

void rank::begin_code() {
  current_ = this;
  set_objects(objects_);
  waits_.must_attend = code_->enter();
}

void rank::end_code() {
  code_->leave();
  set_objects(nullptr);
  current_ = nullptr;
}

void rank::go_on() {
  run_code();
  if (fiber_->has_ended()) tell_end(program_, entry_.status);
  if (fiber_->has_ended() || way.is_begun()) return entry_.awaiter.resume();  // destroys the entry
  extension::retry_departure(*entry_.of);
}

// ---- callbacks of the program

[[gnu::noinline]] void rank::run_callback(void (*function)(void* object), void* object) {
  callbacks_.prepare();
  begin_code();
  const bool is_over = callbacks_.run(function, object);
  end_code();
  if (!is_over) callbacks_.throw_failure();
}

void rank::refuse_in_callback(const std::string& what) {
  callbacks_.refuse(what);
  stop();
}

/// Apart from `block`: a rank may continue on another thread, and its caller may hold addresses of the
/// earlier thread's variables in registers.
[[gnu::noinline]] static void end_wait(suspension& of) { of.end(); }

[[gnu::noinline]] void rank::block() {
  if (callbacks_.is_running()) [[unlikely]]
    refuse_in_callback("waits for " + wait_->description());
  wait_->begin(*entry_.of);
  fiber_->leave();
  end_wait(*wait_);
  if (waits_.must_attend) [[unlikely]]
    code_->attend();
}

void rank::end(int status) {
  if (callbacks_.is_running()) refuse_in_callback("has ended with the status " + std::to_string(status));
  entry_.status = status;
  fiber_->end();
}

void rank::stop() {
  call = {"the end of the run", nullptr, nullptr};
  while (callbacks_.is_running()) callbacks_.abandon();
  for (;;) block();
}

[[gnu::noinline]] void rank::wake() {
  if (delivery_ != delivery::none) {
    delivery_ = delivery::has_woken;
    return;
  }
  current_pe().push(items_.ready);
}

void rank::ready_item::run(detail::work& item) { static_cast<ready_item&>(item).owner->go_on(); }
void rank::alarm_item::run(detail::work& item) { static_cast<alarm_item&>(item).owner->go_on(); }

[[gnu::noinline]] void rank::queue(step& what) {
  if (std::exchange(what.is_queued, true)) return;
  what.type = &step::type_of_steps;
  what.owner = this;
  current_pe().push(what);
}

void rank::step::run(detail::work& item) {
  auto& what = static_cast<step&>(item);
  what.is_queued = false;
  what.owner->deliver([&what] { what.advance(what); });
}

void rank::send_turn() {
  auto& m = extension::make_message<turn>();
  m.collection = ranks_beside(*this).collection();
  m.key = static_cast<std::uint64_t>(number());
  extension::send_to_element<rank_chare>(m);
}

/// Yields by a message to itself where messages to the own PE travel, since others arrive only among these.
[[gnu::noinline]] void rank::give_way() {
  const current_pe pe;
  pe.queues_plainly() ? pe.push(items_.ready) : send_turn();
  block();
}

[[gnu::noinline]] bool rank::sleep_for(nanoseconds time) {
  if (callbacks_.is_running()) return false;
  const call_frame frame(*this, {"the end of a sleep"});
  if (time <= nanoseconds(0)) {
    give_way();
    return true;
  }
  const current_pe pe;
  const nanoseconds now = pe.now();
  items_.alarm.deadline = now + std::min(time, nanoseconds::max() - now);
  pe.add_timer(items_.alarm);
  block();
  return true;
}

[[gnu::noinline]] void rank::move_to(int to) {
  chare_of(*this).migrate_to(to);
  send_turn();
  waits_.moves = true;
  block();
  waits_.moves = false;
}

// ---- waits

[[gnu::noinline]] void rank::await(request& q) {
  if (q.is_done) return;
  q.is_awaited = true;
  waits_.count = 1;
  waits_.only = &q;
  block();
  waits_.only = nullptr;
}

[[gnu::noinline]] void rank::await_all(std::span<request* const> some) {
  for (request* const q : some) {
    if (q == nullptr || q->is_done) continue;
    q->is_awaited = true;
    ++waits_.count;
  }
  if (waits_.count > 0) block();
}

[[gnu::noinline]] void rank::await_any(std::span<request* const> some) {
  for (const request* const q : some)
    if (q != nullptr && q->is_done) return;
  for (request* const q : some)
    if (q != nullptr) q->is_awaited = true;
  waits_.count = 1;
  block();
  for (request* const q : some)
    if (q != nullptr) q->is_awaited = false;
  waits_.count = 0;
}

[[gnu::noinline]] packet& rank::await_message(const envelope& of_receive) {
  if (packet* const there = messages.find(of_receive)) return *there;
  messages.probe(of_receive);
  block();
  return messages.take_probed();
}

}  // namespace imbrex::mpi
