// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/connect/connect.hpp>

#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/net/connect/fabric_kinds.hpp>
#include <imbrex/net/connect/fabrics.hpp>
#include <imbrex/net/endpoint/fabric_network.hpp>

namespace imbrex {

std::unique_ptr<detail::network> connect(bootstrap& job, std::string_view fabric, int pes,
                                         detail::endpoint_sharing sharing, std::uint64_t program,
                                         detail::network::receiver& to) {
  const fabric_kind& kind = find_fabric(fabric);
  if (!kind.is_built())
    throw error("this program was started as process " + std::to_string(job.rank()) + " of " +
                std::to_string(job.size()) + ", but " + std::string(kind.remedy));
  const fabric_entry& chosen = maker_of(fabric);
  return std::make_unique<endpoints::fabric_network>(job, pes, sharing, program, to, chosen.make(),
                                                     chosen.make_endpoint);
}

}  // namespace imbrex
