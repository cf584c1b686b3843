// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/ucx_port.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include <imbrex/net/batch.hpp>
#include <imbrex/net/packing.hpp>
#include <imbrex/net/ucx/heartbeat.hpp>
#include <imbrex/net/ucx/lanes.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::ucx {

namespace {

/// For the watchman, which is on this host, to be told.
constexpr std::chrono::milliseconds longest_wait_for_watchman{100};

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

/// What UCX still reads: packed bytes, and an item that has a block of its own.
struct ucx_port::departure {
  explicit departure(ucx_port& p) : from(p) {}
  departure(const departure&) = delete;
  departure& operator=(const departure&) = delete;
  ~departure() {
    if (item != nullptr) item->type->destroy(*item);
  }

  ucx_port& from;
  std::size_t held_at = 0;
  std::vector<std::byte> bytes;
  work* item = nullptr;
  std::size_t size = 0;

  static void ended(void* request, ucs_status_t, void* self) {
    auto& port = static_cast<departure*>(self)->from;
    const auto mine = port.departing_.release(*static_cast<departure*>(self));
    port.departing_bytes_ -= mine->size;
    ucp_request_free(request);  // a failure is told by the endpoint's handler
  }
};

/// What UCX fills: the message was too long to come unasked (rendezvous).
struct ucx_port::arrival {
  arrival(ucx_port& p, kind k, std::size_t length) : to(p), what(k), size(length) {}
  arrival(const arrival&) = delete;
  arrival& operator=(const arrival&) = delete;
  ~arrival() {
    if (item != nullptr) item->type->destroy(*item);
  }

  ucx_port& to;
  kind what;
  std::size_t size;
  std::size_t held_at = 0;
  std::unique_ptr<std::byte[]> bytes;  ///< of a message as a whole
  work* item = nullptr;                ///< or what it is unpacked to, but for a block
  int pe = 0;                          ///< that the item is for
  std::byte* place = nullptr;          ///< of either

  static void ended(void* request, ucs_status_t status, std::size_t, void* self) {
    ucp_request_free(request);
    static_cast<arrival*>(self)->end(status);
  }
  void end(ucs_status_t status) {
    const auto mine = to.arriving_.release(*this);
    to.arriving_bytes_ -= size;
    if (tells_of_a_loss(status)) return;
    to.guarded([&] {
      check(status, "receiving a long message");
      item != nullptr ? to.arrived(*std::exchange(item, nullptr), pe, size)
                      : to.take(what, {}, {bytes.get(), size});
    });
  }
};

struct ucx_port::peer {
  peer(ucx_port& p, int of) : owner(p), process(of) {}

  ucx_port& owner;
  int process;
  ucp_ep_h endpoint = nullptr;
  bool is_of_one_pe = true;
  writer waiting;                             ///< the batch of items that wait
  bool is_listed = false;                     ///< in `peers_with_batches_`
  std::size_t full_batch = first_full_batch;  ///< bytes from which on it leaves
  std::size_t sent_unasked = 0;  ///< bytes up to which no rendezvous is wanted, whatever UCX would choose
  std::unique_ptr<foreign_memory> theirs;  ///< what that one has offered
  enum class sharing : std::uint8_t { none, not_offered, offered, taken, paused };
  sharing ours = sharing::none;       ///< whether that one reads this port's memory
  std::chrono::milliseconds pause{};  ///< the last one's length
  std::chrono::steady_clock::time_point paused_until;

