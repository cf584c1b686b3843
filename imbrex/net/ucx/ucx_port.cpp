// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/ucx_port.hpp>

#include <utility>

#include <imbrex/serial/archive.hpp>

namespace imbrex::ucx {

/// A buffer that UCX still reads.
struct ucx_port::departure {
  explicit departure(ucx_port& p) : from(p) {}

  ucx_port& from;
  std::vector<std::byte> bytes;

  static void ended(void* request, ucs_status_t, void* self) {
    const std::unique_ptr<departure> mine(static_cast<departure*>(self));
    --mine->from.departing_;
    ucp_request_free(request);  // a failure is told by the endpoint's handler
  }
};

/// A buffer that UCX fills: a message too long to come unasked (rendezvous).
struct ucx_port::arrival {
  arrival(ucx_port& p, kind k, std::size_t length) : to(p), what(k), bytes(length) {}

  ucx_port& to;
  kind what;
  std::vector<std::byte> bytes;

  static void ended(void* request, ucs_status_t status, std::size_t, void* self) {
    ucp_request_free(request);
    static_cast<arrival*>(self)->end(status);
  }
  void end(ucs_status_t status) {
    const std::unique_ptr<arrival> mine(this);
    --to.arriving_;
    if (status == UCS_OK) to.take(what, bytes);
  }
};

struct ucx_port::peer {
  peer(ucx_port& p, int of) : owner(p), process(of) {}

  ucx_port& owner;
  int process;
  ucp_ep_h endpoint = nullptr;

