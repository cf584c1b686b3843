// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/access_table.hpp>

#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/rank/packet.hpp>

namespace imbrex::mpi {

void access_table::deliver(packet& p) {
  const auto found = receivers_.find(p.head.context);
  if (found == receivers_.end())
    throw imbrex::error("rank " + std::to_string(p.from) + " accesses a window that is not there");
  found->second->take_access(p);
}

}  // namespace imbrex::mpi
