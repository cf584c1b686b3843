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

/// A shared library that all copies share, and its address range.
struct sharing_library {
  std::string name;  ///< file name without folder
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

/// Copies that have the same addresses in all processes of a job.
struct fixed_places {
  std::size_t copies = 0;  ///< in all processes; 0: copies lie anywhere
  std::size_t stack = 0;   ///< bytes of each copy's stack, with its guard pages
};

/// The program of this process as the source of copies: its file, and each word that the system's loader has
/// adjusted. Examined once, before the program runs. At most one at a time.
class program_image {
 public:
  /// `libraries` are the shared libraries of which each copy has an instance, by file name with or without
  /// its end: "libfoo.so.1", "libfoo.so", "libfoo" or "foo". libgfortran is always included, because it holds
  /// Fortran's units. Throws error with a remedy if the program cannot be copied: it is not
  /// position-independent, or contains a sanitizer or an allocator. Also throws for a library that the
  /// program does not use, and for an unknown relocation. Time is linear in the program's relocations.
  /// `fixed`: each copy has a slot by its number, with its stack and its heap (`program_copy`).
  explicit program_image(const program_start& program, std::span<const std::string> libraries = {},
                         const fixed_places& fixed = {});
  ~program_image();

  /// Bytes of addresses that a copy takes. Most of them are file pages, which all copies share in memory.
  std::size_t bytes() const noexcept;
  /// True if the program's functions put code on their stack, as inner functions of Fortran and C do: then
  /// each copy's stack must be executable.
  bool needs_executable_stack() const noexcept;
  /// Possible problems of copies, one line each. These are variables shared by the program and a library, of
  /// which each copy has an instance but the library does not.
  const std::vector<std::string>& warnings() const noexcept;
  /// Libraries of the program that keep variables, shared by all copies, and that call functions for whose
  /// names `is_meant` is true. Time is linear in the libraries' relocations.
  std::vector<sharing_library> sharing_libraries(bool (*is_meant)(std::string_view name)) const;

 private:
  friend class program_copy;
  std::shared_ptr<const copy_plan> plan_;  // shared with kept copies
};

/// Throws error with a remedy if this program file cannot be copied. Reasons: it is static, so that
/// `run_program` is not called; it is linked for a fixed address; or it contains code that a process must
/// have only once.
void require_copyable(const std::string& file);

}  // namespace imbrex::mpi
