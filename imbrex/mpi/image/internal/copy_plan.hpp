// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/mpi/image/elf_file.hpp>
#include <imbrex/mpi/image/internal/call_gates.hpp>
#include <imbrex/mpi/image/internal/copy_area.hpp>
#include <imbrex/mpi/image/internal/library_variables.hpp>

namespace imbrex::mpi {

/// The thread_local variables of a module: on each thread they lie equally far from the thread's own pointer.
struct thread_block {
  std::ptrdiff_t offset;  ///< from the thread's pointer
  std::size_t size;
  bool is_of_copy;      ///< each copy has the module
  std::uint64_t image;  ///< what they begin with: its place if it is the copy's, else its address
  std::size_t image_size;
};

/// The program, or a library that each copy has for itself.
struct module_plan {
  elf_file file;
  std::string name;         ///< of the file, for others
  std::uintptr_t original;  ///< where the system's loader has put it
  std::uint64_t at;         ///< its place in a slot
};

/// A word of a copy that holds the address of another place in it.
struct inner_word {
  std::uint64_t at;
  std::uint64_t to;
};

/// A word that is the same in each copy.
struct outer_word {
  std::uint64_t at;
  std::uint64_t value;
};

/// A variable of a library that lies in the copy, and the library's value of it at the start.
struct snapshot {
  std::uint64_t at;
  std::vector<std::byte> value;
};

/// How a copy of the program is made: what is mapped, and which words it holds. Places are bytes from the
/// begin of the copy's slot. Never changed once made.
struct copy_plan {
  std::vector<module_plan> modules;  ///< in the order of their constructors: the program is the last
  std::vector<thread_block> thread_blocks;
  call_gates gates{functions_of_copies()};
  std::uint64_t gates_at = 0;
  std::uint64_t annex = 0;  ///< variables of libraries that the program does not hold itself
  std::size_t bytes = 0;
  std::vector<snapshot> snapshots;
  std::vector<inner_word> inner;
  std::vector<outer_word> outer;
  std::array<std::optional<std::uint64_t>, num_library_variables> variables;  ///< by number: where it lies
  std::uint64_t main = 0;
  bool executable_stack = false;
  std::vector<std::string> warnings;
  std::vector<std::uintptr_t> loaded;  ///< where all libraries lie that have been loaded before copies run
  std::unique_ptr<copy_area> area;

  /// The place in a slot of what lies in the original program, or one of the libraries; none if elsewhere.
  std::optional<std::uint64_t> place_of(std::uintptr_t address) const;
};

}  // namespace imbrex::mpi
