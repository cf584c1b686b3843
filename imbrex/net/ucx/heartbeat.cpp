// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/heartbeat.hpp>

#include <cstring>

#include <imbrex/base/background_thread.hpp>
#include <imbrex/net/bootstrap/internal/environment.hpp>

namespace imbrex::ucx {
namespace {

using namespace std::chrono_literals;

/// So many beats in the time that nothing may be heard.
constexpr int beats_in_silence = 8;
constexpr unsigned beat_message = 0;

}  // namespace

struct heartbeat::peer {
  int process = 0;
  ucp_ep_h endpoint = nullptr;
  ucs_status_ptr_t sending = nullptr;
  bool broken = false;
  int missed = 0;  ///< beats since it was heard. Not a time: while this process is stopped, it hears nobody.

  static void failed(void* self, ucp_ep_h, ucs_status_t) { static_cast<peer*>(self)->broken = true; }

  void send(const int& own) {
    if (UCS_PTR_IS_PTR(sending)) {
      if (ucp_request_check_status(sending) == UCS_INPROGRESS) return;  // one beat on the way is enough
      ucp_request_free(sending);
    }
    sending = nullptr;
    if (broken) return;
    ucp_request_param_t how{};
    how.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    how.flags = UCP_AM_SEND_FLAG_EAGER;
    sending = ucp_am_send_nbx(endpoint, beat_message, nullptr, 0, &own, sizeof own, &how);
  }
};

std::chrono::milliseconds heartbeat::silence() {
  return environment_seconds("IMBREX_SILENCE", 16s, 0.1, "that a process may be silent, or 0 for any time");
}

heartbeat::heartbeat(ucp_context_h context, int process, std::chrono::milliseconds silence,
                     network::receiver& to)
    : process_(process), interval_(silence / beats_in_silence), to_(to) {
  ucp_worker_params_t how{};
  how.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  how.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  ucp_worker_h made = nullptr;
  check(ucp_worker_create(context, &how, &made), "ucp_worker_create");
  worker_.reset(made);
  ucp_am_handler_param_t handler{};
  handler.field_mask =
      UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = beat_message;
  handler.cb = &heartbeat::heard;
  handler.arg = this;
  check(ucp_worker_set_am_recv_handler(made, &handler), "ucp_worker_set_am_recv_handler");
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
  ucp_request_param_t force{};
  force.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  force.flags = UCP_EP_CLOSE_FLAG_FORCE;
  for (auto& p : peers_) {
    void* request = ucp_ep_close_nbx(p->endpoint, &force);
    if (UCS_PTR_IS_PTR(request)) {
      while (ucp_request_check_status(request) == UCS_INPROGRESS) ucp_worker_progress(worker_.get());
      ucp_request_free(request);
    }
    if (UCS_PTR_IS_PTR(p->sending)) ucp_request_free(p->sending);
  }
}

std::string heartbeat::address() const { return address_of(worker_.get()); }

void heartbeat::watch(int process, const std::string& address) {
  auto made = std::make_unique<peer>();
  made->process = process;
  ucp_ep_params_t how{};
  how.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                   UCP_EP_PARAM_FIELD_ERR_HANDLER;
  how.address = reinterpret_cast<const ucp_address_t*>(address.data());
  how.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  how.err_handler = {&peer::failed, made.get()};
  check(ucp_ep_create(worker_.get(), &how, &made->endpoint), "ucp_ep_create");
  peers_.push_back(std::move(made));
}

void heartbeat::start() {
  thread_ = background_thread([this] { run(); });
}

ucs_status_t heartbeat::heard(void* self, const void*, std::size_t, void* data, std::size_t length,
                              const ucp_am_recv_param_t*) {
  int process = -1;
  if (length == sizeof process) std::memcpy(&process, data, sizeof process);
  for (auto& p : static_cast<heartbeat*>(self)->peers_)
    if (p->process == process) p->missed = 0;
  return UCS_OK;
}

heartbeat::peer* heartbeat::beat() {
  peer* silent = nullptr;
  for (auto& p : peers_) {
    p->send(process_);
    if (++p->missed > beats_in_silence && silent == nullptr) silent = p.get();
  }
  return silent;
}

void heartbeat::run() {
  std::unique_lock hold(lock_);
  while (!stop_) {
    hold.unlock();
    while (ucp_worker_progress(worker_.get()) != 0) continue;
    if (const peer* silent = beat()) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(interval_ * beats_in_silence);
      return to_.lost(silent->process, "nothing has been heard of it for " + std::to_string(seconds.count()) +
                                           " s; IMBREX_SILENCE=SECONDS allows more");
    }
    while (ucp_worker_progress(worker_.get()) != 0) continue;
    hold.lock();
    stopped_.wait_for(hold, interval_, [this] { return stop_; });
  }
}

}  // namespace imbrex::ucx
