// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/program.hpp>

#include <atomic>

namespace imbrex::mpi {

namespace {

std::atomic<const program*> current_program = nullptr;

}  // namespace

const program& program::current() { return *current_program.load(std::memory_order_acquire); }

selected::selected(const program& what) : before_(current_program.exchange(&what)) {}
selected::~selected() { current_program.store(before_); }

}  // namespace imbrex::mpi
