// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace imbrex::mpi {

/// What a relocation of a linked program or library asks for. S is a symbol's address, A the addend.
enum class relocation {
  nothing,
  relative,     ///< a word: where the module lies, + A
  symbol,       ///< a word: S + A
  function,     ///< a word: S, which the system's loader may have put off until the first call
  copied,       ///< a variable of a library that lies in the program
  chosen,       ///< a word: the address that a function of the module has chosen
  thread_word,  ///< a word that says where a thread_local variable lies
  thread_pair,  ///< two such words
  unknown
};

/// The meaning of a relocation's number on a machine (EM_X86_64 or EM_AARCH64). `unknown` is what the
/// system's loader knows perhaps, but no linker puts into a module that is independent of its position.
relocation relocation_of(std::uint16_t machine, std::uint32_t number);

/// The name of a relocation that is unknown, such as "R_X86_64_PC32", or "relocation 77 of machine 243".
std::string relocation_name(std::uint16_t machine, std::uint32_t number);

}  // namespace imbrex::mpi
