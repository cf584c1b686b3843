// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/rank.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/rank/packet.hpp>
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

}  // namespace

/// The rank's current wait, as reports show it.
class rank::wait final : public suspension {
 public:
  explicit wait(rank& of) : of_(of) {}

  std::string description() const override {
    const auto& current = of_.call;
    std::string text = current.function != nullptr ? current.function : "its turn";
    const auto* const q = of_.awaits_;
    if (of_.probed_ != nullptr)
      text +=
          " of a message from " + text_of_source(of_.probed_->source) + ", " + text_of_tag(of_.probed_->tag);
    else if (q != nullptr && q->peer == request::is_receive)
      text += " from " + text_of_source(q->head.source) + ", " + text_of_tag(q->head.tag);
    else if (q != nullptr && q->peer >= 0)
      text += " to rank " + std::to_string(q->peer) + " of all, " + text_of_tag(q->head.tag);
    else if (q == nullptr && of_.awaited_ > 0)
      text += " of " + std::to_string(of_.awaited_) + (of_.awaited_ == 1 ? " request" : " requests");
    if (current.describe != nullptr) text += " in " + current.describe(current.communicator);
    return text;
  }
  awaited cause() const override {
    return {trace::wait_cause::mailbox, of_.awaits_ != nullptr ? of_.awaits_->head.tag : 0};
  }
  bool can_move() const override { return of_.moves_; }

 private:
  rank& of_;
};

class rank::early_end final : public suspension {
 public:
  explicit early_end(int rank) : rank_(rank) {}
  std::string description() const override {
    return "nothing: rank " + std::to_string(rank_) + " has ended (status 0) before it called MPI_Finalize";
  }
  awaited cause() const override { return {trace::wait_cause::other, 0}; }
  bool can_move() const override { return true; }

 private:
  int rank_;
};

const detail::work_type rank::ready_type{"rank", &run_ready, &no_destroy, nullptr, nullptr};
const detail::work_type rank::step_type{"collective", &run_step, &no_destroy, nullptr, nullptr};
const detail::work_type rank::alarm_type{"timer", &run_alarm, &no_destroy, nullptr, nullptr};

rank::rank(int number)
    : number_(number),
      program_(program::current()),
      wait_(std::make_unique<wait>(*this)),
      peers_(program_.ranks) {
  ready_.type = &ready_type;
  ready_.owner = this;
  alarm_.type = &alarm_type;
  alarm_.owner = this;
}

rank::~rank() = default;

void rank::throw_immobile() {
  throw imbrex::error("a rank of MPI moves between the PEs of its process alone, not to another process");
}

// ---- its stack

std::unique_ptr<fiber> rank::make_stack(fiber::function body) {
  try {
    return std::make_unique<fiber>(program_.stack, body, this, program_.code, boost_switch);
  } catch (const imbrex::error& e) {
    throw imbrex::error("rank " + std::to_string(number()) + ": " + e.what() +
                        "; --rank-stack sets the size for all ranks");
  }
}

void rank::make_code() {
  fiber_ = make_stack(&rank::body);
  running_ = fiber_.get();
  code_ = program_.make_code(number());
  devices_.begin();
  if (program_.make_state) {
    state_ = program_.make_state(*this);
    objects_ = &state_->objects();
  }
}

void rank::body(void* self) {
  auto& its = *static_cast<rank*>(self);
  try {
    its.status_ = its.code_->run();
  } catch (...) {
    its.error_ = std::current_exception();
  }
}

bool rank::start(scope& entry, const waiter& awaiter) {
  entry_ = &entry;
  awaiter_ = awaiter;
  run_code();
  return fiber_->has_ended();
}

void rank::leave_entry() noexcept {
  fiber_.reset();
  callback_stack_.reset();
  wait_.reset();  // may still be registered with the entry
}

void rank::leave_in_child() {
  note_child_process();
  current_ = nullptr;
  set_objects(nullptr);
}

