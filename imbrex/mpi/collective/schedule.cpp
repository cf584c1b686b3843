// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/collective/schedule.hpp>

#include <utility>

#include <imbrex/mpi/object/status.hpp>
#include <imbrex/mpi/rank/device_requests.hpp>

namespace imbrex::mpi {

struct schedule::transfer : request {
  schedule* of = nullptr;
  user_buffer data;
  enum class kind : std::uint8_t { send, receive, copy, other } what = kind::send;
  bool is_own = true;
  int with = 0;
  std::unique_ptr<std::byte[]> packed;  ///< copy of data that are not contiguous
  // Fields of a copy:
  void* to = nullptr;
  const void* from = nullptr;
  device* to_on = nullptr;
  device* from_on = nullptr;
  std::size_t bytes = 0;
  std::function<void(rank&, request&)> start;  ///< begins another action
};

schedule::schedule(const ref<communicator>& in, purpose of, maker make)
    : user_request(of == purpose::persistent, in), make_(std::move(make)), purpose_(of) {
  if (of == purpose::persistent) {
    tag_ = in->next_persistent();
    if (in->is_inter()) own_tag_ = in->local()->next_persistent();
  }
  step_.of = this;
  step_.advance = [](rank::step& s) {
    schedule& its = *static_cast<advance_step&>(s).of;
    its.is_waiting_ = false;
    its.run();
  };
}

schedule::schedule(const ref<communicator>& in, int tag, maker make)
    : schedule(in, purpose::creation, std::move(make)) {
  tag_ = own_tag_ = tag;
}

schedule::~schedule() = default;

int schedule::side::size() const { return is_own_ ? of_.in()->size() : of_.in()->remote().size(); }

void schedule::begin(rank& by) {
  by_ = &by;
  is_too_long_ = false;
  awaited().peer = request::is_several;
  if (purpose_ != purpose::persistent && purpose_ != purpose::creation) {
    tag_ = in()->next_collective();
    if (in()->is_inter()) own_tag_ = in()->local()->next_collective();
  }
  plan_ = make_(*this);
  current_ = plan_.body();
  run();
}

void schedule::end() { plan_ = {}; }

void schedule::run() {
  while (current_ && !is_waiting_) current_.resume();
  if (!current_) by_->complete(awaited());  // may destroy this schedule
}

schedule::transfer& schedule::next_transfer() {
  if (used_ == transfers_.size()) {
    transfers_.push_back(std::make_unique<transfer>());
    transfers_.back()->of = this;
  }
  return *transfers_[used_++];
}

void schedule::copy(void* to, device* to_on, const void* from, device* from_on, std::size_t bytes) {
  transfer& t = next_transfer();
  t.what = transfer::kind::copy;
  t.to = to;
  t.from = from;
  t.to_on = to_on;
  t.from_on = from_on;
  t.bytes = bytes;
}

void schedule::add(std::function<void(rank&, request&)> start) {
  transfer& t = next_transfer();
  t.what = transfer::kind::other;
  t.start = std::move(start);
}

void schedule::add(bool is_send, int peer, const user_buffer& data, bool is_own) {
  transfer& t = next_transfer();
  t.data = data;
  t.what = is_send ? transfer::kind::send : transfer::kind::receive;
  t.is_own = is_own;
  t.with = peer;
}

void schedule::begin_transfer(transfer& t) {
  if (t.what == transfer::kind::other) {
    static_cast<request&>(t) = {};
    t.finished = &transfer_ended;
    t.peer = request::is_several;
    return t.start(*by_, t);
  }
  if (t.what == transfer::kind::copy) {
    static_cast<request&>(t) = {};
    t.finished = &transfer_ended;
    return begin_copy(*by_, t, t.to, t.to_on, t.from, t.from_on, t.bytes);
  }
  const bool is_send = t.what == transfer::kind::send;
  const communicator& c = t.is_own && in()->is_inter() ? *in()->local() : *in();
  static_cast<request&>(t) = {};
  t.finished = &transfer_ended;
  t.head = {c.context(purpose_), is_send ? c.rank() : t.with, t.is_own && in()->is_inter() ? own_tag_ : tag_};
  const std::int64_t bytes = t.data.bytes();
  t.size = static_cast<std::uint64_t>(bytes);
  if (t.data.is_contiguous()) {
    t.buffer = t.data.begin();
  } else {
    t.packed = std::make_unique_for_overwrite<std::byte[]>(t.size);
    t.buffer = t.packed.get();
    if (is_send) pack(t.data.typed(), 0, t.buffer, bytes);
  }
  is_send ? by_->messages.send(t, c.remote().world_rank(t.with), send_mode::standard)
          : by_->messages.receive(t);
}

/// Returns whether the round has already ended.
bool schedule::begin_round() {
  pending_ = used_ + 1;  // one more, so that no transfer ends the round here
  for (const bool receives : {true, false})
    for (std::size_t i = 0; i < used_; ++i)
      if ((transfers_[i]->what == transfer::kind::receive) == receives) begin_transfer(*transfers_[i]);
  return --pending_ == 0;
}

/// Runs on the stack that has ended the transfer, possibly of another rank.
void schedule::transfer_ended(request& q) {
  schedule& its = *static_cast<transfer&>(q).of;
  if (--its.pending_ == 0) its.by_->queue(its.step_);
}

void schedule::end_round() {
  for (std::size_t i = 0; i < used_; ++i) {
    transfer& t = *transfers_[i];
    if (t.what == transfer::kind::receive) {
      is_too_long_ |= t.is_too_long;
      if (t.packed) unpack(t.data.typed(), 0, t.packed.get(), static_cast<std::int64_t>(t.received));
    }
    t.packed.reset();
    t.data = {};
    t.start = {};
  }
  used_ = 0;
}

int schedule::outcome(MPI_Status& status) {
  set_empty(status);
  return is_too_long_ ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

int run_schedule(rank& by, const ref<communicator>& in, purpose of, schedule::maker make) {
  const ref<user_request> collective_request(new schedule(in, of, std::move(make)));
  collective_request->start(by);
  by.await(collective_request->awaited());
  MPI_Status status;
  return collective_request->finish(status);
}

}  // namespace imbrex::mpi
