// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include <imbrex/base/host/signal_text.hpp>

namespace imbrex {

/// Reports crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) on the standard error output as long as one
/// lives. The report names the running code and its place, with the names of functions if llvm-symbolizer or
/// addr2line is installed. Then the process ends by that signal, as it would have. A signal for which the
/// program, or a sanitizer, has a handler of its own is left to that handler.
class crash_handler {
 public:
  /// Describes the code that the calling thread runs. Called in a handler of a signal: it may only read, and
  /// call nothing.
  using description = void (*)(signal_text& out) noexcept;

  /// All objects that live at once use one description.
  explicit crash_handler(description what_runs);
  crash_handler(const crash_handler&) = delete;
  crash_handler& operator=(const crash_handler&) = delete;
  ~crash_handler();
};

/// A program's additions to the report of a crash: for code that no library of the system has loaded, or
/// stacks of its own. Handlers of signals call its functions.
struct crash_details {
  /// The address of the same code where the system's loader has it; else the address itself.
  void* (*loaded_code)(void* address) noexcept;
  /// Describes the memory at an address, after "at the address 0x5f"; may add nothing.
  void (*describe_address)(const void* address, signal_text& out) noexcept;
  /// Describes what may be wrong with code on the stack, whose innermost function is the first; may add
  /// nothing.
  void (*describe_stack)(void* const* frames, int count, signal_text& out) noexcept;
};

/// Sets the details of all later crashes; null for none. They must outlive the process.
void set_crash_details(const crash_details* details) noexcept;

/// A stack for handlers of signals on this thread, as long as it lives. By it an overflow of the thread's own
/// stack can be reported. Does nothing if the thread has such a stack.
class crash_stack {
 public:
  crash_stack();
  crash_stack(const crash_stack&) = delete;
  crash_stack& operator=(const crash_stack&) = delete;
  ~crash_stack();

 private:
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace imbrex
