// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/connect/connect.hpp>

#if IMBREX_HAS_UCX
#include <imbrex/net/ucx/ucx_network.hpp>
#else
#include <imbrex/base/error.hpp>
#endif

namespace imbrex {

bool has_network() {
#if IMBREX_HAS_UCX
  return true;
#else
  return false;
#endif
}

std::unique_ptr<network> connect(bootstrap& job, int pes, port_sharing sharing, std::uint64_t program,
                                 network::receiver& to) {
#if IMBREX_HAS_UCX
  return make_ucx_network(job, pes, sharing, program, to);
#else
  static_cast<void>(pes), static_cast<void>(sharing), static_cast<void>(program), static_cast<void>(to);
  throw error("this program was started as process " + std::to_string(job.rank()) + " of " +
              std::to_string(job.size()) +
              ", but imbrex was built without UCX: install it (Debian: libucx-dev) and build again");
#endif
}

}  // namespace imbrex
