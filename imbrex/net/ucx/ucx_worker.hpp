// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <ucp/api/ucp.h>

#include <imbrex/net/fabric.hpp>
#include <imbrex/net/ucx/handles.hpp>

namespace imbrex::ucx {

/// A worker of UCX. Its messages are UCX's active messages, its connections UCX's endpoints.
class ucx_worker final : public fabric_worker {
 public:
  explicit ucx_worker(ucp_context_h of);

  const fabric_capabilities& can() const override { return can_; }
  std::string address() const override { return address_of(worker_.get()); }
  void listen(fabric_events& to) override;
  /// Sets the receiver of events, which is called without virtual calls if `Events` is final.
  template <class Events>
  void listen(Events& to) {
    handle_all(to, std::make_integer_sequence<unsigned, fabric_events::kinds>());
  }
  fabric_status connect(fabric_connection& connection, const fabric_destination& to) override;
  bool may_share_memory(const fabric_connection& to) override;
  fabric_status send(fabric_connection& to, unsigned kind, std::span<const std::byte> header,
                     std::span<const std::byte> body, fabric_transfer& what) override {
    how_to_send_.user_data = &what;
    const ucp_request_param_t* parameters = &how_to_send_;
    ucp_request_param_t unasked;
    if (header.size() + body.size() <= to.sent_unasked) {
      unasked = how_to_send_;
      unasked.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
      unasked.flags = UCP_AM_SEND_FLAG_EAGER;
      parameters = &unasked;
    }
    return status_of(ucp.am_send_nbx(static_cast<ucp_ep_h>(to.handle), kind, header.data(), header.size(),
                                     body.data(), body.size(), parameters));
  }
  fabric_status send_short(fabric_connection& to, unsigned kind, std::span<const std::byte> body,
                           fabric_transfer& what) override {
    how_to_send_.user_data = &what;
    const ucs_status_ptr_t request = ucp.am_send_nbx(static_cast<ucp_ep_h>(to.handle), kind, nullptr, 0,
                                                     body.data(), body.size(), &how_to_send_);
    return status_of(request);
  }
  std::string failure(fabric_status status) const override {
    return ucs.status_string(static_cast<ucs_status_t>(status.code));
  }
  void accept(void* offer, std::span<std::byte> place, fabric_transfer& what) override;
  void decline(void* offer) noexcept override { ucp.am_data_release(worker_.get(), offer); }
  /// Makes progress, also to flush. ucp_worker_flush_nbx of UCX 1.13, over TCP, crashes while others connect
  /// to this worker.
  bool progress() noexcept override { return ucp.worker_progress(worker_.get()) != 0; }
  bool arm() override { return ucp.worker_arm(worker_.get()) == UCS_OK; }
  int descriptor() const override { return descriptor_; }
  void disconnect(fabric_connection& connection) noexcept override;

 private:
  /// Over TCP a rendezvous takes a round trip, and spares a copy in memory. The limit is that of UCX 1.20;
  /// 1.13 begins rendezvous at 8 or 20 KiB.
  static constexpr std::size_t most_sent_unasked_over_tcp = std::size_t{1} << 18U;

  template <class Events, unsigned... Kinds>
  void handle_all(Events& to, std::integer_sequence<unsigned, Kinds...>) {
    (handle(Kinds, &on_message<Events, Kinds>, &to), ...);
  }
  void handle(unsigned kind, ucp_am_recv_callback_t call, void* events);
  /// UCX's callback for a message.
  template <class Events, unsigned Kind>
  static ucs_status_t on_message(void* to, const void* header, std::size_t header_length, void* data,
                                 std::size_t length, const ucp_am_recv_param_t* how_it_came) {
    auto& events = *static_cast<Events*>(to);
    const std::span<const std::byte> first(static_cast<const std::byte*>(header), header_length);
    if ((how_it_came->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0)
      return events.offered(Kind, first, length, data) ? UCS_INPROGRESS : UCS_OK;
    events.came(Kind, first, {static_cast<const std::byte*>(data), length});
    return UCS_OK;
  }
  /// Converts UCX's status, whose errors are small negative pointers.
  static fabric_status status_of(ucs_status_ptr_t request) {
    return {reinterpret_cast<std::intptr_t>(request)};
  }

  const bool leaves_rendezvous_to_ucx_;
  worker worker_;
  int descriptor_ = -1;
  fabric_capabilities can_{.ordered = true, .reliable = true, .connects_late = true};
  /// Parameters of each message for UCX.
  ucp_request_param_t how_to_send_{};
};

}  // namespace imbrex::ucx
