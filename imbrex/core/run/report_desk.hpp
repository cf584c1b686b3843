// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/base/host/report_signal.hpp>
#include <imbrex/core/record/process_report.hpp>
#include <imbrex/core/run/attendant.hpp>

namespace imbrex::detail {

class local_run;
class machine;

/// Answers those who ask what a process of a run does: SIGQUIT, by a report on the standard error output, and
/// `imbrex who`, through a local socket that only the same user may use. It has no thread: the thread that
/// waits for the PEs, or steps them, attends to it when a signal or a connection has come.
///
/// The socket has the name of `report_address`. Of several runs at once in a process, the first has it. A
/// connection is answered with one text, and closed. Requests are lines: "text" or "json".
class report_desk final : public attendant, private report_signal::receiver {
 public:
  /// Opens the desk. Both must outlive it.
  report_desk(local_run& run, machine& its_machine);

  int socket() const override { return socket_.get(); }
  bool has_request() const override { return has_request_.load(); }
  /// PEs that have threads of their own get up to a second. On other machines, call it on the thread that
  /// steps them.
  void attend() override;

 private:
  struct client {
    descriptor connection;
    bool wants_json = false;
  };
  struct survey;
  struct question;

  void request_report(report_signal::asker by) noexcept override;
  std::vector<client> accept_clients() const;
  process_report report();
  void ask_all(std::vector<pe_report>& pes) const;

  local_run& run_;
  machine& machine_;
  const bool has_threads_;  ///< the PEs have threads of their own
  std::atomic<bool> has_request_ = false;
  std::atomic<bool> has_user_request_ = false;
  descriptor socket_;
  report_signal signals_{*this};
};

}  // namespace imbrex::detail
