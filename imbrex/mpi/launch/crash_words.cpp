// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/launch/crash_words.hpp>

#include <imbrex/base/host/crash_handler.hpp>
#include <imbrex/mpi/image/program_copy.hpp>
#include <imbrex/mpi/rank.hpp>

namespace imbrex::mpi {

namespace {

void describe(const void* address, signal_text& out) noexcept {
  const rank* const self = rank::current();
  if (self == nullptr || !self->stack().is_below(address)) return;
  out.add(", below the stack of rank ")
      .add_number(self->number())
      .add(", which is full: it has ")
      .add_number(static_cast<std::int64_t>(self->stack().bytes()))
      .add(" bytes; give ranks more by --rank-stack, such as --rank-stack 64MB");
}

constexpr crash_details details{&program_copy::loaded_code, &describe};

}  // namespace

void tell_crashes_of_ranks() { set_crash_details(&details); }

}  // namespace imbrex::mpi
