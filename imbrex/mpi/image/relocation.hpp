// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace imbrex::mpi {

/// Meaning of a relocation in a linked program or library. S is a symbol's address, A the addend.
enum class relocation {
  nothing,
  relative,     ///< a word: load address of the module + A
  symbol,       ///< a word: S + A
  function,     ///< a word: S; the system's loader may defer it until the first call
  copied,       ///< a library's variable that lies in the program
  chosen,       ///< a word: the address returned by a resolver function of the module
  thread_word,  ///< a word that locates a thread_local variable
  thread_pair,  ///< two such words
  unknown
};

/// The meaning of a relocation number on a machine (EM_X86_64 or EM_AARCH64). `unknown`: no linker puts it
/// into a position-independent module, though the system's loader may support it.
relocation relocation_of(std::uint16_t machine, std::uint32_t number);

/// Name of an unknown relocation, such as "R_X86_64_PC32", or "relocation 77 of machine 243".
std::string relocation_name(std::uint16_t machine, std::uint32_t number);

}  // namespace imbrex::mpi