void rank::note_early_end() { imbrex::send<&rank_chare::tell_early_end>(chare_of(*this).self()); }

bool rank::start_early_end(scope& entry) {
  early_end_ = std::make_unique<early_end>(number());
  early_end_->begin(entry);
  return false;
}

void rank::leave_early_end() noexcept { early_end_.reset(); }

void rank::run_code() {
  begin_code();
  fiber_->enter();
  end_code();
}

void rank::begin_code() {
  current_ = this;
  set_objects(objects_);
  must_attend_ = code_->enter();
}

void rank::end_code() {
  code_->leave();
  set_objects(nullptr);
  current_ = nullptr;
}

void rank::go_on() {
  run_code();
  if (fiber_->has_ended()) return awaiter_.resume();  // destroys the entry
  extension::retry_departure(*entry_);
}

// ---- its second stack

void rank::callback_body(void* self) {
  auto& its = *static_cast<rank*>(self);
  for (;;) {
    try {
      its.callback_.function(its.callback_.object);
    } catch (...) {
      its.callback_.error = std::current_exception();
    }
    its.callback_.is_over = true;
    its.callback_stack_->leave();
  }
}

[[gnu::noinline]] void rank::run_callback(callback what) {
  if (!callback_stack_) callback_stack_ = make_stack(&rank::callback_body);
  callback_ = std::move(what);
  begin_code();
  running_ = callback_stack_.get();
  callback_stack_->enter();
  running_ = fiber_.get();
  end_code();
  if (callback_.is_over && !callback_.error) return;
  const std::string who = "rank " + std::to_string(number()) + ", a function that MPI has called";
  if (callback_.is_over) current_pe().run().fail(who + ": " + extension::describe(callback_.error));
  throw imbrex::error(who + ", has ended the run");
}

void rank::refuse_in_callback(const std::string& what) {
  current_pe().run().fail("rank " + std::to_string(number()) + " " + what +
                          " in a function that MPI has called for a collective under way; such a "
                          "function computes, and calls no function of MPI that waits");
  stop();
}

[[gnu::noinline]] void rank::block() {
  if (running_ != fiber_.get()) [[unlikely]]
    refuse_in_callback("waits for " + wait_->description());
  wait_->begin(*entry_);
  fiber_->leave();
  wait_->end();
  if (must_attend_) [[unlikely]]
    code_->attend();
}

void rank::end(int status) {
  if (running_ != fiber_.get()) refuse_in_callback("has ended with the status " + std::to_string(status));
  status_ = status;
  fiber_->end();
}

void rank::stop() {
  call = {"the end of the run", nullptr, nullptr};
  while (running_ != fiber_.get()) running_->leave();
  for (;;) block();
}

[[gnu::noinline]] void rank::wake() {
  if (delivering_) {
    wakes_ = true;
    return;
  }
  current_pe().push(ready_);
}

void rank::run_ready(detail::work& item) { static_cast<ready_item&>(item).owner->go_on(); }
void rank::run_alarm(detail::work& item) { static_cast<alarm_item&>(item).owner->go_on(); }

template <class F>
void rank::deliver(F what) {
  delivering_ = true;
  what();
  delivering_ = false;
  if (std::exchange(wakes_, false)) go_on();
}

[[gnu::noinline]] void rank::queue(step& what) {
  if (std::exchange(what.is_queued, true)) return;
  what.type = &step_type;
  what.owner = this;
  current_pe().push(what);
}

void rank::run_step(detail::work& item) {
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
  pe.queues_plainly() ? pe.push(ready_) : send_turn();
  block();
}

[[gnu::noinline]] bool rank::sleep_for(nanoseconds time) {
  if (running_ != fiber_.get()) return false;
  const call_frame frame(*this, {"the end of a sleep"});
  if (time <= nanoseconds(0)) {
    give_way();
    return true;
  }
  const current_pe pe;
  const nanoseconds now = pe.now();
  alarm_.deadline = now + std::min(time, nanoseconds::max() - now);
  pe.add_timer(alarm_);
  block();
  return true;
}

