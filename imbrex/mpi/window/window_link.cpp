// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/window/window_link.hpp>

#include <imbrex/core/extension/pe.hpp>
#include <imbrex/mpi/collective/spread.hpp>
#include <imbrex/mpi/object/error.hpp>
#include <imbrex/mpi/rank/packet.hpp>

namespace imbrex::mpi {

window_link::window_link(rank& self, const ref<communicator>& in)
    : self_(self),
      in_(in),
      is_direct_(extension::current_pe().queues_plainly()),
      targets_(static_cast<std::size_t>(in->size())) {}

window_target& window_link::checked(int rank) {
  if (rank < 0 || rank >= in_->size())
    throw error(MPI_ERR_RANK, "the target is rank " + std::to_string(rank) +
                                  ", and the window has ranks 0 to " + std::to_string(in_->size() - 1));
  return (*this)[rank];
}

void window_link::send(int to, access_header header) {
  packet& p = make_access(header, {}).message;
  p.head = head();
  self_.messages.send(p, world_rank(to));
}

void window_link::barrier(purpose of) { run_schedule(self_, in_, of, &mpi::barrier); }

void window_link::note() {
  if (condition_ == nullptr || !test_(condition_)) return;
  condition_ = nullptr;
  self_.complete(waits_);
}

std::string window_link::description() const {
  if (awaited_ == nullptr) return {};
  std::string text = std::string(", for ") + awaited_;
  if (awaited_rank_ >= 0) text += " of rank " + std::to_string(awaited_rank_);
  return text;
}

}  // namespace imbrex::mpi
