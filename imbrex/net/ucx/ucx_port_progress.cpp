// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/ucx_port.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include <imbrex/net/ucx/heartbeat.hpp>
#include <imbrex/net/ucx/lanes.hpp>
#include <imbrex/net/ucx/ucx_port_parts.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::ucx {

namespace {

/// For the watchman, which is on this host, to be told.
constexpr std::chrono::milliseconds longest_wait_for_watchman{100};

}  // namespace

ucx_port::ucx_port(ucp_context_h context, int process, const places& where, network::receiver& to)
    : process_(process),
      where_(where),
      leaves_rendezvous_to_ucx_(std::getenv("UCX_RNDV_THRESH") != nullptr),  // who sets it means it
      to_(to) {
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
  handle_messages();
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
  if (other.on_this_host && !leaves_rendezvous_to_ucx_ && longest_header_ >= longest_about_block)
    made->access = access_to_ours::unasked;
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
  const std::vector<std::byte> greeting(greeting_bytes);
  const auto is_elsewhere = [this](std::size_t port) { return where_.ports[port].process != process_; };
  if (where_.ports.size() > most_ports_greeted) return be_connected_to_neighbour();
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

void ucx_port::be_connected_to_neighbour() {
  const auto neighbour = std::ranges::find_if(
      where_.ports, [this](const remote_port& p) { return p.on_this_host && p.process != process_; });
  if (neighbour != where_.ports.end()) peer_at(static_cast<std::size_t>(neighbour - where_.ports.begin()));
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
  if (!peers_with_batches_.empty()) send_batches();  // what was kept before them may have left
  if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
  return took_;
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
  worker_.reset();
  // What UCX had not finished with, which belongs to the PEs' memory.
  departing_.clear();
  arriving_.clear();
  peers_.clear();
  return finished;
}

}  // namespace imbrex::ucx