[[gnu::noinline]] void rank::move_to(int to) {
  chare_of(*this).migrate_to(to);
  send_turn();
  moves_ = true;
  block();
  moves_ = false;
}

// ---- sends

[[gnu::noinline]] void rank::send(request& q, int to, send_mode mode) {
  q.peer = to;
  if (q.on != nullptr) [[unlikely]]
    return send_from_device(q, to);
  const std::uint32_t sequence = peers_[static_cast<std::uint32_t>(to)].sent++;
  const current_pe pe;
  const auto ranks = ranks_beside(*this);
  const auto key = static_cast<std::uint64_t>(to);
  if (pe.queues_plainly()) [[likely]] {
    if (auto* const there = ranks.find(key)) return send_here(*there, q, sequence, mode);
  }
  const int place = ranks.place_of(key);
  // Simulated time needs a message: its duration depends on the size of its data.
  const bool is_message = pe.run().settings().machine == machine_kind::simulated && place != pe.number();
  const bool same_process = pe.run().holds(place) && !is_message;
  const std::size_t most = same_process ? program_.eager_between_pes : program_.eager_between_processes;
  const bool is_eager = mode == send_mode::standard && q.size <= most;
  packet& p = make_packet(q, sequence, is_eager, same_process);
  p.collection = ranks.collection();
  p.key = key;
  pe.send(p, place);
  if (is_eager) complete(q);
}

/// Bytes of unexpected messages above which a sender yields to the receiver.
constexpr std::size_t most_held = std::size_t{1} << 20U;

[[gnu::noinline]] bool rank::send_at_once(const envelope& head, const std::byte* data, std::uint64_t bytes,
                                          int to) {
  const current_pe pe;
  if (!pe.queues_plainly()) return false;
  const auto ranks = ranks_beside(*this);
  const auto key = static_cast<std::uint64_t>(to);
  peer& own = peers_[static_cast<std::uint32_t>(to)];
  if (auto* const there = ranks.find(key)) {
    rank& its = *there;
    peer& from = its.peers_[static_cast<std::uint32_t>(number())];
    if (from.expected != own.sent) return false;
    // Counts the packet before any notification: a notified rank may send more.
    if (request* const receive = its.matcher_.take_receive(head)) {
      const std::uint32_t sequence = own.sent++;
      ++from.expected;
      if (receive->on != nullptr) [[unlikely]] {
        its.give(*receive, make_eager(head, data, bytes, sequence));
      } else {
        its.fill(*receive, head, data, bytes);
        its.complete(*receive);
      }
    } else {
      if (bytes > program_.eager_between_processes) return false;
      packet& p = make_eager(head, data, bytes, own.sent++);
      ++from.expected;
      its.keep(p);
    }
    if (from.has_early()) its.accept_early(from);
    if (its.matcher_.bytes_held() > most_held) give_way();
    return true;
  }
  const int place = ranks.place_of(key);
  if (bytes > (pe.run().holds(place) ? program_.eager_between_pes : program_.eager_between_processes))
    return false;
  packet& p = make_eager(head, data, bytes, own.sent++);
  p.collection = ranks.collection();
  p.key = key;
  pe.send(p, place);
  return true;
}

packet& rank::make_eager(const envelope& head, const std::byte* data, std::uint64_t bytes,
                         std::uint32_t sequence) {
  packet& p = packet::make(static_cast<std::size_t>(bytes));
  p.head = head;
  p.from = static_cast<std::uint32_t>(number());
  p.sequence = sequence;
  p.size = bytes;
  if (bytes > 0) std::memcpy(p.data(), data, bytes);
  return p;
}

