// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/ucx_worker.hpp>

#include <cstdlib>

#include <imbrex/net/ucx/lanes.hpp>

namespace imbrex::ucx {
namespace {

worker worker_with_descriptor(ucp_context_h of) {
  ucp_worker_params_t parameters{};
  parameters.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_EVENTS;
  parameters.thread_mode = UCS_THREAD_MODE_SERIALIZED;  // one thread makes and ends it, the PE's thread
                                                        // drives it
  parameters.events = UCP_WAKEUP_RX | UCP_WAKEUP_TX;
  return make_worker(of, parameters);
}

void on_failure(void* connection, ucp_ep_h, ucs_status_t why) {
  const auto& broken = *static_cast<fabric_connection*>(connection);
  broken.events->lost(broken.process, ucs.status_string(why));
}

/// Reports that a message has left. The endpoint's handler reports failures.
void on_sent(void* request, ucs_status_t, void* transfer) {
  auto& what = *static_cast<fabric_transfer*>(transfer);
  what.events->departed(what);
  ucp.request_free(request);
}

/// True for the status of requests whose peer or link is lost. The request's endpoint, the launcher or the
/// heartbeat report the loss, with its name.
bool tells_of_a_loss(ucs_status_t status) {
  return status == UCS_ERR_ENDPOINT_TIMEOUT || status == UCS_ERR_CONNECTION_RESET ||
         status == UCS_ERR_IO_ERROR || status == UCS_ERR_CANCELED;
}

void tell_of_receipt(fabric_transfer& what, ucs_status_t status) {
  if (status == UCS_OK) return what.events->filled(what, fabric_receipt::whole, {});
  if (tells_of_a_loss(status)) return what.events->filled(what, fabric_receipt::lost, {});
  what.events->filled(what, fabric_receipt::failed, text_of(status, "receiving a long message"));
}

void on_received(void* request, ucs_status_t status, std::size_t, void* transfer) {
  ucp.request_free(request);
  tell_of_receipt(*static_cast<fabric_transfer*>(transfer), status);
}

}  // namespace

ucx_worker::ucx_worker(ucp_context_h of)
    : leaves_rendezvous_to_ucx_(std::getenv("UCX_RNDV_THRESH") != nullptr),  // the user has chosen it
      worker_(worker_with_descriptor(of)) {
  check(ucp.worker_get_efd(worker_.get(), &descriptor_), "ucp_worker_get_efd");
  ucp_worker_attr_t limits{};
  limits.field_mask = UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER;
  check(ucp.worker_query(worker_.get(), &limits), "ucp_worker_query");
  can_.longest_header = limits.max_am_header;
  how_to_send_.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  how_to_send_.cb.send = &on_sent;
}

void ucx_worker::listen(fabric_events& to) { listen<fabric_events>(to); }

void ucx_worker::handle(unsigned kind, ucp_am_recv_callback_t call, void* events) {
  ucp_am_handler_param_t handler{};
  handler.field_mask =
      UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = kind;
  handler.cb = call;
  handler.arg = events;
  check(ucp.worker_set_am_recv_handler(worker_.get(), &handler), "ucp_worker_set_am_recv_handler");
}

fabric_status ucx_worker::connect(fabric_connection& connection, const fabric_destination& to) {
  ucp_ep_params_t parameters{};
  parameters.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                          UCP_EP_PARAM_FIELD_ERR_HANDLER;
  parameters.address = reinterpret_cast<const ucp_address_t*>(to.address.data());
  // With peer failure handling, UCX would not use shared memory. Within a host the launcher reports a death.
  parameters.err_mode = to.is_on_this_host ? UCP_ERR_HANDLING_MODE_NONE : UCP_ERR_HANDLING_MODE_PEER;
  parameters.err_handler = {&on_failure, &connection};
  ucp_ep_h endpoint = nullptr;
  const ucs_status_t status = ucp.ep_create(worker_.get(), &parameters, &endpoint);
  if (status != UCS_OK) return {status};
  connection.handle = endpoint;
  if (!to.is_on_this_host && !leaves_rendezvous_to_ucx_ && is_tcp_alone(endpoint))
    connection.sent_unasked = most_sent_unasked_over_tcp;
  return {};
}

bool ucx_worker::may_share_memory(const fabric_connection& to) {
  return !leaves_rendezvous_to_ucx_ && !is_tcp_alone(static_cast<ucp_ep_h>(to.handle));
}

void ucx_worker::accept(void* offer, std::span<std::byte> place, fabric_transfer& what) {
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  parameters.cb.recv_am = &on_received;
  parameters.user_data = &what;
  const ucs_status_ptr_t request =
      ucp.am_recv_data_nbx(worker_.get(), offer, place.data(), place.size(), &parameters);
  if (!UCS_PTR_IS_PTR(request)) tell_of_receipt(what, UCS_PTR_STATUS(request));
}

void ucx_worker::disconnect(fabric_connection& connection) noexcept {
  ucp_request_param_t force{};
  force.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  force.flags = UCP_EP_CLOSE_FLAG_FORCE;
  void* const request = ucp.ep_close_nbx(static_cast<ucp_ep_h>(connection.handle), &force);
  if (!UCS_PTR_IS_PTR(request)) return;
  while (ucp.request_check_status(request) == UCS_INPROGRESS) progress();
  ucp.request_free(request);
}

}  // namespace imbrex::ucx