  static void failed(void* self, ucp_ep_h, ucs_status_t why) {
    auto& p = *static_cast<peer*>(self);
    p.owner.lost(p.process, why);
  }
};

ucx_port::ucx_port(ucp_context_h context, int process, const places& where, network::receiver& to)
    : process_(process),
      where_(where),
      leaves_rendezvous_to_ucx_(std::getenv("UCX_RNDV_THRESH") != nullptr),  // who sets it means it
      to_(to),
      context_(context) {
  ucp_worker_params_t how{};
  how.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_EVENTS;
  how.thread_mode = UCS_THREAD_MODE_SERIALIZED;  // made here, driven by the PE's thread, ended here
  how.events = UCP_WAKEUP_RX | UCP_WAKEUP_TX;
  worker_ = make_worker(context, how);
  check(ucp_worker_get_efd(worker_.get(), &descriptor_), "ucp_worker_get_efd");
  ucp_worker_attr_t limits{};
  limits.field_mask = UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER;
  check(ucp_worker_query(worker_.get(), &limits), "ucp_worker_query");
  longest_header_ = limits.max_am_header;
  out_.lend_from(shortest_block_lent);
  how_to_send_.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  how_to_send_.cb.send = &departure::ended;

  handle(item_message, &on_message<item_message>);
  handle(item_with_block, &on_message<item_with_block>);
  handle(batch_message, &on_message<batch_message>);
  handle(notice_message, &on_message<notice_message>);
  handle(watch_message, &on_message<watch_message>);
  handle(greeting_message, &on_message<greeting_message>);
  handle(memory_offer, &on_message<memory_offer>);
  handle(memory_taken, &on_message<memory_taken>);
  handle(memory_far, &on_message<memory_far>);
  handle(item_in_memory, &on_message<item_in_memory>);
}

void ucx_port::handle(kind what, ucp_am_recv_callback_t callback) {
  ucp_am_handler_param_t handler{};
  handler.field_mask =
      UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = what;
  handler.cb = callback;
  handler.arg = this;
  check(ucp_worker_set_am_recv_handler(worker_.get(), &handler), "ucp_worker_set_am_recv_handler");
}

ucx_port::~ucx_port() { close(); }

std::string ucx_port::address() const { return address_of(worker_.get()); }

ucx_port::peer* ucx_port::peer_at(std::size_t port) {
  return port < peers_.size() && peers_[port] ? peers_[port].get() : connect_to(port);
}

ucx_port::peer* ucx_port::connect_to(std::size_t port) {
  have_watched(port);
  if (peers_.empty()) peers_.resize(where_.ports.size());
  if (peers_[port]) return peers_[port].get();  // what came meanwhile has been answered
  const remote_port& other = where_.ports[port];
  auto made = std::make_unique<peer>(*this, other.process);
  ucp_ep_params_t how{};
  how.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                   UCP_EP_PARAM_FIELD_ERR_HANDLER;
  how.address = reinterpret_cast<const ucp_address_t*>(other.address.data());
  // To hear of a peer's death UCX would do without shared memory; on one host the launcher tells of it.
  how.err_mode = other.on_this_host ? UCP_ERR_HANDLING_MODE_NONE : UCP_ERR_HANDLING_MODE_PEER;
  how.err_handler = {&peer::failed, made.get()};
  const ucs_status_t status = ucp_ep_create(worker_.get(), &how, &made->endpoint);
  if (status != UCS_OK) {
    lost(other.process, status);
    return nullptr;
  }
  if (!other.on_this_host && !leaves_rendezvous_to_ucx_ && is_tcp_alone(made->endpoint))
    made->sent_unasked = most_sent_unasked_over_tcp;
  made->is_of_one_pe = other.is_of_one_pe;
  if (other.on_this_host && !leaves_rendezvous_to_ucx_) made->ours = peer::sharing::not_offered;
  peers_[port] = std::move(made);
  return peers_[port].get();
}

void ucx_port::have_watched(std::size_t port) {
  const remote_port& other = where_.ports[port];
  if (!where_.watchman || other.on_this_host || !hosts_.insert(other.host).second) return;
  if (where_.own_heartbeat != nullptr) return where_.own_heartbeat->want(other.host);
  const bool was_sending = sending();  // so much else would be waited for
  peer* const watchman = peer_at(where_.first_port[static_cast<std::size_t>(*where_.watchman)]);
  if (watchman == nullptr) return;
  out_(other.host);
  transmit(watch_message, *watchman, nullptr);
  // It has to leave now: TCP's connect() to a host that cannot be reached blocks for two minutes.
  const auto until = std::chrono::steady_clock::now() + longest_wait_for_watchman;
  while (!was_sending && !progressing_ && sending() && std::chrono::steady_clock::now() < until) move();
}

void ucx_port::greet_others() {
  has_greeted_ = true;
  if (where_.ports.size() > most_ports_greeted) return;
  const std::vector<std::byte> greeting(greeting_bytes);
  const auto is_elsewhere = [this](std::size_t port) { return where_.ports[port].process != process_; };
  for (std::size_t port = 0; port < where_.ports.size(); ++port)
    if (is_elsewhere(port)) have_watched(port);
  for (std::size_t port = 0; port < where_.ports.size(); ++port) {
    peer* const other = is_elsewhere(port) ? peer_at(port) : nullptr;
    if (other == nullptr) continue;
    out_.bytes(greeting.data(), greeting.size());
    transmit(greeting_message, *other, nullptr);
  }
  const auto until = std::chrono::steady_clock::now() + longest_wait_for_answers;
  while (sending() && std::chrono::steady_clock::now() < until)
    if (!move()) std::this_thread::yield();
}

void ucx_port::send(work& item, int to) {
  if (closing_) return item.type->destroy(item);
  if (out_.size() != 0) [[unlikely]]
    return apart([&] { send(item, to); });
  peer* const other = peer_at(where_.port_of_pe[static_cast<std::size_t>(to)]);
  if (other == nullptr) return item.type->destroy(item);
  const bool coalesced = item.coalesced;
  pack(item);
  if (out_.lent().bytes.empty()) {
    item.type->destroy(item);
    address(to, *other);
    const bool may_wait = coalesced && out_.written().size() <= longest_in_batch;
    if (may_wait) {
      batch::append(other->waiting, out_.written());
      out_.clear();
      held_back(*other);
    } else {
      transmit(item_message, *other, nullptr);
    }
  } else {
    send_lending(item, to, *other);
  }
  count_sent();
}

void ucx_port::count_sent() {
  sent_.store(sent() + 1, std::memory_order_relaxed);
  const std::size_t many = is_full_ ? most_departing_bytes : many_departing_bytes;  // more would come, too
  if (departing_bytes_ > many && !progressing_) move();
}

std::byte* ucx_port::room_for(int to, bool may_wait) {
  const std::size_t port = where_.port_of_pe[static_cast<std::size_t>(to)];
  const bool is_connected = port < peers_.size() && peers_[port] != nullptr;
  if (closing_ || out_.size() != 0 || !is_connected) return nullptr;
  written_to_ = peers_[port].get();
  if (!written_to_->is_of_one_pe) return nullptr;
  return may_wait ? batch::room(written_to_->waiting, longest_written) : out_.room(longest_written);
}

void ucx_port::send_written(std::size_t bytes, bool may_wait) {
  peer& other = *written_to_;
  if (may_wait) {
    batch::filled(other.waiting, bytes);
    held_back(other);
    return count_sent();
  }
  if (other.waiting.size() != 0) send_batch(other);
  if (!next_departure_) [[unlikely]]
    prepare_departure();
  const ucs_status_ptr_t request =
      ucp_am_send_nbx(other.endpoint, item_message, nullptr, 0, out_.room(0), bytes, &how_to_send_);
  if (request != nullptr) [[unlikely]] {
    if (UCS_PTR_IS_PTR(request)) {
      out_.filled(bytes);
      depart();
    } else {
      lost(other.process, UCS_PTR_STATUS(request));
    }
  }
  count_sent();
}

template <class Function>
void ucx_port::apart(const Function& function) {
  struct outer_item {
    explicit outer_item(writer& w) : out(w), before(std::exchange(w, writer())) {}
    outer_item(const outer_item&) = delete;
    outer_item& operator=(const outer_item&) = delete;
    ~outer_item() { out = std::move(before); }
    writer& out;
    writer before;
  };
  const outer_item unfinished(out_);
  out_.lend_from(shortest_block_lent);
  function();
}

void ucx_port::held_back(peer& other) {
  if (!std::exchange(other.is_listed, true)) peers_with_batches_.push_back(&other);
  if (other.waiting.size() <= other.full_batch) return;
  other.full_batch = std::min(2 * other.full_batch, last_full_batch);
  send_batch(other);
}

void ucx_port::send_batch(peer& other) {
  writer before = std::exchange(out_, std::exchange(other.waiting, {}));
  transmit(batch_message, other, nullptr);
  other.waiting = std::exchange(out_, std::move(before));
}

void ucx_port::send_batches() {
  for (peer* const other : peers_with_batches_) {
    other->is_listed = false;
    other->full_batch = first_full_batch;
    if (other->waiting.size() != 0) send_batch(*other);
  }
  peers_with_batches_.clear();
}

void ucx_port::pack(work& item) {
  try {
    pack_or_destroy(item, out_);
  } catch (...) {
    out_.clear();
    throw;
  }
}

void ucx_port::send_lending(work& item, int to, peer& other) {
  if (send_in_memory(item, to, other)) return;
  if (out_.written().size() + sizeof(std::uint64_t) + sizeof to <= longest_header_) {
    out_(std::uint64_t{out_.lent().position});
    address(to, other);
    return transmit(item_with_block, other, &item);
  }
  out_.clear();
  {
    const writer::copying all(out_);
    pack(item);
  }
  item.type->destroy(item);
  address(to, other);
  transmit(item_message, other, nullptr);
}

bool ucx_port::send_in_memory(work& item, int to, peer& other) {
  const auto block = out_.lent();
  const bool may_be =
      out_.written().size() <= longest_beside_block && block.bytes.size() > longest_block_unasked;
  if (other.ours == peer::sharing::none || !may_be) return false;
  if (other.ours == peer::sharing::not_offered) offer_memory(other);
  if (other.ours == peer::sharing::paused && std::chrono::steady_clock::now() >= other.paused_until)
    other.ours = peer::sharing::taken;
  shared_block where;
  if (other.ours != peer::sharing::taken || !memory_->put(block.bytes, where)) return false;
  const auto written = out_.written();
  const std::vector<std::byte> rest(written.begin(), written.end());
  out_.clear();
  item.type->destroy(item);
  out_.bytes(rest.data(), rest.size());
  out_(std::uint64_t{block.position});
  address(to, other);
  out_(std::uint64_t{own_number()}, where);
  transmit(item_in_memory, other, nullptr);
  return true;
}

void ucx_port::offer_memory(peer& other) {
  other.ours = peer::sharing::offered;
  try {
    if (!memory_) memory_ = std::make_unique<shared_memory>(context_);
    apart([&] {
      out_(std::uint64_t{own_number()}, memory_->address(), memory_->key());
      transmit(memory_offer, other, nullptr);
    });
  } catch (const error&) {  // what can be done with memory is done better, and not otherwise
    other.ours = peer::sharing::none;
  }
}

std::size_t ucx_port::own_number() const {
  return pe_ ? where_.port_of_pe[static_cast<std::size_t>(*pe_)]
             : where_.first_port[static_cast<std::size_t>(process_)];
}

void ucx_port::address(int pe, const peer& other) {
  if (!other.is_of_one_pe) out_(pe);
}

int ucx_port::take_address(std::span<const std::byte>& bytes) const {
  if (pe_) return *pe_;
  const int pe = last_of<int>(bytes);
  bytes = bytes.first(bytes.size() - sizeof pe);
  return pe;
}

void ucx_port::notify(int process, std::span<const std::byte> bytes) {
  if (closing_) return;
  if (out_.size() != 0) [[unlikely]]
    return apart([&] { notify(process, bytes); });
  peer* const other = peer_at(where_.first_port[static_cast<std::size_t>(process)]);
  if (other == nullptr) return;
  out_(process_);
  out_.bytes(bytes.data(), bytes.size());
  transmit(notice_message, *other, nullptr);
}

void ucx_port::transmit(kind what, peer& other, work* item) {
  if (what != batch_message && other.waiting.size() != 0) send_batch(other);
  if (!next_departure_) prepare_departure();
  next_departure_->item = item;
  const auto packed = out_.written();
  const auto block = out_.lent().bytes;
  const ucp_request_param_t* how = &how_to_send_;
  ucp_request_param_t unasked;
  if (packed.size() + block.size() <= other.sent_unasked) {
    unasked = how_to_send_;
    unasked.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
    unasked.flags = UCP_AM_SEND_FLAG_EAGER;
    how = &unasked;
  }
  const ucs_status_ptr_t request =
      block.empty() ? ucp_am_send_nbx(other.endpoint, what, nullptr, 0, packed.data(), packed.size(), how)
                    : ucp_am_send_nbx(other.endpoint, what, packed.data(), packed.size(), block.data(),
                                      block.size(), how);
  if (UCS_PTR_IS_PTR(request)) return depart();
  out_.clear();
  if (item != nullptr) next_departure_.reset();
  if (request != nullptr) [[unlikely]]
    lost(other.process, UCS_PTR_STATUS(request));
}

void ucx_port::prepare_departure() {
  next_departure_ = std::make_unique<departure>(*this);
  how_to_send_.user_data = next_departure_.get();
}

void ucx_port::depart() {
  next_departure_->size = out_.size() + bytes_beside_payload;
  departing_bytes_ += next_departure_->size;
  next_departure_->bytes = out_.take();
  departing_.hold(std::move(next_departure_));
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

template <ucx_port::kind What>
ucs_status_t ucx_port::on_message(void* self, const void* header, std::size_t header_length, void* data,
                                  std::size_t length, const ucp_am_recv_param_t* how_it_came) {
  auto& port = *static_cast<ucx_port*>(self);
  const std::span<const std::byte> first(static_cast<const std::byte*>(header), header_length);
  ucs_status_t status = UCS_OK;
  port.guarded([&] {
    if ((how_it_came->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0)
      status = port.be_offered(What, first, length, data);
    else
      port.take(What, first, {static_cast<const std::byte*>(data), length});
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
    case memory_far: return pause_memory(data);
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

void ucx_port::take_item_in_memory(std::span<const std::byte> bytes) {
  struct described {
    std::uint64_t port;
    shared_block where;
  };
  const auto [port, where] = last_of<described>(bytes);
  peer& from = known_peer(port);
  if (!from.theirs) throw serial_error("malformed message: a block in memory that has not been offered");
  const auto block = from.theirs->at(where);
  const auto begun = std::chrono::steady_clock::now();
  take_item_with_block(bytes.first(bytes.size() - sizeof(described)), block);
  if (from.theirs->release(where, std::chrono::steady_clock::now() - begun)) tell(memory_far, from);
}

void ucx_port::take_memory(std::span<const std::byte> bytes) {
  reader in(bytes);
  std::uint64_t port = 0;
  std::uint64_t address = 0;
  std::string key;
  in(port, address, key);
  in.finish();
  if (port >= where_.ports.size() || !where_.ports[port].on_this_host) throw_no_such_port(port);
  peer* const owner = peer_at(port);
  if (owner == nullptr || owner->theirs) return;
  owner->theirs = foreign_memory::find(owner->endpoint, key, address);
  if (owner->theirs) tell(memory_taken, *owner);
}

void ucx_port::tell(kind what, peer& other) {
  apart([&] {
    out_(std::uint64_t{own_number()});
    transmit(what, other, nullptr);
  });
}

void ucx_port::use_memory(std::span<const std::byte> bytes) {
  peer& reader = known_peer(last_of<std::uint64_t>(bytes));
  if (reader.ours == peer::sharing::offered) reader.ours = peer::sharing::taken;
}

void ucx_port::pause_memory(std::span<const std::byte> bytes) {
  peer& reader = known_peer(last_of<std::uint64_t>(bytes));
  if (reader.ours != peer::sharing::taken) return;
  const auto now = std::chrono::steady_clock::now();
  const bool again = now < reader.paused_until + reader.pause;
  reader.pause = again ? std::min(2 * reader.pause, longest_pause_when_far) : shortest_pause_when_far;
  reader.paused_until = now + reader.pause;
  reader.ours = peer::sharing::paused;
}

ucx_port::peer& ucx_port::known_peer(std::size_t port) const {
  if (port >= peers_.size() || !peers_[port]) throw_no_such_port(port);
  return *peers_[port];
}

/// Of PEs that wait for each other in a circle, each with too much to send and too much to run, all must take in what the
/// others send; but where the circle is none, and somebody at its end only slow, this PE must not take in for ever.
/// Nobody can tell from here. So it looks now and then: the more rarely, the more comes at a look than leaves. And if
/// nothing leaves for long, it takes one of the long messages; that, too, the more rarely the more is here.
void ucx_port::look_now_and_then(std::size_t unread) {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_last_ < patience_) return;
  looked_last_ = now;
  const std::uint64_t came_before = received();
  const std::size_t departing_before = departing_.size();
  std::size_t before;
  do {
    before = departing_.size();
    move();
  } while (departing_.size() < before && congested());
  const std::size_t left = departing_before - std::min(departing_before, departing_.size());
  const bool too_often = received() - came_before > left;
  patience_ = std::clamp(too_often ? patience_ * 2 : patience_ / 2, shortest_patience, longest_patience);
  const std::size_t doublings = std::min(unread / most_unread - 1, most_doublings);
  if (left == 0 && now - moved_last_ < shortest_patience * (1 << doublings)) return;
  moved_last_ = now;
  if (left == 0 && !offers_.empty()) accept_first_offer();
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
  if (what == item_with_block) {
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

bool ucx_port::move() noexcept {
  progressing_ = true;
  const bool moved = ucp_worker_progress(worker_.get()) != 0;
  progressing_ = false;
  return moved;
}

bool ucx_port::progress(std::size_t unread) {
  took_ = false;
  if (!has_greeted_) [[unlikely]]
    greet_others();
  send_batches();
  is_full_ = unread > most_unread;
  if (holds_off()) {
    look_now_and_then(unread);
  } else {
    accept_offers();
    for (int round = 0; round < most_rounds && !took_ && move(); ++round) {
    }
  }
  if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
  return took_;
}

bool ucx_port::arm() {
  if (holds_off()) return true;
  const bool may_accept = !offers_.empty() && has_room_for(offers_.front().size);
  return !may_accept && ucp_worker_arm(worker_.get()) == UCS_OK;
}

bool ucx_port::flushed() {
  if (!closing_) {
    closing_ = true;  // no PE runs that could take what comes
    decline_offers();
  }
  // Not by ucp_worker_flush_nbx: of UCX 1.13, over TCP, it crashes while others connect to this worker. What TCP has still
  // to write leaves in the next calls.
  for (int round = 0; round < most_rounds && move(); ++round) {
  }
  return departing_.empty();
}

bool ucx_port::close() {
  if (!worker_) return true;
  const bool finished = departing_.empty() && arriving_.empty();
  closing_ = true;
  decline_offers();
  ucp_request_param_t force{};
  force.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  force.flags = UCP_EP_CLOSE_FLAG_FORCE;
  for (auto& p : peers_) {
    if (!p) continue;
    p->theirs.reset();
    void* request = ucp_ep_close_nbx(p->endpoint, &force);
    if (!UCS_PTR_IS_PTR(request)) continue;
    while (ucp_request_check_status(request) == UCS_INPROGRESS) move();
    ucp_request_free(request);
  }
  peers_.clear();
  worker_.reset();
  // What UCX had not finished with, which belongs to the PEs' memory.
  departing_.clear();
  arriving_.clear();
  return finished;
}

}  // namespace imbrex::ucx