  static void failed(void* self, ucp_ep_h, ucs_status_t why) {
    auto& p = *static_cast<peer*>(self);
    p.owner.lost(p.process, why);
  }
};

ucx_port::ucx_port(ucp_context_h context, int process, const std::vector<remote_pe>& pes,
                   const std::vector<int>& first_pes, network::receiver& to)
    : process_(process), pes_(pes), first_pes_(first_pes), to_(to) {
  ucp_worker_params_t how{};
  how.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_EVENTS;
  how.thread_mode = UCS_THREAD_MODE_SERIALIZED;  // made here, driven by the PE's thread, ended here
  how.events = UCP_WAKEUP_RX | UCP_WAKEUP_TX;
  ucp_worker_h made = nullptr;
  check(ucp_worker_create(context, &how, &made), "ucp_worker_create");
  worker_.reset(made);
  check(ucp_worker_get_efd(made, &descriptor_), "ucp_worker_get_efd");

  const auto handle = [&](kind what, ucp_am_recv_callback_t callback) {
    ucp_am_handler_param_t handler{};
    handler.field_mask =
        UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.id = what;
    handler.cb = callback;
    handler.arg = this;
    check(ucp_worker_set_am_recv_handler(worker_.get(), &handler), "ucp_worker_set_am_recv_handler");
  };
  handle(item_message, [](void* self, const void*, std::size_t, void* data, std::size_t length,
                          const ucp_am_recv_param_t* param) {
    return on_arrival(item_message, *static_cast<ucx_port*>(self), data, length, *param);
  });
  handle(notice_message, [](void* self, const void*, std::size_t, void* data, std::size_t length,
                            const ucp_am_recv_param_t* param) {
    return on_arrival(notice_message, *static_cast<ucx_port*>(self), data, length, *param);
  });
}

ucx_port::~ucx_port() {
  closing_ = true;
  if (UCS_PTR_IS_PTR(flush_)) ucp_request_free(flush_);
  ucp_request_param_t force{};
  force.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  force.flags = UCP_EP_CLOSE_FLAG_FORCE;
  for (auto& p : peers_) {
    if (!p) continue;
    void* request = ucp_ep_close_nbx(p->endpoint, &force);
    if (!UCS_PTR_IS_PTR(request)) continue;
    while (ucp_request_check_status(request) == UCS_INPROGRESS) ucp_worker_progress(worker_.get());
    ucp_request_free(request);
  }
}

std::string ucx_port::address() const { return address_of(worker_.get()); }

ucp_ep_h ucx_port::endpoint_to(int pe) {
  if (peers_.empty()) peers_.resize(pes_.size());
  const auto place = static_cast<std::size_t>(pe);
  if (!peers_[place]) {
    auto made = std::make_unique<peer>(*this, pes_[place].process);
    ucp_ep_params_t how{};
    how.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                     UCP_EP_PARAM_FIELD_ERR_HANDLER;
    how.address = reinterpret_cast<const ucp_address_t*>(pes_[place].address.data());
    // To hear of a peer's death UCX would do without shared memory; on one host the launcher tells of it.
    how.err_mode = pes_[place].on_this_host ? UCP_ERR_HANDLING_MODE_NONE : UCP_ERR_HANDLING_MODE_PEER;
    how.err_handler = {&peer::failed, made.get()};
    const ucs_status_t status = ucp_ep_create(worker_.get(), &how, &made->endpoint);
    if (status != UCS_OK) {
      out_.clear();  // to tell of it, notices are written
      lost(pes_[place].process, status);
      return nullptr;
    }
    peers_[place] = std::move(made);
  }
  return peers_[place]->endpoint;
}

void ucx_port::send(work& item, int to) {
  item.type->pack(item, out_);
  send_written(item_message, to);
  item.type->destroy(item);
  sent_.store(sent() + 1, std::memory_order_relaxed);
}

void ucx_port::notify(int process, std::span<const std::byte> bytes) {
  out_(process_);
  out_.bytes(bytes.data(), bytes.size());
  send_written(notice_message, first_pes_[static_cast<std::size_t>(process)]);
}

void ucx_port::send_written(kind what, int to) {
  ucp_ep_h endpoint = endpoint_to(to);
  if (endpoint == nullptr) return;
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  how.cb.send = &departure::ended;
  if (!next_departure_) next_departure_ = std::make_unique<departure>(*this);
  how.user_data = next_departure_.get();
  const std::span<const std::byte> bytes = out_.written();
  const ucs_status_ptr_t request =
      ucp_am_send_nbx(endpoint, what, nullptr, 0, bytes.data(), bytes.size(), &how);
  if (UCS_PTR_IS_PTR(request)) {  // UCX still reads the bytes: they stay where they are
    next_departure_->bytes = out_.take();
    next_departure_.release();  // its callback's
    ++departing_;
    return;
  }
  out_.clear();
  if (request != nullptr) lost(pes_[static_cast<std::size_t>(to)].process, UCS_PTR_STATUS(request));
}

ucs_status_t ucx_port::on_arrival(kind what, ucx_port& self, void* data, std::size_t length,
                                  const ucp_am_recv_param_t& how) {
  if ((how.recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
    self.take(what, {static_cast<const std::byte*>(data), length});
    return UCS_OK;
  }
  std::unique_ptr<arrival> coming;
  try {
    coming = std::make_unique<arrival>(self, what, length);
  } catch (...) {
    self.problem_ = std::current_exception();
    return UCS_ERR_NO_MEMORY;
  }
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.cb.recv_am = &arrival::ended;
  param.user_data = coming.get();
  ++self.arriving_;
  const ucs_status_ptr_t request =
      ucp_am_recv_data_nbx(self.worker_.get(), data, coming->bytes.data(), length, &param);
  arrival* const given = coming.release();
  if (!UCS_PTR_IS_PTR(request)) given->end(UCS_PTR_STATUS(request));
  return UCS_OK;
}

void ucx_port::take(kind what, std::span<const std::byte> bytes) noexcept {
  if (closing_) return;
  took_ = true;
  try {
    if (what == item_message) {
      to_.item(bytes);
      received_.store(received() + 1, std::memory_order_relaxed);
    } else {
      reader in(bytes);
      int process = 0;
      in(process);
      to_.notice(process, in.view(in.remaining()));
    }
  } catch (...) {
    problem_ = std::current_exception();
  }
}

void ucx_port::lost(int process, ucs_status_t why) noexcept {
  if (closing_) return;
  try {
    to_.lost(process, ucs_status_string(why));
  } catch (...) {
    problem_ = std::current_exception();
  }
}

bool ucx_port::progress() {
  took_ = false;
  while (ucp_worker_progress(worker_.get()) != 0) {
  }
  if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
  return took_;
}

bool ucx_port::arm() { return ucp_worker_arm(worker_.get()) == UCS_OK; }

bool ucx_port::flushed() {
  ucp_worker_progress(worker_.get());
  if (!closing_) {
    closing_ = true;
    const ucp_request_param_t how{};
    flush_ = ucp_worker_flush_nbx(worker_.get(), &how);
  }
  if (UCS_PTR_IS_PTR(flush_)) {
    if (ucp_request_check_status(flush_) == UCS_INPROGRESS) return false;
    ucp_request_free(std::exchange(flush_, nullptr));
  }
  return departing_ == 0;
}

}  // namespace imbrex::ucx
