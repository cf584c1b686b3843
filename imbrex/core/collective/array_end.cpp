// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/collective/array_end.hpp>

#include <algorithm>
#include <deque>

#include <imbrex/base/error.hpp>
#include <imbrex/core/pe/part_request.hpp>

namespace imbrex::detail {

namespace {

/// The arrays without elements whose root is this PE, the oldest first.
struct empty_arrays : std::deque<std::uint64_t> {};

/// Sent to the root: the array is to be destroyed.
struct end_request : message {
  static inline message_type type_record = runtime_message_type<end_request>();
  void serialize(auto&) {}
  void deliver() {
    if (processor::here().has_ended(collection)) {
      const message_guard guard(*this);
      return send_end(origin, reply);
    }
    deliver_to_part(*this, [this](local_array& part) {
      const message_guard guard(*this);
      part.ending().requested(origin, reply);
    });
  }
};

// Sent by the root to each part.
using request_to_close = request_to_part<&end_station::close, "request that a part end">;
using request_to_freeze = request_to_part<&end_station::freeze, "request that a part wait">;

/// Sent to the root: the part is closed, or frozen. The root's own part may be frozen, too.
struct end_answer : message {
  element_counts counts;
  bool is_empty = true;

  static inline message_type type_record = runtime_message_type<end_answer>();
  void serialize(auto& ar) { ar(counts, is_empty); }
  void deliver() {
    const message_guard guard(*this);
    auto& pe = processor::here();
    auto* const part = pe.collection(collection);
    if (auto* const root = part != nullptr ? part : pe.frozen(collection))
      static_cast<local_array*>(root)->ending().answered(static_cast<int>(origin), counts, is_empty);
  }
};

/// Sent by the root to each PE, whether its part is frozen or not.
template <void (processor::*Action)(std::uint64_t)>
struct pe_request : message {
  static inline message_type type_record =
      runtime_message_type<pe_request>({Action == &processor::thaw ? "thaw request" : "removal"});
  void serialize(auto&) {}
  void deliver() {
    const message_guard guard(*this);
    (processor::here().*Action)(collection);
  }
};

}  // namespace

pending<void> end_array(std::uint64_t collection) {
  auto& pe = processor::here();
  pending<void> result("the end of an array");
  if (pe.in_proxy(collection) == nothing_created) {
    send_end(static_cast<std::uint32_t>(pe.pe()), result.address());
    return result;
  }
  auto& m = make_message<end_request>();
  m.collection = collection;
  m.reply = result.address();
  pe.dispatch(m, root_of(collection, pe.num_pes()));
  return result;
}

element_counts& element_counts::operator-=(const element_counts& other) {
  inserted -= other.inserted;
  destroyed -= other.destroyed;
  departed -= other.departed;
  arrived -= other.arrived;
  return *this;
}

void element_counts::take_newer(const element_counts& other) {
  inserted = std::max(inserted, other.inserted);
  destroyed = std::max(destroyed, other.destroyed);
  departed = std::max(departed, other.departed);
  arrived = std::max(arrived, other.arrived);
}

element_counts& element_counts::operator+=(const element_counts& other) {
  inserted += other.inserted;
  destroyed += other.destroyed;
  departed += other.departed;
  arrived += other.arrived;
  return *this;
}

end_station::end_station(local_array& part, std::uint64_t initial_elements)
    : part_(part), initial_(initial_elements) {
  part.listeners().add(*this);
}

end_station::~end_station() = default;

std::size_t end_station::kept_arrays(int pes) {
  constexpr int in_all = 256;
  return static_cast<std::size_t>(in_all / pes + 1);
}

template <class M>
void end_station::send_all() {
  auto& pe = part_.pe();
  for (int p = 0; p < pe.num_pes(); ++p) {
    auto& m = make_message<M>();
    m.collection = part_.id();
    pe.dispatch(m, p);
  }
}

void end_station::send_answer(bool is_empty) {
  auto& m = make_message<end_answer>();
  m.collection = part_.id();
  m.counts = counts_;
  m.is_empty = is_empty;
  part_.pe().dispatch(m, part_.root());
}

void end_station::stray_arrived() {
  ++counts_.arrived;
  send_answer(true);
}

void end_station::close() {
  part_.close();
  send_answer(true);
}

void end_station::freeze() {
  const bool is_empty = part_.locals().empty() && !part_.holds_messages();
  send_answer(is_empty);
  part_.pe().freeze(part_.id());
}

void end_station::reported(int pe, const element_counts& counts) {
  of_pes_.resize(static_cast<std::size_t>(part_.pe().num_pes()));
  auto& last = of_pes_[static_cast<std::size_t>(pe)];
  all_ -= last;
  last.take_newer(counts);
  all_ += last;
}

bool end_station::seems_empty() const { return initial_ + all_.inserted == all_.destroyed; }

void end_station::became_empty(int pe, const element_counts& counts) {
  if (initial_ == 0 || phase_ == phase::closes || phase_ == phase::has_ended) return;
  reported(pe, counts);
  if (phase_ != phase::lives || listed_ || !seems_empty()) return;
  listed_ = true;
  part_.pe().local<empty_arrays>().push_back(part_.id());
  // More than one array, since an array with something still in flight returns to the list.
  for (int i = 0; i < 2; ++i) look_at_oldest();
}

void end_station::look_at_oldest() {
  auto& pe = part_.pe();
  auto& arrays = pe.local<empty_arrays>();
  if (arrays.size() <= kept_arrays(pe.num_pes())) return;
  const std::uint64_t id = arrays.front();
  auto* const oldest = array_at(pe, id);
  arrays.pop_front();
  if (oldest == nullptr) {
    if (pe.frozen(id) != nullptr) arrays.push_back(id);  // the part will be thawed soon
    return;                                              // else the array has been destroyed
  }
  oldest->ending().listed_ = false;
  if (oldest->ending().phase_ == phase::lives && oldest->ending().seems_empty())
    oldest->ending().begin(phase::freezes);
}

void end_station::begin(phase next) {
  phase_ = next;
  answers_ = 0;
  all_empty_ = true;
  has_answered_.assign(static_cast<std::size_t>(part_.pe().num_pes()), false);
  next == phase::closes ? send_all<request_to_close>() : send_all<request_to_freeze>();
}

void end_station::requested(std::uint32_t caller, const reply_address& reply) {
  if (phase_ == phase::has_ended) return send_end(caller, reply);
  waiters_.emplace_back(caller, reply);
  if (phase_ == phase::lives) begin(phase::closes);
}

void end_station::answered(int pe, const element_counts& counts, bool is_empty) {
  if (phase_ == phase::lives || phase_ == phase::has_ended) return;  // a newer reply overtook this one
  const auto who = static_cast<std::size_t>(pe);
  reported(pe, counts);
  all_empty_ = all_empty_ && is_empty;
  if (!has_answered_[who]) {
    has_answered_[who] = true;
    ++answers_;
  }
  if (answers_ < part_.pe().num_pes()) return;
  if (phase_ == phase::freezes) return finish_freezing();
  if (all_.departed == all_.arrived) finish();
}

void end_station::finish_freezing() {
  const bool nothing_moves = all_.departed == all_.arrived && part_.listeners().are_idle();
  if (waiters_.empty() && all_empty_ && nothing_moves && seems_empty()) return finish();
  phase_ = phase::lives;
  send_all<pe_request<&processor::thaw>>();
  if (!waiters_.empty()) return begin(phase::closes);
  if (!seems_empty()) return;
  listed_ = true;  // something was in flight, and there may be no further notification
  part_.pe().local<empty_arrays>().push_back(part_.id());
}

void end_station::finish() {
  phase_ = phase::has_ended;
  for (const auto& [caller, reply] : std::exchange(waiters_, {})) send_end(caller, reply);
  send_all<pe_request<&processor::remove>>();
}

}  // namespace imbrex::detail
