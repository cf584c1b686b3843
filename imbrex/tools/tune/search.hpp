// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/tools/tune/comparison.hpp>

namespace imbrex::tune {

/// How much a search may do.
struct effort {
  nanoseconds budget{0};  ///< all its runs together
  int pairs = 3;          ///< in each comparison
};

/// What a search has found.
struct search_result {
  std::vector<observation> first_runs;     ///< of the default, before anything was compared
  std::vector<comparison> tried;           ///< in this order
  std::vector<configuration> untried;      ///< for which the time did not suffice, or after an early end
  std::optional<int> interrupted;          ///< by this signal
  std::string given_up;                    ///< why, if one run was, and the search with it
  bool exact = false;                      ///< in simulated time, where the default took the same time twice
  configuration best;                      ///< what was found, confirmed or not
  std::optional<comparison> confirmation;  ///< of what was found against the default, in fresh pairs
  configuration chosen;                    ///< what was found if that was confirmed, else the default
  nanoseconds spent{0};

  bool ended_early() const { return interrupted || !given_up.empty(); }
};

/// Looks for a configuration that is faster than the default, by coordinate descent: dimension after
/// dimension, each alternative is compared with the best that was found so far, until a round changes
/// nothing. Runs of the two that are compared alternate, so that a machine whose speed changes does not
/// decide; a comparison ends when the candidate can no longer win. At the end what was found is compared with
/// the default once more, in ten pairs or more, for which time is kept. On a machine whose times are exact
/// each configuration is run once. An interrupt, or a run that is given up, ends the search with what has
/// been decided: nothing is confirmed that takes another run.
class search {
 public:
  /// `told` hears of each comparison as it ends.
  search(
      const space& where, subject& what, effort most,
      std::function<void(const comparison&)> told = [](const comparison&) {});

  /// `already_run`: runs of the default that there are. Throws `error` if the default fails,
  /// `tools::interrupted` and `tools::disturbed` before anything is compared.
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
  std::function<void(const comparison&)> told_;
  search_result found_;
  configuration best_;
  nanoseconds limit_{0};                            // of a run
  std::map<configuration, observation> last_runs_;  // the only ones on an exact machine
};

}  // namespace imbrex::tune