packet& rank::make_packet(request& q, std::uint32_t sequence, bool is_eager, bool same_process) {
  if (is_eager) return make_eager(q.head, q.buffer, q.size, sequence);
  packet& p = make_eager(q.head, nullptr, 0, sequence);
  p.size = q.size;
  p.form = packet_form::offered;
  p.process = static_cast<std::uint32_t>(current_pe().run().process());
  p.address = same_process ? reinterpret_cast<std::uint64_t>(q.buffer) : 0;
  p.offer = q.number = offers_.add(q);
  return p;
}

/// The receiver is on this PE: a posted receive is filled from the sender's memory.
void rank::send_here(rank& to, request& q, std::uint32_t sequence, send_mode mode) {
  peer& from = to.peers_[static_cast<std::uint32_t>(number())];
  const bool is_expected = from.expected == sequence;
  if (is_expected) [[likely]] {
    if (request* const receive = to.matcher_.take_receive(q.head)) {
      ++from.expected;
      if (receive->on != nullptr) [[unlikely]] {
        to.give(*receive, make_packet(q, sequence, false, true));
      } else {
        to.fill(*receive, q.head, q.buffer, q.size);
        to.complete(*receive);
        complete(q);
      }
      return to.accept_early(from);
    }
  }
  const bool is_eager = mode == send_mode::standard && q.size <= program_.eager_between_processes;
  packet& p = make_packet(q, sequence, is_eager, true);
  if (is_eager) complete(q);
  if (!is_expected) return from.keep_early(p);
  ++from.expected;
  to.keep(p);
  to.accept_early(from);
}

void rank::complete(request& q) {
  q.is_done = true;
  if (std::exchange(q.is_awaited, false) && --awaited_ == 0) wake();
  if (q.finished != nullptr) q.finished(q);
}

// ---- what ranks of a process do without packets

bool rank::shares_memory() const {
  const current_pe pe;
  return pe.queues_plainly() && pe.run().is_on_threads() && !pe.run().delays_messages();
}

int rank::first_pe_of(int number) const {
  return ranks_beside(*this).home_of(static_cast<std::uint64_t>(number));
}

bool rank::is_in_process(int number) const { return current_pe().run().holds(first_pe_of(number)); }

bool rank::is_here(int number) const {
  return ranks_beside(*this).find(static_cast<std::uint64_t>(number)) != nullptr;
}

void rank::complete_at(int number, request& q) {
  if (auto* const there = ranks_beside(*this).find(static_cast<std::uint64_t>(number)))
    return there->complete(q);
  call_at(
      number,
      [](rank& there, void* object, std::uint64_t) { there.complete(*static_cast<request*>(object)); }, &q,
      0);
}

void rank::call_at(int number, void (*function)(rank&, void*, std::uint64_t), void* object,
                   std::uint64_t what) {
  auto& m = extension::make_message<local_call>();
  m.collection = ranks_beside(*this).collection();
  m.key = static_cast<std::uint64_t>(number);
  m.function = function;
  m.object = object;
  m.what = what;
  extension::send_to_element<rank_chare>(m);
}

// ---- receives

[[gnu::noinline]] void rank::receive(request& q) {
  q.peer = request::is_receive;
  if (packet* const p = matcher_.find(q.head)) {
    matcher_.remove(*p);
    return give(q, *p);
  }
  matcher_.post(q);
}

void rank::receive(request& q, packet& found) {
  q.peer = request::is_receive;
  give(q, found);
}

void rank::note_outcome(request& receive, const envelope& head, std::uint64_t size) {
  receive.source = head.source;
  receive.tag = head.tag;
  receive.is_too_long = size > receive.size;
  receive.received = std::min(size, receive.size);
}

void rank::fill(request& receive, const envelope& head, const std::byte* data, std::uint64_t size) {
  note_outcome(receive, head, size);
  if (receive.received > 0) std::memmove(receive.buffer, data, receive.received);
}

