// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace imbrex::tools {

/// Figures of reports of processes, in the text format of Prometheus.
class report_metrics {
 public:
  report_metrics();

  /// Adds a process: its report as JSON (`process_report::json`). Throws `error` if it is none.
  void add(const std::string& report);
  /// The lines of all figures.
  std::string text() const;

 private:
  struct figure {
    const char* name;
    const char* help;
    std::string lines{};  ///< one line for each PE
  };

  std::vector<figure> figures_;
};

/// The lines of all processes that `processes_to_ask` finds. A comment names each that has not answered.
/// Throws `error` if there are none.
std::string figures_of_processes(pid_t process);

}  // namespace imbrex::tools
