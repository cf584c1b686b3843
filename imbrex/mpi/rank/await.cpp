// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/await.hpp>

#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/rank/rank_interface.hpp>

namespace imbrex::mpi {

namespace {

rank& running_rank() {
  rank* const running = rank::current();
  if (running == nullptr)
    throw imbrex::error(
        "imbrex::mpi::wait is called outside of the code of a rank; use co_await in entries of chares");
  return *running;
}

}  // namespace

bool is_in_rank() { return rank::current() != nullptr; }

rank_wait::rank_wait(std::unique_ptr<awaited_by_rank> what) : of_(running_rank()) {
  if (of_.callbacks_.is_running() || of_.awaited_ != nullptr)
    throw imbrex::error(
        "rank " + std::to_string(of_.number()) +
        ": imbrex::mpi::wait is called in a function that MPI has called, which must not wait");
  of_.awaited_ = std::move(what);
}

rank_wait::~rank_wait() { of_.awaited_.reset(); }

waiter rank_wait::who() const {
  return waiter([](void* waiting) { static_cast<rank*>(waiting)->wake(); }, &of_);
}

scope& rank_wait::entry() const { return *of_.entry_.of; }

void rank_wait::yield() const {
  of_.fiber_->leave();
  if (of_.waits_.must_attend) [[unlikely]]
    of_.code_->attend();
}

}  // namespace imbrex::mpi
