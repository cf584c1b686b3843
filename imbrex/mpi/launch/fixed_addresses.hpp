// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace imbrex::mpi {

/// Throws usage_error unless `imbrex run --migratable` has started this process, without random addresses.
/// Children have random addresses again.
void require_fixed_addresses();

/// Digest of the program's file, of the addresses of its libraries, and of numbers on which the addresses of
/// ranks depend.
std::uint64_t digest_of_addresses(int ranks, std::size_t stack);

/// Makes the value that guards the stack frames of compiled code equal in all processes of the job, as long
/// as this object lives, also on threads that are started meanwhile: a rank takes its frames along.
class equal_stack_guards {
 public:
  explicit equal_stack_guards(std::uint64_t of_program);
  ~equal_stack_guards();
  equal_stack_guards(const equal_stack_guards&) = delete;

 private:
  std::uint64_t before_;
};

}  // namespace imbrex::mpi
