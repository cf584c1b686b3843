// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace imbrex::tools {

/// The page of `imbrex top`. It is made of reports of processes (`process_report::json`).
class top_page {
 public:
  /// Begins the next second; what ran in earlier ones stays counted.
  void begin();
  /// Adds a report. Throws `error` if it is none.
  void add(const std::string& report);
  /// The page of this second.
  std::string text() const;

 private:
  using counts = std::map<std::string, std::size_t>;

  std::vector<std::string> pes_;                          ///< a line for each PE
  std::vector<std::pair<double, std::string>> heaviest_;  ///< share of the PE's work, and the chare
  counts waits_;                                          ///< by the awaited thing
  counts runs_;                                           ///< times that an entry was found running
  std::size_t looks_ = 0;                                 ///< answers about PEs so far
};

}  // namespace imbrex::tools
