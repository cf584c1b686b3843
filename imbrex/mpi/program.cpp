// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/program.hpp>

#include <atomic>

namespace imbrex::mpi {

namespace {

std::atomic<const program*> current_program = nullptr;
std::atomic<std::uint64_t> programs = 0;  ///< that have become the current one

}  // namespace

const program& program::current() { return *current_program.load(std::memory_order_acquire); }

std::uint64_t program::current_number() { return programs.load(std::memory_order_relaxed); }

selected::selected(const program& what) : before_(current_program.exchange(&what)) {
  programs.fetch_add(1, std::memory_order_relaxed);
}
selected::~selected() { current_program.store(before_); }

}  // namespace imbrex::mpi
