// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/connect/connect.hpp>

#include <algorithm>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/net/connect/fabrics.hpp>
#include <imbrex/net/endpoint/fabric_network.hpp>

namespace imbrex {

bool has_network() {
  return std::ranges::any_of(
      fabrics(), [](const fabric_entry& one) { return one.is_built() && one.most_processes > 1; });
}

void check_fabric(std::string_view fabric, int processes) {
  const fabric_entry& chosen = find_fabric(fabric);
  if (processes > chosen.most_processes)
    throw usage_error("--net " + std::string(fabric) + " is for one process, and this is one of " +
                      std::to_string(processes) + ": leave it out, or start the program by itself");
}

std::unique_ptr<network> connect(bootstrap& job, std::string_view fabric, int pes, endpoint_sharing sharing,
                                 std::uint64_t program, network::receiver& to) {
  const fabric_entry& chosen = find_fabric(fabric);
  if (!chosen.is_built())
    throw error("this program was started as process " + std::to_string(job.rank()) + " of " +
                std::to_string(job.size()) + ", but " + std::string(chosen.remedy));
  return std::make_unique<endpoints::fabric_network>(job, pes, sharing, program, to, chosen.make(),
                                                     chosen.make_endpoint);
}

}  // namespace imbrex
