// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <string>

#include <imbrex/mpi/rank/boost_switch.hpp>

namespace imbrex::mpi {

struct program;

/// Makes a stack for rank `number` with the size that the program has, at `place` unless that is null. Throws
/// imbrex::error.
std::unique_ptr<fiber> make_stack(const program& of, int number, fiber::function body, void* object,
                                  std::byte* place = nullptr);

/// The second stack of a rank, for callbacks of the program (operations, attribute functions, error handlers)
/// that run while the rank's own code waits. A callback may call MPI but must not wait: one that has left the
/// stack before its end never continues.
class callback_stack {
 public:
  callback_stack(const program& of, int number) : program_(of), number_(number) {}

  /// Makes the stack, unless it is there. Throws imbrex::error.
  void prepare();
  /// Runs `function` on the prepared stack. False if the function has waited or thrown.
  bool run(void (*function)(void* object), void* object);
  /// Fails the run if the last callback has thrown. Throws imbrex::error.
  [[noreturn]] void throw_failure() const;
  /// True while a callback runs.
  bool is_running() const { return is_running_; }
  const fiber& stack() const { return *stack_; }
  /// Leaves a callback for ever. Called on the stack.
  void abandon() { stack_->leave(); }
  /// Fails the run because a callback has done what it must not do.
  void refuse(const std::string& what) const;
  void release() noexcept { stack_.reset(); }

 private:
  static void body(void* self);

  const program& program_;
  int number_;  ///< the rank's
  std::unique_ptr<fiber> stack_;
  bool is_running_ = false;
  void (*function_)(void* object) = nullptr;
  void* object_ = nullptr;
  std::exception_ptr error_;
  bool is_over_ = false;
};

}  // namespace imbrex::mpi
