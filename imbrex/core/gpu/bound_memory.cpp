// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/bound_memory.hpp>

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/gpu/device_transfers.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/gpu/message_in_pieces.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::detail {
namespace {

std::size_t place(std::int64_t number, std::int64_t first, std::size_t places) {
  return static_cast<std::size_t>(number - first) % places;
}

device_span<const std::byte> bytes_of(const bound_array& a, std::size_t size) {
  return {static_cast<const std::byte*>(a.address), a.count * size, a.device};
}
device_span<std::byte> bytes_of(const bound_memory::slot& s, std::size_t size) {
  return {static_cast<std::byte*>(s.address), s.count * size, s.device};
}

/// The addresses in this process of memory that another process has offered; none if it cannot be reached.
std::vector<void*> addresses_of(const bound_offer& to, device_backend& here) {
  std::vector<void*> found;
  if (to.hold == nullptr || !may_share_memory(processor::here(), static_cast<int>(to.pe))) return found;
  for (const memory_key& key : to.keys) {
    void* const there = here.reach(key);
    if (there == nullptr) return {};
    found.push_back(there);
  }
  return found;
}

[[noreturn]] void throw_unbound() {
  throw error(
      "an unbound persistent channel is used; co_await its bind() at both ends, and again where a chare has "
      "moved");
}

}  // namespace

bound_memory::bound_memory(device& of, const std::vector<bound_array>& arrays)
    : on(of), pe(processor::here().pe()) {
  if (arrays.empty())
    throw error("a persistent channel is bound without memory to receive to; give one array or more");
  memory_pool& pool = on.memory(memory_kind::device);
  for (const bound_array& a : arrays) {
    if (a.device != on.info().id)
      throw error("a persistent channel is bound to memory that is on " +
                  (a.device == nullptr ? std::string("no device") : info_of(a.device).label()) +
                  "; give memory of gpu(), which is " + on.info().label());
    slots.push_back({.address = const_cast<void*>(a.address), .device = a.device, .count = a.count});
  }
  constexpr std::size_t most_side_by_side = 16;  // as for other transfers
  for (std::size_t i = 0; i < std::min(slots.size(), most_side_by_side); ++i)
    arrivals.emplace_back(of, stream_priority::high, "a persistent channel");
  for (slot& s : slots) s.held = pool.hold(s.address);
}

bound_memory::~bound_memory() {
  if (on.ended()) return;
  for (slot& s : slots)
    if (s.held != nullptr) on.memory(memory_kind::device).let_go(s.held);
}

namespace {

/// Memory held open for the other process's end, which puts arrays here, until that end sends its end
/// message.
class held_for_process final : public reply_target {
 public:
  static reply_address hold(std::shared_ptr<bound_memory> memory) {
    return (new held_for_process(processor::here(), std::move(memory)))->address_;
  }
  ~held_for_process() = default;

  void accept(std::uint32_t, void*) override { end(); }
  void fail(std::uint32_t, carried_exception) override { end(); }
  void abandon() noexcept override { delete this; }

 private:
  held_for_process(processor& pe, std::shared_ptr<bound_memory> memory)
      : pe_(pe), address_(pe.replies().open(*this)), memory_(std::move(memory)) {}
  void end() {
    pe_.replies().close(address_);
    delete this;
  }

  processor& pe_;
  const reply_address address_;
  std::shared_ptr<bound_memory> memory_;
};

}  // namespace

hold_elsewhere::~hold_elsewhere() {
  if (held_ && scheduler::current() != nullptr) send_end(pe_, held_);
}

bound_offer::bound_offer(std::shared_ptr<bound_memory> here, std::int64_t arrays_received)
    : memory(std::move(here)), received(arrays_received), pe(static_cast<std::uint32_t>(memory->pe)) {
  for (const bound_memory::slot& s : memory->slots) counts.push_back(s.count);
}

void bound_offer::serialize(writer& out) {
  if (memory != nullptr && may_be_exported && !held && !out.only_counts() && has_readers(processor::here())) {
    for (const bound_memory::slot& s : memory->slots)
      if (const auto key =
              s.count == 0 ? std::optional(memory_key{}) : memory->on.backend().key_of(s.address))
        keys.push_back(*key);
    if (keys.size() != counts.size()) keys.clear();
    if (!keys.empty()) {
      held = held_for_process::hold(memory);
      memory->is_exported = true;
    }
  }
  out(counts, received, binding, wants_answer, pe, held.slot, held.generation,
      static_cast<std::uint64_t>(keys.size()));
  for (const memory_key& key : keys) out(key.words);
  if (hold != nullptr) hold->hand_on();
}

void bound_offer::serialize(reader& in) {
  std::uint64_t found = 0;
  in(counts, received, binding, wants_answer, pe, held.slot, held.generation, found);
  if (found != 0 && found != counts.size())
    throw serial_error("malformed message: " + std::to_string(found) + " keys of " +
                       std::to_string(counts.size()) + " arrays");
  keys.resize(found);
  for (memory_key& key : keys) in(key.words);
  if (held) hold = std::make_shared<hold_elsewhere>(pe, held);
}

void bound_ends::unbind() noexcept {
  if (here_ == nullptr) return;
  here_->is_unbound.store(true, std::memory_order_release);
  here_->end = nullptr;
  if (item_ != nullptr) std::exchange(item_, nullptr)->leave();
  here_.reset();
  there_.reset();
  elsewhere_.clear();
  hold_.reset();
  beside_ = from_afar_ = false;
  places_ = 0;
}

bound_ends::~bound_ends() { unbind(); }

void bound_ends::receive_to(const std::vector<bound_array>& to) {
  auto memory = std::make_shared<bound_memory>(gpu(), to);
  unbind();
  here_ = std::move(memory);
  here_->end = this;
  item_ = &standing_item::make(&bound_ends::go_on, this);
  here_->read = received_;
}

std::unique_ptr<bound_offer> bound_ends::offer(const std::vector<bound_array>& to) {
  receive_to(to);
  has_left_over_ = arrived_ != received_;
  local_arrivals_ = 0;
  first_received_ = announced_ = released_ = received_;
  return std::make_unique<bound_offer>(here_, received_);
}

void bound_ends::bind(std::vector<bound_array> from, bound_offer* to, std::size_t size) {
  if (to == nullptr || to->received != sent_ || has_left_over_)
    throw error(
        "a persistent channel is bound anew before all sent arrays were received; receive them first, at "
        "both ends");
  if (from.size() != to->counts.size())
    throw error("a persistent channel is bound to send from " + std::to_string(from.size()) +
                " arrays where the other end receives to " + std::to_string(to->counts.size()) +
                "; both ends must agree on the number");
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i].count != to->counts[i])
      throw error("a persistent channel is bound to send arrays of " + std::to_string(from[i].count) +
                  " elements where the other end receives " + std::to_string(to->counts[i]) +
                  "; both ends must agree on the length");
    if (from[i].device != here_->on.info().id)
      throw error(
          "a persistent channel is bound to send from memory of another device than this PE's, which "
          "is " +
          here_->on.info().label() + "; give memory of gpu()");
  }
  ready_.resize(from.size());
  from_ = std::move(from);
  size_ = size;
  places_ = static_cast<std::int64_t>(from_.size());
  first_sent_ = released_there_ = sent_;
  send_to(*to);
}

