// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace imbrex::mpi {

/// What one program leaves to its end by atexit, on_exit and destructors of static variables: the last first.
/// Any thread adds; one calls.
class exit_functions {
 public:
  using function = void (*)(void* argument);
  using function_with_status = void (*)(int status, void* argument);

  /// `module` is what a program or library calls itself by when it is unloaded.
  void add(function called, void* argument, void* module) { add({called, nullptr, argument, module}); }
  void add(function_with_status called, void* argument) { add({nullptr, called, argument, nullptr}); }

  /// Calls and forgets all of them, also those that are added meanwhile.
  void run(int status);
  /// The same for those of one module.
  void run_of(void* module);
  /// Arguments that lie in some memory lie in another one from now on.
  void move_arguments(const std::byte* from, std::size_t size, std::byte* to);

 private:
  struct entry {
    function called;
    function_with_status called_with_status;
    void* argument;
    void* module;
  };
  void add(const entry& made);

  std::mutex mutex_;
  std::vector<entry> entries_;
};

}  // namespace imbrex::mpi
