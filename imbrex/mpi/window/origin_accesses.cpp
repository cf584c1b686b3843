// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/window/origin_accesses.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <imbrex/mpi/datatype/predefined.hpp>
#include <imbrex/mpi/object/error.hpp>
#include <imbrex/mpi/rank/packet.hpp>
#include <imbrex/mpi/rank/program.hpp>
#include <imbrex/mpi/window/accumulation.hpp>
#include <imbrex/mpi/window/type_description.hpp>

namespace imbrex::mpi {

/// A send of long data to a target.
struct origin_accesses::outgoing_data : request {
  origin_accesses* of = nullptr;
  window_target* to = nullptr;
  std::unique_ptr<std::byte[]> packed;
  ref<access_request> rma_request;

  static void ended(request& q) {
    const std::unique_ptr<outgoing_data> its(static_cast<outgoing_data*>(&q));
    its->of->pending_.end_transfer(*its->to, its->rma_request.get());
  }
};

/// Receives the result that a target sends.
struct origin_accesses::result_receive : request {
  origin_accesses* of = nullptr;
  window_target* from = nullptr;
  user_buffer into;
  std::unique_ptr<std::byte[]> packed;
  ref<access_request> rma_request;

  static void ended(request& q) {
    const std::unique_ptr<result_receive> its(static_cast<result_receive*>(&q));
    if (its->packed)
      unpack(its->into.typed(), 0, its->packed.get(), static_cast<std::int64_t>(its->received));
    its->of->pending_.end_transfer(*its->from, its->rma_request.get());
  }
};

namespace {

/// The data in contiguous form; packed into a copy if necessary.
class packed_data {
 public:
  explicit packed_data(const user_buffer& data) : at_(data.begin()) {
    if (data.is_contiguous()) return;
    const std::int64_t bytes = data.bytes();
    own_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
    pack(data.typed(), 0, own_.get(), bytes);
    at_ = own_.get();
  }
  const std::byte* begin() const { return at_; }

