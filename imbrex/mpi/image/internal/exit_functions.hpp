// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace imbrex::mpi {

/// Exit functions of one program: those of atexit and on_exit, and destructors of static variables. The last
/// added runs first. Any thread adds; one thread calls.
class exit_functions {
 public:
  using function = void (*)(void* argument);
  using function_with_status = void (*)(int status, void* argument);

  /// `module` identifies the program or library when it is unloaded.
  void add(function called, void* argument, void* module) { add({called, nullptr, argument, module}); }
  void add(function_with_status called, void* argument) { add({nullptr, called, argument, nullptr}); }

  /// Calls and removes all functions, also those added meanwhile.
  void run(int status);
  /// Like `run`, for the functions of one module.
  void run_of(void* module);
  /// Rebases arguments that point into `size` bytes at `from` to the memory at `to`.
  void move_arguments(const std::byte* from, std::size_t size, std::byte* to);

  struct entry {
    function called;
    function_with_status called_with_status;
    void* argument;
    void* module;
  };
  /// All that are left, while no thread adds or calls any.
  const std::vector<entry>& entries() const { return entries_; }
  void set_entries(std::vector<entry> entries) { entries_ = std::move(entries); }

 private:
  void add(const entry& new_entry);

  std::mutex mutex_;
  std::vector<entry> entries_;
};

}  // namespace imbrex::mpi
