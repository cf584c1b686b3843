// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace imbrex::detail {

/// Adds lines to the reports of this process as long as it lives, about objects that are on no PE, such as
/// chares inside a GPU.
class report_source {
 public:
  using describer = std::function<std::vector<std::string>()>;

  /// `describe` is called on the thread that makes the report, at any time, by one thread at a time.
  explicit report_source(describer describe);
  /// Waits for a call of `describe`.
  ~report_source();
  report_source(const report_source&) = delete;
  report_source& operator=(const report_source&) = delete;

  /// The lines of all sources of this process.
  static std::vector<std::string> describe_all();

 private:
  const describer describe_;
};

}  // namespace imbrex::detail
