// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include <imbrex/net/batch.hpp>
#include <imbrex/net/packing.hpp>
#include <imbrex/net/ucx/heartbeat.hpp>
#include <imbrex/net/ucx/shared_memory.hpp>
#include <imbrex/net/ucx/ucx_port.hpp>
#include <imbrex/net/ucx/ucx_port_parts.hpp>
#include <imbrex/serial/archive.hpp>
#include <imbrex/serial/error.hpp>

namespace imbrex::ucx {

namespace {

/// What stands behind everything else. Throws serial_error if the bytes are too few.
template <class T>
T last_of(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(T)) imbrex::detail::throw_truncated(sizeof(T), bytes.size(), 0);
  T value;
  std::memcpy(&value, bytes.data() + bytes.size() - sizeof value, sizeof value);
  return value;
}

/// Reads an item's header, at whose end the position stands of a block of that size. `block` is null if it is
/// still to come.
reader reader_of(std::span<const std::byte> header, std::size_t size, const std::byte* block,
                 std::size_t shortest) {
  const auto position = last_of<std::uint64_t>(header);
  if (size < shortest)
    throw serial_error("malformed message: a block of " + std::to_string(size) + " bytes stands apart");
  return {header.first(header.size() - sizeof position), {position, size, block}};
}

[[noreturn]] void throw_no_such_port(std::size_t port) {
  throw serial_error("malformed message: it says that it comes from port " + std::to_string(port));
}

/// What requests end with when their peer or the link is lost: that is told by its endpoint, the launcher or the heartbeat,
/// with its name.
bool tells_of_a_loss(ucs_status_t status) {
  return status == UCS_ERR_ENDPOINT_TIMEOUT || status == UCS_ERR_CONNECTION_RESET ||
         status == UCS_ERR_IO_ERROR || status == UCS_ERR_CANCELED;
}

}  // namespace

void ucx_port::handle_messages() {
  handle<item_message>();
  handle<item_with_block>();
  handle<batch_message>();
  handle<notice_message>();
  handle<watch_message>();
  handle<greeting_message>();
  handle<memory_offer>();
  handle<memory_taken>();
  handle<path_verdict>();
  handle<item_in_memory>();
  handle<item_on_trial>();
}

template <ucx_port::kind What>
void ucx_port::handle() {
  ucp_am_handler_param_t handler{};
  handler.field_mask =
      UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = What;
  handler.cb = &on_message<What>;
  handler.arg = this;
  check(ucp_worker_set_am_recv_handler(worker_.get(), &handler), "ucp_worker_set_am_recv_handler");
}

template <class Function>
[[gnu::always_inline]] inline void ucx_port::guarded(const Function& function) noexcept {
  if (closing_) return;
  try {
    function();
  } catch (...) {
    if (!problem_) problem_ = std::current_exception();
  }
}

[[gnu::always_inline]] inline bool ucx_port::is_ours(std::span<const std::byte>& bytes) const {
  if (take_token(bytes, where_.token)) [[likely]]
    return true;
  tell_of_stranger_here();
  return false;
}

void ucx_port::tell_of_stranger_here() const {
  tell_of_stranger(pe_ ? "PE " + std::to_string(*pe_) : "process " + std::to_string(process_));
}

/// True if a block stands apart from the item that it is of, which is the header.
constexpr bool ucx_port::is_beside_block(kind what) {
  return what == item_with_block || what == item_on_trial;
}

