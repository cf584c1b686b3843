// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucp/api/ucp.h>
#include <ucs/config/global_opts.h>
#include <ucs/debug/debug.h>
#include <ucs/memory/memory_type.h>

namespace imbrex::ucx {

/// The functions of UCX that are used, under UCX's names.
struct ucp_functions {
  decltype(::ucp_am_data_release)* am_data_release;
  decltype(::ucp_am_recv_data_nbx)* am_recv_data_nbx;
  decltype(::ucp_am_send_nbx)* am_send_nbx;
  decltype(::ucp_cleanup)* cleanup;
  decltype(::ucp_config_modify)* config_modify;
  decltype(::ucp_config_read)* config_read;
  decltype(::ucp_config_release)* config_release;
  decltype(::ucp_context_query)* context_query;
  decltype(::ucp_ep_close_nbx)* ep_close_nbx;
  decltype(::ucp_ep_create)* ep_create;
  decltype(::ucp_ep_print_info)* ep_print_info;
  decltype(::ucp_init_version)* init_version;
  decltype(::ucp_request_check_status)* request_check_status;
  decltype(::ucp_request_free)* request_free;
  decltype(::ucp_worker_arm)* worker_arm;
  decltype(::ucp_worker_create)* worker_create;
  decltype(::ucp_worker_destroy)* worker_destroy;
  decltype(::ucp_worker_get_address)* worker_get_address;
  decltype(::ucp_worker_get_efd)* worker_get_efd;
  decltype(::ucp_worker_progress)* worker_progress;
  decltype(::ucp_worker_query)* worker_query;
  decltype(::ucp_worker_release_address)* worker_release_address;
  decltype(::ucp_worker_set_am_recv_handler)* worker_set_am_recv_handler;
};

struct ucs_functions {
  decltype(::ucs_global_opts_get_value)* global_opts_get_value;
  decltype(::ucs_global_opts_set_value)* global_opts_set_value;
  decltype(::ucs_status_string)* status_string;
  decltype(::ucs_memory_type_names)* memory_type_names;
};

/// Tables that are null until `load` (`library.hpp`), and constant from then on. They are not in an object,
/// since a process has one UCX, however many networks it makes. They are hidden, so that a call never uses
/// the table of another library that holds this code.
[[gnu::visibility("hidden")]] extern ucp_functions ucp;
[[gnu::visibility("hidden")]] extern ucs_functions ucs;

}  // namespace imbrex::ucx