 private:
  std::unique_ptr<std::byte[]> own_;
  const std::byte* at_;
};

void require_room(std::int64_t bytes, std::int64_t room, const char* from, const char* to) {
  if (bytes > room)
    throw error(MPI_ERR_TRUNCATE, std::string("the data of ") + from + " have " + std::to_string(bytes) +
                                      " bytes, and there is room for " + std::to_string(room) +
                                      " in those of " + to + "; give both the same counts");
}

void end_at_once(rank& by, access_request* rma_request) {
  if (rma_request != nullptr) by.complete(rma_request->awaited());
}

}  // namespace

std::int64_t origin_accesses::place_in(const window_target& t, std::int64_t displacement) const {
  if (own_.flavour() == MPI_WIN_FLAVOR_DYNAMIC) return displacement;
  std::int64_t place = 0;
  if (displacement < 0 || __builtin_mul_overflow(displacement, t.unit, &place))
    throw error(MPI_ERR_DISP, "the displacement is " + std::to_string(displacement) + " units of " +
                                  std::to_string(t.unit) +
                                  " bytes, which no window has; give one inside of the target's memory");
  return place;
}

void origin_accesses::check_range(const window_target& t, std::int64_t place, const user_buffer& at) const {
  if (own_.flavour() != MPI_WIN_FLAVOR_DYNAMIC) {
    (void)exposed_memory(t.base, t.size).reach(place, *at.type, at.count);
  } else if (t.memory != nullptr) {
    (void)t.memory->reach(place, *at.type, at.count);  // else the target checks
  }
}

// ---- accesses by packets

void origin_accesses::send_data(int to, access_header header, const user_buffer& at, const user_buffer& data,
                                access_request* rma_request) {
  window_target& t = link_[to];
  header.count = at.count;
  header.bytes = data.bytes();
  header.follows = header.kind != access_kind::compare_and_swap &&
                   header.bytes > static_cast<std::int64_t>(program::current().eager_between_processes);
  // An access with a result is done when the result arrives, so it needs no flush.
  const bool has_result = header.kind != access_kind::put && header.kind != access_kind::accumulate;
  if (!has_result) pending_.note_sent(to);
  const access_message message = make_access(header, describe(*at.type));
  message.message.head = link_.head();
  if (!header.follows) {
    pack(data.typed(), 0, message.data, header.bytes);
    link_.self().messages.send(message.message, link_.world_rank(to));
    return end_at_once(link_.self(), rma_request);
  }
  link_.self().messages.send(message.message, link_.world_rank(to));
  auto* const q = new outgoing_data;
  q->of = this;
  q->to = &t;
  if (rma_request != nullptr) q->rma_request = ref(rma_request);
  q->head = {link_.in()->context(purpose::point_to_point), link_.in()->rank(), header.tag};
  q->size = static_cast<std::uint64_t>(header.bytes);
  q->finished = &outgoing_data::ended;
  if (data.is_contiguous()) {
    q->buffer = data.begin();
  } else {
    q->packed = std::make_unique_for_overwrite<std::byte[]>(q->size);
    q->buffer = q->packed.get();
    pack(data.typed(), 0, q->buffer, header.bytes);
  }
  pending_.begin_transfer(t);
  link_.self().messages.send(*q, link_.world_rank(to), send_mode::standard);
}

void origin_accesses::expect_result(int from, std::int32_t tag, const user_buffer& into,
                                    access_request* rma_request) {
  window_target& t = link_[from];
  auto* const q = new result_receive;
  q->of = this;
  q->from = &t;
  q->into = into;
  if (rma_request != nullptr) q->rma_request = ref(rma_request);
  q->head = {link_.in()->context(purpose::creation), from, tag};
  q->size = static_cast<std::uint64_t>(into.bytes());
  q->finished = &result_receive::ended;
  if (into.is_contiguous()) {
    q->buffer = into.begin();
  } else {
    q->packed = std::make_unique_for_overwrite<std::byte[]>(q->size);
    q->buffer = q->packed.get();
  }
  pending_.begin_transfer(t);
  link_.self().messages.receive(*q);
}

// ---- functions of MPI

void origin_accesses::put(const user_buffer& data, const place& to, access_request* rma_request) {
  const auto& [rank, displacement, at] = to;
  window_target& t = epochs_.accessible(rank);
  const std::int64_t bytes = data.bytes();
  require_room(bytes, at.bytes(), "the origin", "the target");
  const std::int64_t offset = place_in(t, displacement);
  check_range(t, offset, at);
  if (bytes == 0) return end_at_once(link_.self(), rma_request);
  if (!link_.is_direct(t)) {
    access_header header;
    header.kind = access_kind::put;
    header.place = offset;
    header.tag = link_.next_tag();
    return send_data(rank, header, at, data, rma_request);
  }
  copy(data.typed(), {t.memory->reach(offset, *at.type, at.count), at.count, at.type.get()}, bytes);
  end_at_once(link_.self(), rma_request);
}

void origin_accesses::get(const user_buffer& into, const place& from, access_request* rma_request) {
  const auto& [rank, displacement, at] = from;
  window_target& t = epochs_.accessible(rank);
  const std::int64_t bytes = at.bytes();
  require_room(bytes, into.bytes(), "the target", "the origin");
  const std::int64_t offset = place_in(t, displacement);
  check_range(t, offset, at);
  if (bytes == 0) return end_at_once(link_.self(), rma_request);
  if (link_.is_direct(t)) {
    copy({t.memory->reach(offset, *at.type, at.count), at.count, at.type.get()}, into.typed(), bytes);
    return end_at_once(link_.self(), rma_request);
  }
  access_header header;
  header.kind = access_kind::get;
  header.place = offset;
  header.count = at.count;
  header.tag = link_.next_tag();
  expect_result(rank, header.tag, into, rma_request);
  packet& p = make_access(header, describe(*at.type)).message;
  p.head = link_.head();
  link_.self().messages.send(p, link_.world_rank(rank));
}

void origin_accesses::accumulate(const user_buffer& data, const place& to, int operation,
                                 access_request* rma_request) {
  const auto& [rank, displacement, at] = to;
  window_target& t = epochs_.accessible(rank);
  const std::int64_t bytes = data.bytes();
  require_room(bytes, at.bytes(), "the origin", "the target");
  const std::int64_t offset = place_in(t, displacement);
  check_range(t, offset, at);
  if (bytes == 0) return end_at_once(link_.self(), rma_request);
  if (!link_.is_direct(t)) {
    access_header header;
    header.kind = access_kind::accumulate;
    header.place = offset;
    header.operation = operation;
    header.tag = link_.next_tag();
    return send_data(rank, header, at, data, rma_request);
  }
  std::byte* const memory = t.memory->reach(offset, *at.type, at.count);
  {
    const packed_data packed(data);
    const std::lock_guard lock(t.memory->accumulates());
    mpi::accumulate(operation, packed.begin(), bytes, {memory, at.count, at.type.get()});
  }
  end_at_once(link_.self(), rma_request);
}

void origin_accesses::get_accumulate(const user_buffer& data, const user_buffer& into, const place& to,
                                     int operation, access_request* rma_request) {
  const auto& [rank, displacement, at] = to;
  window_target& t = epochs_.accessible(rank);
  const std::int64_t bytes = at.bytes();
  require_room(data.bytes(), bytes, "the origin", "the target");
  require_room(bytes, into.bytes(), "the target", "the result");
  const std::int64_t offset = place_in(t, displacement);
  check_range(t, offset, at);
  if (bytes == 0) return end_at_once(link_.self(), rma_request);
  if (!link_.is_direct(t)) {
    access_header header;
    header.kind = access_kind::get_accumulate;
    header.place = offset;
    header.operation = operation;
    header.tag = link_.next_tag();
    expect_result(rank, header.tag, into, rma_request);
    return send_data(rank, header, at, data, nullptr);
  }
  const typed_buffer memory{t.memory->reach(offset, *at.type, at.count), at.count, at.type.get()};
  {
    const packed_data packed(data);
    const std::lock_guard lock(t.memory->accumulates());
    copy(memory, into.typed(), bytes);
    mpi::accumulate(operation, packed.begin(), data.bytes(), memory);
  }
  end_at_once(link_.self(), rma_request);
}

void origin_accesses::compare_and_swap(const void* data, const void* compared, void* into, const place& to) {
  const auto& [rank, displacement, at] = to;
  const datatype_ref& type = at.type;
  window_target& t = epochs_.accessible(rank);
  const std::int64_t offset = place_in(t, displacement);
  check_range(t, offset, at);
  const auto bytes = static_cast<std::size_t>(type->size());
  if (link_.is_direct(t)) {
    std::byte* const memory = t.memory->reach(offset, *type, 1);
    const std::lock_guard lock(t.memory->accumulates());
    std::memcpy(into, memory, bytes);
    if (std::memcmp(memory, compared, bytes) == 0) std::memcpy(memory, data, bytes);
    return;
  }
  std::byte both[2 * sizeof(std::int64_t) * 2];
  std::memcpy(both, data, bytes);
  std::memcpy(both + bytes, compared, bytes);
  access_header header;
  header.kind = access_kind::compare_and_swap;
  header.place = offset;
  header.tag = link_.next_tag();
  expect_result(rank, header.tag, {into, 1, type}, nullptr);
  const user_buffer sent{both, std::int64_t(2 * bytes), datatype_ref(predefined_type(MPI_BYTE))};
  send_data(rank, header, at, sent, nullptr);
}

}  // namespace imbrex::mpi
