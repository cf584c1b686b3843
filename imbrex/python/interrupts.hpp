// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <thread>

#include <imbrex/core/extension/run.hpp>

namespace imbrex::python {

/// Handles Ctrl-C (SIGINT) during a run. Python's own handler would wait for the main thread, which waits for
/// the run. If the process is alone and the caller is the main thread, the first signal ends the run. Python
/// code that PEs execute then gets a KeyboardInterrupt, and `raise_what_came` raises one in the caller. A
/// later signal ends the process. In a run of several processes, or on another thread, a signal ends the
/// process like a C++ program. If the process ignores SIGINT, it continues to do so.
class interrupts {
 public:
  explicit interrupts(bool is_alone);
  ~interrupts();
  interrupts(const interrupts&) = delete;
  interrupts& operator=(const interrupts&) = delete;

  /// True once a signal has ended the run. PEs then begin no more entries, for example of a broadcast over
  /// many chares.
  static bool have_ended_run() { return have_ended_run_.load(std::memory_order_relaxed); }

  /// Attaches to a PE of the run. Call before the PE runs and before it has an `interpreter_lock`.
  void watch(detail::scheduler& pe);
  /// Called after the run on the main thread with the interpreter's lock. If a signal was received, makes
  /// Python handle it. Throws nb::python_error.
  static void raise_what_came();

 private:
  /// Follows one PE. Its run may be used between `thread_begins` and `thread_ends`.
  class watched_pe final : public observer {
   public:
    watched_pe(interrupts& of, const detail::scheduler& its) : pe(its), run(its), of_(of) {}
    void thread_begins() override;
    void thread_ends() override;
    void parks() override;
    void wakes() override;

    const detail::scheduler& pe;
    const extension::run_handle run;
    unsigned long thread = 0;  ///< Python's id of the PE's thread, 0 for none; guarded by lock_
    bool is_parked = false;    ///< the PE sleeps or runs no more messages; guarded by lock_

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
