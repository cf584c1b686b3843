// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/launch/crash_words.hpp>

#include <cstdint>
#include <utility>

#include <imbrex/base/host/crash_handler.hpp>
#include <imbrex/mpi/image/program_copy.hpp>
#include <imbrex/mpi/rank/rank_interface.hpp>

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

std::vector<sharing_library> shared;  // read by signal handlers

void describe_stack(void* const* frames, int count, signal_text& out) noexcept {
  if (rank::current() == nullptr) return;
  for (int i = 0; i < count; ++i) {
    const auto place = reinterpret_cast<std::uintptr_t>(frames[i]);
    for (const sharing_library& each : shared) {
      if (place < each.begin || place >= each.end) continue;
      out.add("all ranks of a process share the variables of ")
          .add(each.name)
          .add(", in which rank ")
          .add_number(rank::current()->number())
          .add(" has crashed: give each rank its own by --privatise ")
          .add(each.name);
      return;
    }
  }
}

constexpr crash_details details{&program_copy::loaded_code, &describe, &describe_stack};

}  // namespace

void tell_crashes_of_ranks() { set_crash_details(&details); }

void tell_crashes_in(std::vector<sharing_library> libraries) { shared = std::move(libraries); }

}  // namespace imbrex::mpi
