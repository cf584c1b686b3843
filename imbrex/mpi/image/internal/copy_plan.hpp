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

/// The thread_local variables of a module. Their offset from the thread pointer is equal on all threads.
struct thread_block {
  std::ptrdiff_t offset;  ///< from the thread pointer
  std::size_t size;
  bool is_of_copy;      ///< each copy has the module
  std::uint64_t image;  ///< initial values: offset in the slot if `is_of_copy`, else address
  std::size_t image_size;
};

/// The program, or a library of which each copy has an instance.
struct module_plan {
  elf_file file;
  std::string name;         ///< file name shown to debuggers and other tools
  std::uintptr_t original;  ///< load address by the system's loader
  std::uint64_t at;         ///< offset in a slot
};

/// A word that holds an address inside the same copy.
struct inner_word {
  std::uint64_t at;
  std::uint64_t to;
};

/// A word that has the same value in each copy.
struct outer_word {
  std::uint64_t at;
  std::uint64_t value;
};

/// A library's variable that lies in the copy, with the library's value at the start.
struct snapshot {
  std::uint64_t at;
  std::vector<std::byte> value;
};

/// Plan for making copies of the program: mappings and the words to set. Places are byte offsets from the
/// begin of a slot. Immutable once made.
struct copy_plan {
  std::vector<module_plan> modules;  ///< in the order of construction; the program is last
  std::vector<thread_block> thread_blocks;
  call_gates gates{functions_of_copies()};
  std::uint64_t gates_at = 0;
  std::uint64_t annex = 0;  ///< variables of libraries that the program does not contain
  std::size_t bytes = 0;
  std::vector<snapshot> snapshots;
  std::vector<inner_word> inner;
  std::vector<outer_word> outer;
  std::array<std::optional<std::uint64_t>, num_library_variables> variables;  ///< offsets by variable number
  std::uint64_t main = 0;
  bool executable_stack = false;
  std::vector<std::string> warnings;
  std::vector<std::uintptr_t> loaded;  ///< load addresses of the libraries loaded before copies run
  std::unique_ptr<copy_area> area;

  /// Slot offset of an address in the original program or in a library of the copies; nullopt if elsewhere.
  std::optional<std::uint64_t> place_of(std::uintptr_t address) const;
};

}  // namespace imbrex::mpi
