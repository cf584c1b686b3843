// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/bound_memory.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/gpu/device_transfers.hpp>
#include <imbrex/core/gpu/device_work.hpp>

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

[[noreturn]] void throw_unbound() {
  throw error(
      "a persistent channel is used that is not bound; co_await its bind() at both ends, and again "
      "where a chare has moved");
}

}  // namespace

bound_memory::bound_memory(device& of, const std::vector<bound_array>& arrays)
    : on(of), arrivals(of, stream_priority::high, "a persistent channel") {
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
  for (slot& s : slots) s.held = pool.hold(s.address);
}

bound_memory::~bound_memory() {
  if (on.ended()) return;
  for (slot& s : slots)
    if (s.held != nullptr) on.memory(memory_kind::device).let_go(s.held);
}

bound_ends::~bound_ends() {
  if (here_ != nullptr) here_->gone.store(true, std::memory_order_release);
}

std::unique_ptr<bound_offer> bound_ends::offer(const std::vector<bound_array>& to) {
  auto memory = std::make_shared<bound_memory>(gpu(), to);
  if (here_ != nullptr) here_->gone.store(true, std::memory_order_release);
  here_ = std::move(memory);
  there_.reset();
  places_ = 0;
  first_received_ = announced_ = released_ = received_;
  auto told = std::make_unique<bound_offer>();
  told->memory = here_;
  for (const bound_array& a : to) told->counts.push_back(a.count);
  told->received = received_;
  return told;
}

void bound_ends::bind(std::vector<bound_array> from, bound_offer* to, std::size_t size) {
  if (to == nullptr || to->received != sent_)
    throw error(
        "a persistent channel is bound anew before all has been received that was sent; receive it "
        "first, at both ends");
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
  there_ = to->memory;
  ready_.resize(from.size());
  from_ = std::move(from);
  size_ = size;
  places_ = static_cast<std::int64_t>(from_.size());
  first_sent_ = released_there_ = sent_;
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

bool bound_ends::put(stream& filled) {
  const bound_array& from = next_to_send(filled);
  if (there_ == nullptr) return false;
  if (there_->gone.load(std::memory_order_acquire))
    throw error(
        "a persistent channel is used whose other end is no more, or has moved; bind both ends again");
  const std::size_t which = place(sent_, first_sent_, from_.size());
  bound_memory::slot& to = there_->slots[which];
  if (&there_->on == &filled.on()) {
    filled.wait(to.read);
    filled.copy(bytes_of(to, size_), bytes_of(from, size_));
    to.filled.mark(filled);
  } else {
    if (!there_->on.copies_from_peers()) return false;
    ready_[which].mark(filled);
    stream& in = there_->arrivals;
    in.wait(ready_[which]);
    in.wait(to.read);
    in.copy(bytes_of(to, size_), bytes_of(from, size_));
    to.filled.mark(in);
    filled.wait(to.filled);
  }
  ++sent_;
  return true;
}

device_part bound_ends::copy_to_send(stream& filled) {
  const bound_array& from = next_to_send(filled);
  device_part copy(filled.on(), from.count, size_);
  filled.copy(device_span<std::byte>(static_cast<std::byte*>(copy.address()), copy.bytes(), copy.device()),
              bytes_of(from, size_));
  copy.ready_after(filled);
  ++sent_;
  return copy;
}

const bound_memory::slot& bound_ends::take(stream& order, device_part* content) {
  if (here_ == nullptr) throw_unbound();
  const bound_memory::slot& at = here_->slots[place(received_, first_received_, here_->slots.size())];
  if (content == nullptr) {
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
  ++released_;
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
