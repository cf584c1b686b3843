// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>

#include <ucp/api/ucp.h>

#include <imbrex/base/error.hpp>
#include <imbrex/net/ucx/functions.hpp>
#include <imbrex/net/ucx/ways.hpp>

namespace imbrex::ucx {

/// What to say of a call to UCX that has failed: UCX's own words, and a remedy where there is one.
std::string text_of(ucs_status_t status, const char* what);
[[noreturn]] void throw_failure(ucs_status_t status, const char* what);

/// Throws imbrex::error, with UCX's own words, unless a call to UCX has succeeded.
inline void check(ucs_status_t status, const char* what) {
  if (status != UCS_OK) throw_failure(status, what);
}

struct context_deleter {
  void operator()(ucp_context_h c) const { ucp.cleanup(c); }
};
using context = std::unique_ptr<std::remove_pointer_t<ucp_context_h>, context_deleter>;

/// Whether a call of UCX may wait until TCP has connected: two minutes, if the link is down.
enum class connecting : bool { may_block, in_background };

/// For workers with active messages and a descriptor to wait for.
context make_context(connecting mode, const ways& open = {});

/// UCX says only what is fatal as long as this lives; one at a time, since the level is the whole process's.
class without_warnings {
 public:
  without_warnings();
  ~without_warnings();
  without_warnings(const without_warnings&) = delete;
  without_warnings& operator=(const without_warnings&) = delete;

 private:
  std::unique_lock<std::mutex> alone_;
  std::array<char, 64> level_{};  ///< of before; empty if UCX does not tell
};

struct worker_deleter {
  /// UCX warns of messages that have come in part, and which nobody misses after a run.
  void operator()(ucp_worker_h w) const {
    const without_warnings quiet;
    ucp.worker_destroy(w);
  }
};
using worker = std::unique_ptr<std::remove_pointer_t<ucp_worker_h>, worker_deleter>;

/// Throws as `check` does; before, if the process can have too few descriptors, for want of which UCX may
/// abort.
worker make_worker(ucp_context_h context, const ucp_worker_params_t& parameters);

/// What another process needs to connect to a worker.
inline std::string address_of(ucp_worker_h of) {
  ucp_address_t* bytes = nullptr;
  std::size_t length = 0;
  check(ucp.worker_get_address(of, &bytes, &length), "ucp_worker_get_address");
  std::string copy(reinterpret_cast<const char*>(bytes), length);
  ucp.worker_release_address(of, bytes);
  return copy;
}

}  // namespace imbrex::ucx
