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

/// The text for a failed call to UCX: UCX's own words, and a remedy where there is one.
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

/// Whether a call of UCX may block until TCP has connected: two minutes, if the link is down.
enum class connecting : bool { may_block, in_background };

/// Makes a context for workers with active messages and a descriptor for waiting.
context make_context(connecting mode, const ways& open = {});

/// Limits UCX's output to fatal errors as long as this lives. Only one object at a time, since the level
/// belongs to the whole process.
class without_warnings {
 public:
  without_warnings();
  ~without_warnings();
  without_warnings(const without_warnings&) = delete;
  without_warnings& operator=(const without_warnings&) = delete;

 private:
  std::unique_lock<std::mutex> alone_;
  std::array<char, 64> level_{};  ///< the level before; empty if UCX does not give it
};

struct worker_deleter {
  /// Ends a worker without UCX's warnings of partly received messages, which no one needs after a run.
  void operator()(ucp_worker_h w) const {
    const without_warnings quiet;
    ucp.worker_destroy(w);
  }
};
using worker = std::unique_ptr<std::remove_pointer_t<ucp_worker_h>, worker_deleter>;

/// Makes a worker. Throws as `check` does. Throws before that if the process may have too few descriptors,
/// which may make UCX abort.
worker make_worker(ucp_context_h context, const ucp_worker_params_t& parameters);

/// The address that another process needs to connect to a worker.
inline std::string address_of(ucp_worker_h of) {
  ucp_address_t* bytes = nullptr;
  std::size_t length = 0;
  check(ucp.worker_get_address(of, &bytes, &length), "ucp_worker_get_address");
  std::string copy(reinterpret_cast<const char*>(bytes), length);
  ucp.worker_release_address(of, bytes);
  return copy;
}

}  // namespace imbrex::ucx
