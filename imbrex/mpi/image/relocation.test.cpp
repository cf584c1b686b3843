// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/relocation.hpp>

#include <elf.h>

#include <gtest/gtest.h>

namespace {

using imbrex::mpi::relocation;
using imbrex::mpi::relocation_name;
using imbrex::mpi::relocation_of;

TEST(relocation, of_both_machines) {
  EXPECT_EQ(relocation_of(EM_X86_64, R_X86_64_RELATIVE), relocation::relative);
  EXPECT_EQ(relocation_of(EM_X86_64, R_X86_64_COPY), relocation::copied);
  EXPECT_EQ(relocation_of(EM_X86_64, R_X86_64_TLSDESC), relocation::thread_pair);
  EXPECT_EQ(relocation_of(EM_AARCH64, R_AARCH64_RELATIVE), relocation::relative);
  EXPECT_EQ(relocation_of(EM_AARCH64, R_AARCH64_ABS64), relocation::symbol);
  EXPECT_EQ(relocation_of(EM_AARCH64, R_AARCH64_JUMP_SLOT), relocation::function);
  EXPECT_EQ(relocation_of(EM_AARCH64, R_AARCH64_TLS_TPREL), relocation::thread_word);
}

TEST(relocation, names_what_is_unknown) {
  EXPECT_EQ(relocation_of(EM_X86_64, R_X86_64_PC32), relocation::unknown);
  EXPECT_EQ(relocation_name(EM_X86_64, R_X86_64_PC32), "R_X86_64_PC32");
  EXPECT_EQ(relocation_of(EM_AARCH64, R_AARCH64_ABS32), relocation::unknown);
  EXPECT_EQ(relocation_name(EM_AARCH64, R_AARCH64_ABS32), "R_AARCH64_ABS32");
  EXPECT_EQ(relocation_of(EM_RISCV, 3), relocation::unknown);
  EXPECT_EQ(relocation_name(EM_RISCV, 3), "relocation 3 of machine 243");
}

}  // namespace