void bound_ends::send_to(const bound_offer& to) {
  there_ = to.memory;
  const auto& pe = processor::here();
  other_pe_ = static_cast<int>(to.pe);
  // An array that is on its way in a message must not be overtaken.
  beside_ = there_ != nullptr && there_->pe == pe.pe() && needs_no_messages(pe) && to.received == sent_;
  elsewhere_ = there_ == nullptr ? addresses_of(to, here_->on.backend()) : std::vector<void*>();
  hold_ = elsewhere_.empty() ? nullptr : to.hold;
}

const bound_array& bound_ends::next_to_send(const stream& filled) const {
  if (places_ == 0) throw_unbound();
  const bound_array& from = from_[place(sent_, first_sent_, from_.size())];
  if (filled.on().info().id != from.device)
    throw error(
        "a persistent channel is given a stream of another device than that of its memory, which is " +
        info_of(from.device).label() + "; give one of gpu()");
  return from;
}

bool bound_ends::go_by_host(std::size_t bytes) const {
  const auto& pe = processor::here();
  const device_path path = pe.run().how().gpu_path;
  return bytes != 0 && (path == device_path::any || path == device_path::host) &&
         (there_ == nullptr || pe.run().devices().are_apart(pe.pe(), other_pe_)) &&
         pieces_to_pe::of(other_pe_).goes_whole(bytes);
}

namespace {

void mark_filled(bound_memory::slot& to, stream& work) {
  if (std::exchange(to.has_travelled, false))
    to.filled = shared_event(work);
  else
    to.filled.mark(work);
}

}  // namespace