/// Passes a packet to a receive, and consumes it.
void rank::give(request& receive, packet& p) {
  if (receive.on != nullptr || p.form == packet_form::shared) [[unlikely]]
    return give_by_device(receive, p);
  if (p.form == packet_form::eager) {
    fill(receive, p.head, p.data(), p.size);
    packet::release(p);
    return complete(receive);
  }
  const current_pe pe;
  if (p.address != 0 && p.process == static_cast<std::uint32_t>(pe.run().process())) {
    if (devices_.find(reinterpret_cast<const void*>(p.address)) != nullptr) [[unlikely]]
      return give_by_device(receive, p);
    fill(receive, p.head, reinterpret_cast<const std::byte*>(p.address), p.size);
    answer_offer(p.from, p.offer, offer_outcome::taken);
    packet::release(p);
    return complete(receive);
  }
  ask_for_data(receive, p);
}

void rank::ask_for_data(request& receive, packet& p) {
  note_outcome(receive, p.head, p.size);
  receive.number = receives_.add(receive);
  auto& m = extension::make_message<pull>();
  m.collection = ranks_beside(*this).collection();
  m.key = p.from;
  m.offer = p.offer;
  m.payload = receive.received;
  m.to = static_cast<std::uint32_t>(number());
  m.receive = receive.number;
  packet::release(p);
  extension::send_to_element<rank_chare>(m);
}

void rank::answer_offer(std::uint32_t to, std::uint64_t offer, offer_outcome outcome) {
  const current_pe pe;
  offer_answer answer;
  answer.offer = offer;
  answer.outcome = outcome;
  if (pe.queues_plainly()) {
    if (auto* const there = ranks_beside(*this).find(to)) return there->note_answer(answer);
  }
  auto& m = extension::make_message<offer_answer>();
  m.collection = ranks_beside(*this).collection();
  m.key = to;
  m.offer = offer;
  m.outcome = outcome;
  extension::send_to_element<rank_chare>(m);
}

void rank::keep(packet& p) {
  matcher_.keep(p);
  if (probed_ != nullptr && fits(*probed_, p.head)) {
    probed_ = nullptr;
    found_ = &p;
    wake();
  }
}

bool rank::fits(const envelope& receive, const envelope& message) {
  return receive.context == message.context &&
         (receive.source == any_source || receive.source == message.source) &&
         (receive.tag == any_tag || receive.tag == message.tag);
}

void rank::accept(packet& p) {
  if (p.form == packet_form::access) return accesses.deliver(p);
  if (p.form == packet_form::withdrawal) {
    packet* payload = matcher_.find_offer(p.from, p.offer);
    if (payload == found_) payload = nullptr;  // a probe is about to return it
    answer_offer(p.from, p.offer, payload != nullptr ? offer_outcome::withdrawn : offer_outcome::matched);
    if (payload != nullptr) {
      matcher_.remove(*payload);
      packet::release(*payload);
    }
    return packet::release(p);
  }
  if (request* const receive = matcher_.take_receive(p.head)) return give(*receive, p);
  keep(p);
}

void rank::accept_early(peer& from) {
  while (packet* const next = from.take_expected()) accept(*next);
}

void rank::take_packet(packet& p) {
  deliver([this, &p] { take_in_order(p); });
}

void rank::take_in_order(packet& p) {
  peer& from = peers_[p.from];
  if (from.expected != p.sequence) return from.keep_early(p);
  ++from.expected;
  accept(p);
  accept_early(from);
}

void rank::serve_pull(const pull& p) {
  deliver([this, &p] {
    request* const q = offers_.find(p.offer);
    if (q == nullptr || p.payload > q->size || p.to >= static_cast<std::uint32_t>(ranks()))
      throw imbrex::error("rank " + std::to_string(p.to) + " asks rank " + std::to_string(number()) +
                          " for data that it has not offered");
    auto& m = extension::make_message<long_data>();
    m.collection = ranks_beside(*this).collection();
    m.key = p.to;
    m.receive = p.receive;
    m.from = static_cast<std::uint32_t>(number());
    m.offer = p.offer;
    m.bytes = offered_by(*q);
    m.size = p.payload;
    extension::send_to_element<rank_chare>(m);
  });
}

