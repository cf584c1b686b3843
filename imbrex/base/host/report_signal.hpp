// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex {

/// Takes the signals by which a user asks for a report of what the process does: SIGQUIT, and SIGURG from
/// `imbrex who`, which the system ignores elsewhere. A second SIGQUIT within two seconds ends the process as
/// without this class. The handlers stay when the last object is gone, so that a SIGQUIT that comes too late
/// ends nothing. A signal that is ignored, or for which the program has a handler, is left alone.
class report_signal {
 public:
  enum class asker { user, command };

  /// Somebody who makes reports.
  class receiver {
   public:
    /// Somebody asks for a report. Called in a handler of a signal, on any thread: it may only use atomics
    /// and functions that are safe there.
    virtual void request_report(asker by) noexcept = 0;

   protected:
    ~receiver() = default;
  };

  /// The receiver is told of signals as long as this object lives. At most 64 live at once; others are told
  /// nothing.
  explicit report_signal(receiver& who) noexcept;
  ~report_signal();
  report_signal(const report_signal&) = delete;
  report_signal& operator=(const report_signal&) = delete;

 private:
  int place_ = -1;
};

}  // namespace imbrex
