// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/relocation.hpp>

#include <elf.h>

namespace imbrex::mpi {

namespace {

relocation of_x86_64(std::uint32_t number) {
  switch (number) {
    case R_X86_64_NONE: return relocation::nothing;
    case R_X86_64_RELATIVE: return relocation::relative;
    case R_X86_64_64:
    case R_X86_64_GLOB_DAT: return relocation::symbol;
    case R_X86_64_JUMP_SLOT: return relocation::function;
    case R_X86_64_COPY: return relocation::copied;
    case R_X86_64_IRELATIVE: return relocation::chosen;
    case R_X86_64_DTPMOD64:
    case R_X86_64_DTPOFF64:
    case R_X86_64_TPOFF64: return relocation::thread_word;
    case R_X86_64_TLSDESC: return relocation::thread_pair;
    default: return relocation::unknown;
  }
}

relocation of_aarch64(std::uint32_t number) {
  switch (number) {
    case R_AARCH64_NONE:
    case 256: return relocation::nothing;  // older number of R_AARCH64_NONE
    case R_AARCH64_RELATIVE: return relocation::relative;
    case R_AARCH64_ABS64:
    case R_AARCH64_GLOB_DAT: return relocation::symbol;
    case R_AARCH64_JUMP_SLOT: return relocation::function;
    case R_AARCH64_COPY: return relocation::copied;
    case R_AARCH64_IRELATIVE: return relocation::chosen;
    case R_AARCH64_TLS_DTPMOD:
    case R_AARCH64_TLS_DTPREL:
    case R_AARCH64_TLS_TPREL: return relocation::thread_word;
    case R_AARCH64_TLSDESC: return relocation::thread_pair;
    default: return relocation::unknown;
  }
}

// Names of relocations that a linker leaves to the loader in position-dependent code.
const char* name_on_x86_64(std::uint32_t number) {
  switch (number) {
    case R_X86_64_PC32: return "R_X86_64_PC32";
    case R_X86_64_32: return "R_X86_64_32";
    case R_X86_64_32S: return "R_X86_64_32S";
    case R_X86_64_PC64: return "R_X86_64_PC64";
    case R_X86_64_SIZE32: return "R_X86_64_SIZE32";
    case R_X86_64_SIZE64: return "R_X86_64_SIZE64";
    case R_X86_64_RELATIVE64: return "R_X86_64_RELATIVE64";
    default: return nullptr;
  }
}

const char* name_on_aarch64(std::uint32_t number) {
  switch (number) {
    case R_AARCH64_ABS32: return "R_AARCH64_ABS32";
    case R_AARCH64_ABS16: return "R_AARCH64_ABS16";
    case R_AARCH64_PREL64: return "R_AARCH64_PREL64";
    case R_AARCH64_PREL32: return "R_AARCH64_PREL32";
    default: return nullptr;
  }
}

}  // namespace

relocation relocation_of(std::uint16_t machine, std::uint32_t number) {
  switch (machine) {
    case EM_X86_64: return of_x86_64(number);
    case EM_AARCH64: return of_aarch64(number);
    default: return relocation::unknown;
  }
}

std::string relocation_name(std::uint16_t machine, std::uint32_t number) {
  const char* name = nullptr;
  if (machine == EM_X86_64) name = name_on_x86_64(number);
  if (machine == EM_AARCH64) name = name_on_aarch64(number);
  if (name != nullptr) return name;
  return "relocation " + std::to_string(number) + " of machine " + std::to_string(machine);
}

}  // namespace imbrex::mpi