std::byte* rank::place_for(std::uint64_t receive, std::uint64_t bytes) const {
  const request* const q = receives_.find(receive);
  if (q == nullptr || bytes != q->received) return nullptr;
  return q->on == nullptr ? q->buffer : static_cast<std::byte*>(coming_.at(receive).address());
}

void rank::take_data(long_data& d) {
  deliver([this, &d] {
    request* const q = receives_.find(d.receive);
    if (q == nullptr || d.size != q->received)
      throw imbrex::error("rank " + std::to_string(d.from) + " sends rank " + std::to_string(number()) +
                          " data that it has not requested");
    receives_.remove(d.receive);
    if (q->on != nullptr) [[unlikely]]
      return land_on_device(*q, d);
    if (!d.has_landed && d.size > 0) std::memcpy(q->buffer, d.bytes, d.size);
    answer_offer(d.from, d.offer, offer_outcome::taken);
    complete(*q);
  });
}

void rank::take_answer(const offer_answer& a) {
  deliver([this, &a] { note_answer(a); });
}

void rank::note_answer(const offer_answer& a) {
  request* const q = offers_.find(a.offer);
  if (q == nullptr || a.outcome == offer_outcome::matched) return;
  offers_.remove(a.offer);
  if (q->on != nullptr) leaving_.erase(a.offer);
  q->is_cancelled = a.outcome == offer_outcome::withdrawn;
  complete(*q);
}

void rank::take_call(const local_call& c) {
  deliver([this, &c] { c.function(*this, c.object, c.what); });
}

void rank::take_turn() {
  deliver([this] { wake(); });
}

void rank::cancel(request& q) {
  if (q.is_done) return;
  if (q.peer == request::is_receive) {
    if (!matcher_.withdraw(q)) return;
    q.is_cancelled = true;
    return complete(q);
  }
  packet& p = packet::make(0);
  p.form = packet_form::withdrawal;
  p.head = q.head;
  p.offer = q.number;
  send(p, q.peer);
}

void rank::send(packet& p, int to) {
  p.from = static_cast<std::uint32_t>(number());
  p.sequence = peers_[static_cast<std::uint32_t>(to)].sent++;
  const current_pe pe;
  p.collection = ranks_beside(*this).collection();
  p.key = static_cast<std::uint64_t>(to);
  if (pe.queues_plainly()) {
    if (auto* const there = ranks_beside(*this).find(p.key)) return there->take_in_order(p);
  }
  extension::send_to_element<rank_chare>(p);
}

// ---- waits

[[gnu::noinline]] void rank::await(request& q) {
  if (q.is_done) return;
  q.is_awaited = true;
  awaited_ = 1;
  awaits_ = &q;
  block();
  awaits_ = nullptr;
}

[[gnu::noinline]] void rank::await_all(std::span<request* const> some) {
  for (request* const q : some) {
    if (q == nullptr || q->is_done) continue;
    q->is_awaited = true;
    ++awaited_;
  }
  if (awaited_ > 0) block();
}

[[gnu::noinline]] void rank::await_any(std::span<request* const> some) {
  for (const request* const q : some)
    if (q != nullptr && q->is_done) return;
  for (request* const q : some)
    if (q != nullptr) q->is_awaited = true;
  awaited_ = 1;
  block();
  for (request* const q : some)
    if (q != nullptr) q->is_awaited = false;
  awaited_ = 0;
}

[[gnu::noinline]] packet& rank::await_message(const envelope& of_receive) {
  if (packet* const there = matcher_.find(of_receive)) return *there;
  probed_ = &of_receive;
  block();
  return *std::exchange(found_, nullptr);
}

}  // namespace imbrex::mpi
