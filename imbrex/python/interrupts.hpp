// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <thread>

#include <imbrex/core/pe/processor.hpp>

namespace imbrex::python {

/// Ctrl-C in a run. Python's own handler would wait for the main thread, which waits for the run. In a
/// process alone the run ends, what its PEs execute of Python is given a KeyboardInterrupt, and a
/// later one ends the process; `raise_what_came` is then for who has called. In a process of several, or
/// on another thread than the main one, a signal ends the process as it ends one of C++. A process that
/// ignores it goes on to.
class interrupts {
 public:
  explicit interrupts(bool is_alone);
  ~interrupts();
  interrupts(const interrupts&) = delete;
  interrupts& operator=(const interrupts&) = delete;

  /// True once a signal has ended the run: what the PEs still execute, such as a broadcast over many chares,
  /// is to begin no more entries.
  static bool have_ended_run() { return have_ended_run_.load(std::memory_order_relaxed); }

  /// A PE of the run, before it runs, and before it has an `interpreter_lock`.
  void watch(detail::scheduler& pe);
  /// After the run, on the main thread with the lock: has Python do what it does on such a signal, if one
  /// came. Throws nb::python_error.
  static void raise_what_came();

 private:
  /// A PE whose thread has begun and not ended is known, so that its run is there.
  class watched_pe final : public observer {
   public:
    watched_pe(interrupts& of, detail::processor& its) : pe(its), of_(of) {}
    void thread_begins() override;
    void thread_ends() override;
    void parks() override;
    void wakes() override;

    detail::processor& pe;
    unsigned long thread = 0;  ///< as Python knows it; 0: has none. Under `lock_`, as the next
    bool is_parked = false;    ///< it sleeps, or executes no messages any more

   private:
    interrupts& of_;
  };

  void wait();
  void end_run();
  void interrupt_python();

  static inline std::atomic<bool> have_ended_run_ = false;

  struct sigaction before_{};
  std::mutex lock_;
  bool is_ending_ = false;
  std::deque<watched_pe> pes_;
  std::thread waiting_;
};

}  // namespace imbrex::python