template <ucx_port::kind What>
ucs_status_t ucx_port::on_message(void* self, const void* header, std::size_t header_length, void* data,
                                  std::size_t length, const ucp_am_recv_param_t* how_it_came) {
  auto& port = *static_cast<ucx_port*>(self);
  std::span<const std::byte> first(static_cast<const std::byte*>(header), header_length);
  std::span<const std::byte> rest(static_cast<const std::byte*>(data), length);
  ucs_status_t status = UCS_OK;
  port.guarded([&]() __attribute__((always_inline)) {
    if ((how_it_came->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0) {
      // What is short has come whole before it is read, and memory for it is there to be had.
      const bool has_no_header = !is_beside_block(What) && first.empty() && length <= longest_without_header;
      if (has_no_header || port.is_ours(first)) status = port.be_offered(What, first, length, data);
    } else if (port.is_ours(is_beside_block(What) ? first : rest)) {
      port.take(What, first, rest);
    }
  });
  return status;
}

void ucx_port::take(kind what, std::span<const std::byte> header, std::span<const std::byte> data) {
  switch (what) {
    case item_message: return take_item(data);
    case item_with_block: return take_item_with_block(header, data);
    case batch_message: return take_batch(data);
    case notice_message: return take_notice(data);
    case watch_message: return take_watch(data);
    case greeting_message: return;
    case memory_offer: offers_.push_back({what, {data.begin(), data.end()}, 0, nullptr}); return;
    case memory_taken: return use_memory(data);
    case path_verdict: return take_verdict(data);
    case item_on_trial: return take_item_on_trial(header, data);
    case item_in_memory:
      if (offers_.empty() && !is_full_) return take_item_in_memory(data);
      offers_.push_back({what, {data.begin(), data.end()}, 0, nullptr});
  }
}

void ucx_port::take_item(std::span<const std::byte> bytes) {
  const int to = take_address(bytes);
  took_ = true;
  to_.take(bytes, to);
  count_received();
}

void ucx_port::take_batch(std::span<const std::byte> bytes) {
  batch::for_each(bytes, [this](std::span<const std::byte> item) { take_item(item); });
}

void ucx_port::take_notice(std::span<const std::byte> bytes) {
  took_ = true;
  reader in(bytes);
  int process = 0;
  in(process);
  to_.notice(process, in.view(in.remaining()));
}

void ucx_port::take_watch(std::span<const std::byte> bytes) {
  reader in(bytes);
  int host = 0;
  in(host);
  if (where_.own_heartbeat != nullptr) where_.own_heartbeat->want(host);
}

void ucx_port::take_item_with_block(std::span<const std::byte> header, std::span<const std::byte> block) {
  const int to = take_address(header);
  reader in = reader_of(header, block.size(), block.data(), shortest_block_lent);
  arrived(to_.unpack(in), to, header.size() + block.size());
}

void ucx_port::take_item_on_trial(std::span<const std::byte> header, std::span<const std::byte> block) {
  const auto tried = last_of<trial_mark>(header);
  const auto begun = std::chrono::steady_clock::now();
  take_item_with_block(header.first(header.size() - sizeof tried), block);
  compare(tried, long_path::rendezvous, block.size(), begun);
}

void ucx_port::take_item_in_memory(std::span<const std::byte> bytes) {
  const auto mark = last_of<block_mark>(bytes);
  peer& from = known_peer(mark.tried.from);
  if (!from.theirs) throw serial_error("malformed message: a block in memory that has not been offered");
  const auto block = from.theirs->at(mark.where);
  const bool is_tried = mark.tried.trial != 0;
  const auto begun = is_tried ? std::chrono::steady_clock::now() : time_point();
  take_item_with_block(bytes.first(bytes.size() - sizeof mark), block);
  from.theirs->release(mark.where);
  if (is_tried) compare(mark.tried, long_path::memory, block.size(), begun);
}

void ucx_port::compare(const trial_mark& tried, long_path by, std::size_t size, time_point begun) {
  const auto now = std::chrono::steady_clock::now();
  const auto received = now - std::max(begun, compared_last_);
  compared_last_ = now;
  if (tried.spent == 0) return;
  peer& from = known_peer(tried.from);
  const std::size_t which = size_class::of(size);
  const auto better =
      from.trials[which].add(tried.trial, by, received + std::chrono::nanoseconds(tried.spent));
  if (better) tell_of_path(from, {own_number(), static_cast<std::uint32_t>(which), tried.trial, *better});
}

void ucx_port::take_memory(std::span<const std::byte> bytes) {
  reader in(bytes);
  std::uint64_t port = 0;
  shared_memory_key key;
  in(port, key);
  in.finish();
  if (port >= where_.ports.size() || !where_.ports[port].on_this_host) throw_no_such_port(port);
  peer* const owner = peer_at(port);
  if (owner == nullptr || owner->theirs) return;
  owner->theirs = foreign_memory::find(key);
  if (owner->theirs) tell_of_memory(*owner);
}

void ucx_port::use_memory(std::span<const std::byte> bytes) {
  peer& neighbour = known_peer(last_of<std::uint64_t>(bytes));
  if (neighbour.access == access_to_ours::awaited) neighbour.access = access_to_ours::yes;
}

void ucx_port::take_verdict(std::span<const std::byte> bytes) {
  const auto told = last_of<verdict>(bytes);
  if (told.which >= size_class::number || told.better > long_path::memory)
    throw serial_error("malformed message: path " + std::to_string(static_cast<int>(told.better)) +
                       " for the sizes " + std::to_string(told.which));
  known_peer(told.from).choices[told.which].decide(told.trial, told.better);
}

ucx_port::peer& ucx_port::known_peer(std::size_t port) const {
  if (port >= peers_.size() || !peers_[port]) throw_no_such_port(port);
  return *peers_[port];
}

int ucx_port::take_address(std::span<const std::byte>& bytes) const {
  if (pe_) return *pe_;
  const int pe = last_of<int>(bytes);
  bytes = bytes.first(bytes.size() - sizeof pe);
  return pe;
}

bool ucx_port::has_room_for(std::size_t size) const {
  const std::size_t most = where_.are_on_one_host ? most_arriving_bytes_on_host : most_arriving_bytes;
  return !is_full_ && (arriving_.empty() || arriving_bytes_ + size <= most);
}

ucs_status_t ucx_port::be_offered(kind what, std::span<const std::byte> header, std::size_t size,
                                  void* described) {
  if (!offers_.empty() || !has_room_for(size)) {
    offers_.push_back({what, {header.begin(), header.end()}, size, described});
    return UCS_INPROGRESS;
  }
  accept(what, header, size, described);
  return UCS_OK;
}

void ucx_port::accept(kind what, std::span<const std::byte> header, std::size_t size, void* described) {
  if (described == nullptr) return what == memory_offer ? take_memory(header) : take_item_in_memory(header);
  auto coming = std::make_unique<arrival>(*this, what, size);
  if (what == item_on_trial) {
    coming->begun = std::chrono::steady_clock::now();
    coming->tried = last_of<trial_mark>(header);
    header = header.first(header.size() - sizeof(trial_mark));
  }
  if (is_beside_block(what)) {
    coming->pe = take_address(header);
    reader in = reader_of(header, size, nullptr, shortest_block_lent);
    coming->item = &to_.unpack(in);
    coming->place = in.place_of_block();
  } else {
    coming->bytes = std::make_unique_for_overwrite<std::byte[]>(size);
    coming->place = coming->bytes.get();
  }
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  how.cb.recv_am = &arrival::ended;
  how.user_data = coming.get();
  arriving_bytes_ += size;
  arrival& held = arriving_.hold(std::move(coming));
  const ucs_status_ptr_t request =
      ucp_am_recv_data_nbx(worker_.get(), described, held.place, held.size, &how);
  if (!UCS_PTR_IS_PTR(request)) held.end(UCS_PTR_STATUS(request));
}

void ucx_port::arrival::ended(void* request, ucs_status_t status, std::size_t, void* self) {
  ucp_request_free(request);
  static_cast<arrival*>(self)->end(status);
}

void ucx_port::arrival::end(ucs_status_t status) {
  const auto mine = to.arriving_.release(*this);
  to.arriving_bytes_ -= size;
  if (tells_of_a_loss(status)) return;
  to.guarded([&] {
    check(status, "receiving a long message");
    if (tried) to.compare(*tried, long_path::rendezvous, size, begun);
    if (item != nullptr) return to.arrived(*std::exchange(item, nullptr), pe, size);
    std::span<const std::byte> all(bytes.get(), size);
    if (to.is_ours(all)) to.take(what, {}, all);
  });
}

void ucx_port::accept_offers() {
  while (!offers_.empty() && has_room_for(offers_.front().size)) accept_first_offer();
}

void ucx_port::accept_first_offer() {
  const offer next = std::move(offers_.front());
  offers_.pop_front();
  try {
    accept(next.what, next.header, next.size, next.described);
  } catch (...) {  // it makes no item
    if (next.described != nullptr) ucp_am_data_release(worker_.get(), next.described);
    throw;
  }
}

void ucx_port::decline_offers() noexcept {
  for (const offer& o : offers_)
    if (o.described != nullptr) ucp_am_data_release(worker_.get(), o.described);
  offers_.clear();
}

void ucx_port::arrived(work& item, int pe, std::size_t bytes) {
  took_ = true;
  to_.arrived(item, pe, bytes);
  count_received();
}

void ucx_port::lost(int process, ucs_status_t why) noexcept {
  guarded([&] { to_.lost(process, ucs_status_string(why)); });
}

}  // namespace imbrex::ucx