way_to_put bound_ends::put(stream& filled) {
  const bound_array& from = next_to_send(filled);
  std::unique_lock<std::mutex> hold;
  if (there_ != nullptr) hold = std::unique_lock(there_->lock);
  if (there_ != nullptr && there_->has_moved) {
    hold.unlock();
    there_.reset();  // arrays go in messages until the other end tells where it is
    beside_ = false;
  }
  if (there_ == nullptr) {
    if (elsewhere_.empty())
      return go_by_host(from.count * size_) ? way_to_put::by_host : way_to_put::as_content;
    filled.copy(
        device_span<std::byte>(static_cast<std::byte*>(elsewhere_[place(sent_, first_sent_, from_.size())]),
                               from.count * size_, from.device),
        bytes_of(from, size_));
    ++sent_;
    return way_to_put::to_process;
  }
  if (there_->is_unbound.load(std::memory_order_acquire))
    throw error(
        "a persistent channel is used, but its other end has been destroyed or has moved; bind both ends "
        "again");
  static_cast<void>(there_->releases.load(std::memory_order_acquire));
  const std::size_t which = place(sent_, first_sent_, from_.size());
  bound_memory::slot& to = there_->slots[which];
  const bool on_one_device = &there_->on == &filled.on();
  if (!on_one_device && !there_->on.copies_from_peers())
    return go_by_host(from.count * size_) ? way_to_put::by_host : way_to_put::as_content;
  // Short arrays are copied by the sender's stream, without a wait for another stream.
  if (on_one_device || (is_short_transfer(from.count * size_) && filled.on().copies_from_peers())) {
    filled.wait(to.read);
    filled.copy(bytes_of(to, size_), bytes_of(from, size_));
    mark_filled(to, filled);
    there_->puts.store(++sent_, std::memory_order_release);
    return way_to_put::in_order;
  }
  ready_[which].mark(filled);
  stream& in = there_->arrivals[which % there_->arrivals.size()];
  in.wait(ready_[which]);
  in.wait(to.read);
  in.copy(bytes_of(to, size_), bytes_of(from, size_));
  mark_filled(to, in);
  there_->puts.store(++sent_, std::memory_order_release);
  return way_to_put::to_device;
}

void bound_ends::wait_for_put(stream& filled) {
  filled.wait(there_->slots[place(sent_ - 1, first_sent_, from_.size())].filled);
}

attachment bound_ends::copy_to_send(stream& filled) {
  const bound_array& from = next_to_send(filled);
  attachment copy(filled.on(), from.count, size_);
  filled.copy(device_span<std::byte>(static_cast<std::byte*>(copy.address()), copy.bytes(), copy.device()),
              bytes_of(from, size_));
  copy.ready_after(filled);
  ++sent_;
  return copy;
}

attachment bound_ends::copy_to_host(stream& filled) {
  const bound_array& from = next_to_send(filled);
  attachment copy = attachment::copied_to_host(from.address, from.count, size_, filled);
  ++sent_;
  return copy;
}

const bound_memory::slot& bound_ends::take(stream& order, attachment* content) {
  if (here_ == nullptr) throw_unbound();
  const bound_memory::slot& at = here_->slots[place(received_, first_received_, here_->slots.size())];
  if (content == nullptr) {
    static_cast<void>(here_->puts.load(std::memory_order_acquire));
    order.wait(at.filled);
  } else {
    if (&order.on() != &here_->on)
      throw error(
          "a persistent channel receives by a stream of another device than that of its memory, which "
          "is " +
          here_->on.info().label() + "; give one of gpu()");
    order.wait(at.read);
    content->land_at(at.address, order, stream_out_of(*content));
  }
  ++received_;
  return at;
}

void bound_ends::release(stream& read) {
  if (here_ == nullptr) throw_unbound();
  if (released_ == received_)
    throw error("a persistent channel releases an array and has received none; release each once");
  here_->slots[place(released_, first_received_, here_->slots.size())].read.mark(read);
  here_->releases.store(++released_, std::memory_order_release);
}

stream& bound_ends::reads() {
  stream& all = here_->arrivals.front();
  all.wait(here_->slots[place(released_ - 1, first_received_, here_->slots.size())].read);
  return all;
}

void bound_ends::go_on(void* self) {
  auto& those = *static_cast<bound_ends*>(self);
  wait_for_array* const first = those.first_waiting_;
  if (first == nullptr || those.local_arrivals_ == 0) return;
  first->leave();
  first->forget_message();
  first->has_arrived_ = true;
  if (--those.local_arrivals_ > 0 && those.first_waiting_ != nullptr) those.item_->queue();
  first->waiter_.resume();  // may destroy the channel
}

void bound_ends::promise_room() {
  while (!waiting_.empty() && has_room()) {
    wait_for_room& first = *waiting_.front();
    waiting_.erase(waiting_.begin());
    first.promised_ = true;
    ++promised_;
    send_end(static_cast<std::uint32_t>(processor::here().pe()), first.state_->address());
  }
}

bool wait_for_room::begin(bound_ends& of, const waiter& who, scope& entry) {
  auto& pe = processor::here();
  state_.reset(new (pe) pending_state<void>(pe, "room at the other end of a persistent channel", nullptr));
  state_->claim();
  wait_.emplace(*state_);
  of_ = &of;
  of.waiting_.push_back(this);
  return wait_->suspend(who, entry);
}

void wait_for_room::end() {
  bound_ends& of = *std::exchange(of_, nullptr);
  if (promised_)
    --of.promised_;
  else
    std::erase(of.waiting_, this);
}

}  // namespace imbrex::detail
