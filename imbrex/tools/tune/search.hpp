// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/tools/tune/comparison.hpp>

namespace imbrex::tune {

/// The limits of a search.
struct effort {
  nanoseconds budget{0};  ///< total time of all runs
  int pairs = 3;          ///< pairs of each comparison
};

/// The result of a search.
struct search_result {
  std::vector<observation> first_runs;     ///< runs of the default before the first comparison
  std::vector<comparison> tried;           ///< in this order
  std::vector<configuration> untried;      ///< for lack of time, or after an early end
  std::optional<int> interrupted;          ///< signal that ended the search
  std::string abort_reason;                ///< reason for giving up a run, and so the search
  bool exact = false;                      ///< simulated time, and the default took the same time twice
  configuration best;                      ///< best configuration, confirmed or not
  std::optional<comparison> confirmation;  ///< fresh pairs of the best configuration against the default
  configuration chosen;                    ///< best configuration if confirmed, else the default
  nanoseconds spent{0};

  bool ended_early() const { return interrupted || !abort_reason.empty(); }
};

/// Searches for a configuration faster than the default, by coordinate descent. In each dimension it compares
/// each alternative with the best configuration so far, until a round changes nothing. Runs of the two
/// configurations alternate, so that a machine of changing speed has no influence. A comparison ends when the
/// candidate can no longer win. At the end the best configuration is compared with the default in ten or more
/// fresh pairs, for which time is reserved. If times are exact each configuration runs once. An interrupt or
/// a run that was given up ends the search; then nothing is confirmed that needs another run.
class search {
 public:
  /// `listener` is called at the end of each comparison.
  search(
      const space& where, subject& what, effort most,
      std::function<void(const comparison&)> listener = [](const comparison&) {});

  /// Runs the search. `already_run`: earlier runs of the default. Throws `error` if the default fails, and
  /// `tools::interrupted` and `tools::disturbed` before the first comparison.
  search_result run(std::vector<observation> already_run = {});

 private:
  observation run_once(const configuration& at);
  void run_default(std::vector<observation> already_run);
  bool descend();
  std::optional<configuration> candidate_at(std::size_t dimension, std::size_t which) const;
  bool try_alternative(std::size_t dimension, std::size_t which);
  void give_up_best(const std::string& failure);
  bool has_time_for(const configuration& one, const configuration& other) const;
  nanoseconds cost_of(const configuration& at) const;
  int confirming_pairs() const;
  comparison compare(const configuration& candidate, const configuration& against, int pairs);
  void add_pair(comparison& to, bool candidate_first);
  void confirm();
  void end_early();

  const space& where_;
  subject& what_;
  effort most_;
  std::function<void(const comparison&)> listener_;
  search_result found_;
  configuration best_;
  nanoseconds limit_{0};                            // time limit of a run
  std::map<configuration, observation> last_runs_;  // the only runs if times are exact
};

}  // namespace imbrex::tune
