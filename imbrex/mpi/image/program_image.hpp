// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/mpi/image/start.hpp>

namespace imbrex::mpi {

struct copy_plan;

/// A shared library of which all copies have one together, and its place in memory.
struct sharing_library {
  std::string name;  ///< the file without its folder
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

/// The program of this process as copies are made of it: where it lies in its file, and each of its words
/// that the system's loader has adjusted. It is looked at once, before the program runs. At most one at a
/// time.
class program_image {
 public:
  /// `libraries` are shared libraries of the program of which each copy has its own, too, by their file's
  /// name with or without its end: "libfoo.so.1", "libfoo.so", "libfoo" or "foo". libgfortran is always one
  /// of them, because it holds the units of Fortran. Throws error, in words with the remedy, if the program
  /// is not independent of its position, has a sanitizer or an allocator inside it, does not use such a
  /// library, or has a relocation that is not known. Takes time with the program's relocations.
  explicit program_image(const program_start& program, std::span<const std::string> libraries = {});
  ~program_image();

  /// The bytes of addresses that a copy takes; most of them are the file's pages, of which there is one in
  /// memory for all copies.
  std::size_t bytes() const noexcept;
  /// True if the program's functions put code on their stack, as Fortran's and C's inner functions do: the
  /// stack of each copy must be executable.
  bool needs_executable_stack() const noexcept;
  /// What may go wrong with copies, a line each: variables that the program and a library share, of which
  /// each copy has its own, but the library does not.
  const std::vector<std::string>& warnings() const noexcept;
  /// Libraries of the program that keep variables, which are those of all copies, and call functions whose
  /// names are meant. Takes time with the libraries' relocations.
  std::vector<sharing_library> sharing_libraries(bool (*is_meant)(std::string_view name)) const;

 private:
  friend class program_copy;
  std::shared_ptr<const copy_plan> plan_;  // with copies that are kept
};

/// Throws error, in words with the remedy, if no copies can be made of the program of this file: it is
/// static, so that `run_program` is not called, or linked for one place in memory, or holds what a process
/// must have once.
void require_copyable(const std::string& file);

}  // namespace imbrex::mpi
