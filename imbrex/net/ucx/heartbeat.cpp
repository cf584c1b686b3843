// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/heartbeat.hpp>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include <imbrex/base/host/background_thread.hpp>
#include <imbrex/net/bootstrap/environment.hpp>

namespace imbrex::ucx {
namespace {

using namespace std::chrono_literals;

/// Number of beats within the longest permitted silence.
constexpr int beats_in_silence = 8;
constexpr unsigned beat_message = 0;
/// The thread looks so often for answers while connections are being made.
constexpr auto pause_while_connecting = 10ms;

}  // namespace

/// The content of a beat.
struct heartbeat::beat_of_host {
  endpoints::run_token token;
  std::int64_t host;
};

struct heartbeat::peer {
  ucp_ep_h endpoint = nullptr;
  ucs_status_ptr_t sending = nullptr;
  bool broken = false;
  bool has_sent_beat = false;
  beat_of_host last{};
  int missed = 0;  ///< beats sent since the last one received; not a time, since this process receives
                   ///< nothing while stopped

  static void failed(void* self, ucp_ep_h, ucs_status_t) { static_cast<peer*>(self)->broken = true; }

  void send(const beat_of_host& own) {
    if (UCS_PTR_IS_PTR(sending)) {
      if (ucp.request_check_status(sending) == UCS_INPROGRESS) return;  // one beat in transfer is enough
      ucp.request_free(sending);
    }
    sending = nullptr;
    if (broken) return;
    ucp_request_param_t parameters{};
    parameters.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    parameters.flags = UCP_AM_SEND_FLAG_EAGER;
    last = own;
    sending = ucp.am_send_nbx(endpoint, beat_message, nullptr, 0, &last, sizeof last, &parameters);
  }

  /// True until a beat has come and one has left, for which both hosts must have looked several times. Then
  /// no answer of UCX to the other host's connection waits any more.
  bool is_connecting() const {
    const bool is_leaving = UCS_PTR_IS_PTR(sending) && ucp.request_check_status(sending) == UCS_INPROGRESS;
    return !broken && (!has_sent_beat || is_leaving);
  }

