// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace imbrex::mpi {

/// Throws usage_error unless `imbrex run --migratable` has started this process, without random addresses.
/// Children have random addresses again.
void require_fixed_addresses();

/// Digest of the addresses of this process' program and libraries.
std::uint64_t digest_of_addresses();

/// Makes the value that guards the stack frames of compiled code equal in all processes of the job, as long
/// as this object lives, also on threads that are started meanwhile: a rank takes its frames along.
class equal_stack_guards {
 public:
  equal_stack_guards();
  ~equal_stack_guards();
  equal_stack_guards(const equal_stack_guards&) = delete;

 private:
  std::uint64_t before_;
};

}  // namespace imbrex::mpi
