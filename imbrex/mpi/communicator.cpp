// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/communicator.hpp>

#include <utility>

namespace imbrex::mpi {

communicator::communicator(int handle, context_id context, group members, int rank,
                           ref<error_handler> handler)
    : error_target(handle, std::move(handler)),
      context_(context),
      members_(std::move(members)),
      rank_(rank) {}

communicator::communicator(int handle, context_id context, group members, int rank, group remote,
                           ref<communicator> local, ref<error_handler> handler)
    : communicator(handle, context, std::move(members), rank, std::move(handler)) {
  remote_ = std::move(remote);
  local_ = std::move(local);
}

communicator::~communicator() = default;

std::string communicator::description() const {
  return name.empty() ? "communicator " + text_of_handle(handle()) : name;
}

}  // namespace imbrex::mpi