  void close(ucp_worker_h worker) {
    ucp_request_param_t force{};
    force.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    force.flags = UCP_EP_CLOSE_FLAG_FORCE;
    void* request = endpoint != nullptr ? ucp.ep_close_nbx(endpoint, &force) : nullptr;
    if (UCS_PTR_IS_PTR(request)) {
      while (ucp.request_check_status(request) == UCS_INPROGRESS) ucp.worker_progress(worker);
      ucp.request_free(request);
    }
    if (UCS_PTR_IS_PTR(sending)) ucp.request_free(sending);
  }
};

std::chrono::milliseconds heartbeat::silence() {
  return environment_seconds("IMBREX_SILENCE", 16s, 0.1, "that a process may be silent, or 0 for any time");
}

heartbeat::heartbeat(int host, const std::vector<link_monitor>& hosts, std::chrono::milliseconds silence,
                     const ways& open, endpoints::run_token token, detail::network::receiver& to)
    : host_(host),
      token_(token),
      hosts_(hosts),
      interval_(silence / beats_in_silence),
      to_(to),
      context_(make_context(connecting::in_background, open)) {
  ucp_worker_params_t parameters{};
  parameters.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  parameters.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  worker_ = make_worker(context_.get(), parameters);
  ucp_am_handler_param_t handler{};
  handler.field_mask =
      UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = beat_message;
  handler.cb = &heartbeat::receive_beat;
  handler.arg = this;
  check(ucp.worker_set_am_recv_handler(worker_.get(), &handler), "ucp_worker_set_am_recv_handler");
}

heartbeat::~heartbeat() {
  if (thread_.joinable()) {
    {
      const std::lock_guard hold(lock_);
      stop_ = true;
    }
    stopped_.notify_one();
    thread_.join();
  }
  // UCX 1.13 aborts if an endpoint ends while an answer to the connection of another one waits for TCP. Such
  // an answer is only excluded to hosts from which a beat has come.
  if (is_connecting() || peers_.size() + 1 < hosts_.size()) {
    static std::mutex lock;
    static auto& kept = *new std::vector<std::tuple<context, worker, decltype(peers_)>>;
    const std::lock_guard hold(lock);
    kept.emplace_back(std::move(context_), std::move(worker_), std::move(peers_));
    return;
  }
  for (auto& [host, p] : peers_) p->close(worker_.get());
}

bool heartbeat::is_connecting() const {
  return std::ranges::any_of(peers_, [](const auto& each) { return each.second->is_connecting(); });
}

std::string heartbeat::address() const { return address_of(worker_.get()); }

void heartbeat::start() {
  for (int host = 0; host < static_cast<int>(hosts_.size()); ++host)
    if (host == 0 || host_ == 0) monitor(host);
  thread_ = background_thread("that watches the links to other hosts", [this] { run(); });
}

ucs_status_t heartbeat::receive_beat(void* self, const void*, std::size_t, void* data, std::size_t length,
                                     const ucp_am_recv_param_t*) {
  auto& h = *static_cast<heartbeat*>(self);
  beat_of_host beat{};
  if (length == sizeof beat) std::memcpy(&beat, data, sizeof beat);
  if (length != sizeof beat || beat.token != h.token_) {
    endpoints::tell_of_stranger("the heartbeat of this host");
    return UCS_OK;
  }
  const int host = static_cast<int>(beat.host);
  const auto found = h.peers_.find(host);
  if (found != h.peers_.end()) {
    found->second->missed = 0;
    found->second->has_sent_beat = true;
  } else {
    h.monitor(host);
  }
  return UCS_OK;
}

void heartbeat::monitor(int host) {
  if (host < 0 || host >= static_cast<int>(hosts_.size()) || host == host_) return;
  const std::lock_guard hold(lock_);
  requested_hosts_.push_back(host);
}

std::vector<int> heartbeat::take_requested_hosts() {
  const std::lock_guard hold(lock_);
  return std::exchange(requested_hosts_, {});
}

void heartbeat::watch(int host) {
  const std::string& address = hosts_[static_cast<std::size_t>(host)].address;
  if (address.empty() || peers_.contains(host)) return;
  auto p = std::make_unique<peer>();
  ucp_ep_params_t parameters{};
  parameters.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                          UCP_EP_PARAM_FIELD_ERR_HANDLER;
  parameters.address = reinterpret_cast<const ucp_address_t*>(address.data());
  parameters.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  parameters.err_handler = {&peer::failed, p.get()};
  p->broken = ucp.ep_create(worker_.get(), &parameters, &p->endpoint) != UCS_OK;
  peers_.emplace(host, std::move(p));
}

std::optional<int> heartbeat::beat() {
  for (const int host : take_requested_hosts()) watch(host);
  std::optional<int> silent;
  for (auto& [host, p] : peers_) {
    p->send({token_, host_});
    if (++p->missed > beats_in_silence) silent = host;
  }
  return silent;
}

bool heartbeat::pause_until(std::chrono::steady_clock::time_point end) {
  for (;;) {
    while (ucp.worker_progress(worker_.get()) != 0) continue;
    const auto now = std::chrono::steady_clock::now();
    const auto look = is_connecting() ? std::min(end, now + pause_while_connecting) : end;
    std::unique_lock hold(lock_);
    if (stopped_.wait_until(hold, look, [this] { return stop_; })) return false;
    if (look == end) return true;
  }
}

void heartbeat::run() {
  do {
    while (ucp.worker_progress(worker_.get()) != 0) continue;
    if (const auto silent = beat()) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(interval_ * beats_in_silence);
      return to_.lost(hosts_[static_cast<std::size_t>(*silent)].process,
                      "nothing was received from it for " + std::to_string(seconds.count()) +
                          " s; IMBREX_SILENCE=SECONDS allows more");
    }
  } while (pause_until(std::chrono::steady_clock::now() + interval_));
}

}  // namespace imbrex::ucx
