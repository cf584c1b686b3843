// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/window/access_server.hpp>

#include <cstring>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/datatype/predefined.hpp>
#include <imbrex/mpi/object/error.hpp>
#include <imbrex/mpi/rank/packet.hpp>
#include <imbrex/mpi/window/accumulation.hpp>
#include <imbrex/mpi/window/type_description.hpp>

namespace imbrex::mpi {

/// A receive of long data from an origin.
struct access_server::incoming_data : request {
  access_server* of = nullptr;
  origin* from = nullptr;
  access_header header;
  datatype_ref type;
  std::byte* at = nullptr;
  std::unique_ptr<std::byte[]> packed;

  static void ended(request& q) {
    const std::unique_ptr<incoming_data> its(static_cast<incoming_data*>(&q));
    access_server& server = *its->of;
    const typed_buffer memory{its->at, its->header.count, its->type.get()};
    if (its->header.kind == access_kind::put) {
      if (its->packed) unpack(memory, 0, its->packed.get(), its->header.bytes);
    } else {
      server.fold(q.source, its->header, its->packed.get(), memory);
      --its->from->accumulates;
      server.serve_waiting(*its->from);
    }
  }
};

namespace {

bool is_accumulate(access_kind kind) {
  return kind == access_kind::accumulate || kind == access_kind::get_accumulate ||
         kind == access_kind::compare_and_swap;
}

/// A send of a result; it does not need the window any more.
struct answer_data : request {
  std::unique_ptr<std::byte[]> packed;
  static void ended(request& q) { delete static_cast<answer_data*>(&q); }
};

[[noreturn]] void throw_access(int source, int rank, const std::string& why) {
  throw imbrex::error("rank " + std::to_string(source) + " of a window accesses the memory of its rank " +
                      std::to_string(rank) + ": " + why);
}

}  // namespace

/// Accumulates of an origin run in order, whatever their lengths. Flushes need not wait: the origin sends
/// them only after its long data have been received.
bool access_server::must_wait(const origin& from, access_kind kind) {
  return is_accumulate(kind) && from.accumulates > 0;
}

access_server::~access_server() {
  for (auto& [rank, from] : origins_)
    for (packet* const p : from.waiting) packet::release(*p);
}

void access_server::await_releases() {
  link_.await([this] { return !locks_.is_held(); }, "locks to be given back");
}

void access_server::take_access(packet& p) {
  if (p.head.source < 0 || p.head.source >= link_.in()->size())
    throw imbrex::error("an access to a window from rank " + std::to_string(p.head.source) +
                        ", which it does not have");
  origin& from = origins_[p.head.source];
  from.waiting.push_back(&p);
  if (from.waiting.size() == 1) serve_waiting(from);
}

void access_server::serve_waiting(origin& from) {
  while (!from.waiting.empty()) {
    packet& p = *from.waiting.front();
    if (must_wait(from, access_packet(p).header().kind)) return;
    from.waiting.pop_front();
    serve(from, p);
  }
}

void access_server::serve(origin& from, packet& p) {
  struct packet_guard {
    packet& it;
    ~packet_guard() { packet::release(it); }
  } const at_end{p};
  const access_packet a(p);
  const int source = p.head.source;
  switch (a.header().kind) {
    case access_kind::put:
    case access_kind::get:
    case access_kind::accumulate:
    case access_kind::get_accumulate:
    case access_kind::compare_and_swap: return serve_access(from, source, a);
    case access_kind::flush: return answer(source, access_kind::flushed);
    case access_kind::flushed: return accesses_.note_answer();
    case access_kind::lock:
      if (locks_.request(source, a.header().is_exclusive)) answer(source, access_kind::granted);
      return;
    case access_kind::granted: return epochs_.note_lock(source);
    case access_kind::unlock:
      locks_.release([this](int next) { answer(next, access_kind::granted); });
      if (a.header().wants_answer) answer(source, access_kind::flushed);
      return link_.note();  // `await_releases` may be waiting for it
    case access_kind::post: return epochs_.note_post(source);
    case access_kind::end: return epochs_.note_end();
  }
}

void access_server::serve_access(origin& from, int source, const access_packet& a) {
  const access_header& header = a.header();
  const datatype_ref type = described_type(a.type());
  const bool swaps = header.kind == access_kind::compare_and_swap;
  std::byte* memory = nullptr;
  try {
    memory = own_.memory().reach(header.place, *type, header.count);
    if (header.bytes > (swaps ? 2 : 1) * type->bytes(header.count))
      throw error(MPI_ERR_TRUNCATE, "too many data");
  } catch (const error& refused) {
    throw_access(source, link_.in()->rank(), refused.what());
  }
  const typed_buffer at{memory, header.count, type.get()};
  if (header.follows) return receive_data(from, source, a, type, memory);
  switch (header.kind) {
    case access_kind::put: return unpack(at, 0, a.data(), header.bytes);
    case access_kind::get: return send_result(source, header.tag, at);
    case access_kind::compare_and_swap: return swap(source, header, a.data(), at);
    default: return fold(source, header, a.data(), at);
  }
}

void access_server::receive_data(origin& from, int source, const access_packet& a, const datatype_ref& type,
                                 std::byte* at) {
  auto* const q = new incoming_data;
  q->of = this;
  q->from = &from;
  q->header = a.header();
  q->type = type;
  q->at = at;
  q->head = {link_.in()->context(purpose::point_to_point), source, a.header().tag};
  q->size = static_cast<std::uint64_t>(a.header().bytes);
  q->finished = &incoming_data::ended;
  if (a.header().kind == access_kind::put && type->is_contiguous()) {
    q->buffer = at;
  } else {
    q->packed = std::make_unique_for_overwrite<std::byte[]>(q->size);
    q->buffer = q->packed.get();
  }
  if (a.header().kind != access_kind::put) ++from.accumulates;
  link_.self().messages.receive(*q);
}

void access_server::fold(int source, const access_header& header, const std::byte* data,
                         const typed_buffer& at) {
  const bool needs_result = header.kind == access_kind::get_accumulate;
  const std::int64_t bytes = needs_result ? at.bytes() : 0;
  std::unique_ptr<std::byte[]> before;
  if (needs_result) before = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
  {
    const std::lock_guard lock(own_.memory().accumulates());
    if (needs_result) pack(at, 0, before.get(), bytes);
    mpi::accumulate(header.operation, data, header.bytes, at);
  }
  if (needs_result) send_packed(source, header.tag, std::move(before), bytes);
}

void access_server::swap(int source, const access_header& header, const std::byte* data,
                         const typed_buffer& at) {
  const auto bytes = static_cast<std::size_t>(at.bytes());
  if (static_cast<std::size_t>(header.bytes) != 2 * bytes)
    throw_access(source, link_.in()->rank(), "a value and what is compared have not the same length");
  auto before = std::make_unique_for_overwrite<std::byte[]>(bytes);
  {
    const std::lock_guard lock(own_.memory().accumulates());
    std::memcpy(before.get(), at.memory, bytes);
    if (std::memcmp(at.memory, data + bytes, bytes) == 0) std::memcpy(at.memory, data, bytes);
  }
  send_packed(source, header.tag, std::move(before), static_cast<std::int64_t>(bytes));
}

void access_server::answer(int to, access_kind kind) {
  access_header header;
  header.kind = kind;
  link_.send(to, header);
}

void access_server::send_result(int to, std::int32_t tag, const typed_buffer& of) {
  const std::int64_t bytes = of.bytes();
  if (of.type->is_contiguous()) return send_result(to, tag, of.memory, nullptr, bytes);
  auto packed = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
  pack(of, 0, packed.get(), bytes);
  send_packed(to, tag, std::move(packed), bytes);
}

void access_server::send_packed(int to, std::int32_t tag, std::unique_ptr<std::byte[]> packed,
                                std::int64_t bytes) {
  std::byte* const begin = packed.get();
  send_result(to, tag, begin, std::move(packed), bytes);
}

/// May send the window's memory directly: the origin prevents changes until the result has arrived.
void access_server::send_result(int to, std::int32_t tag, std::byte* begin,
                                std::unique_ptr<std::byte[]> packed, std::int64_t bytes) {
  auto* const q = new answer_data;
  q->packed = std::move(packed);
  q->head = {link_.in()->context(purpose::creation), link_.in()->rank(), tag};
  q->buffer = begin;
  q->size = static_cast<std::uint64_t>(bytes);
  q->finished = &answer_data::ended;
  link_.self().messages.send(*q, link_.world_rank(to), send_mode::standard);
}

}  // namespace imbrex::mpi
