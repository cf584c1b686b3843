// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/search.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/tools/process/trial.hpp>

namespace imbrex::tune {
namespace {

using namespace std::chrono_literals;

/// The time limit of a candidate, as a multiple of the default's time.
constexpr int patience = 3;
/// Pairs of the final confirmation. With many candidates some seem faster by chance.
constexpr int least_confirming_pairs = 10;
/// The smallest time limit. A short run mostly consists of its start, whose time varies with the machine's
/// load.
constexpr nanoseconds least_limit = 10s;

std::ptrdiff_t lost_pairs(const comparison& of) {
  return std::ranges::count_if(of.ratios, [](double ratio) { return ratio <= 1; });
}

}  // namespace

search::search(const space& where, subject& what, effort most,
               std::function<void(const comparison&)> listener)
    : where_(where), what_(what), most_(most), listener_(std::move(listener)), best_(where.by_default()) {}

search_result search::run(std::vector<observation> already_run) {
  run_default(std::move(already_run));
  found_.chosen = where_.by_default();
  try {
    while (descend()) continue;
    confirm();
  } catch (const tools::interrupted& e) {
    found_.interrupted = e.signal();
    end_early();
  } catch (const tools::disturbed& e) {
    found_.abort_reason = e.what();
    end_early();
  }
  found_.best = best_;
  return std::move(found_);
}

observation search::run_once(const configuration& at) {
  if (found_.exact)
    if (const auto known = last_runs_.find(at); known != last_runs_.end()) return known->second;
  const nanoseconds left = most_.budget - found_.spent;
  if (left <= nanoseconds(0)) return {.failure = "there is no time left; raise --seconds"};
  observation trial = what_.run(at, std::min(limit_, left));
  found_.spent += trial.cost + trial.lost;
  if (!trial.failure.empty() && trial.cost >= left) trial.failure += ", all that was left; raise --seconds";
  if (trial.failure.empty() && !trial.simulated_time) found_.exact = false;
  last_runs_[at] = trial;
  return trial;
}

/// Runs the default twice, to find out whether times are exact, and the time limit of other runs.
void search::run_default(std::vector<observation> already_run) {
  auto& runs = found_.first_runs = std::move(already_run);
  for (const observation& one : runs) found_.spent += one.cost + one.lost;
  limit_ = most_.budget;
  while (runs.size() < 2) {
    runs.push_back(run_once(where_.by_default()));
    if (!runs.back().failure.empty())
      throw error("the program cannot be measured as it is: " + runs.back().failure);
  }
  last_runs_[where_.by_default()] = runs.back();
  found_.exact = runs[0].simulated_time && runs[1].simulated_time && runs[0].time == runs[1].time;
  limit_ = std::max(least_limit, patience * std::max(runs[0].cost, runs[1].cost));
}

/// One round over all dimensions; true if it has found a better configuration.
bool search::descend() {
  found_.untried.clear();
  bool changed = false;
  for (std::size_t k = 0; k < where_.dimensions.size(); ++k)
    for (std::size_t which = 0; which < where_.dimensions[k].alternatives.size(); ++which)
      if (try_alternative(k, which)) changed = true;
  return changed;
}

bool search::try_alternative(std::size_t dimension, std::size_t which) {
  const auto candidate = candidate_at(dimension, which);
  if (!candidate) return false;
  if (!has_time_for(*candidate, best_)) {
    found_.untried.push_back(*candidate);
    return false;
  }
  comparison trial = compare(*candidate, best_, found_.exact ? 1 : most_.pairs);
  if (best_ != where_.by_default() && trial.result == outcome::undecided) {
    give_up_best(trial.failure);
    return true;
  }
  found_.tried.push_back(std::move(trial));
  listener_(found_.tried.back());
  if (found_.tried.back().result != outcome::better) return false;
  best_ = *candidate;
  return true;
}

/// The best configuration with this alternative; empty if it is known, or cannot differ.
std::optional<configuration> search::candidate_at(std::size_t dimension, std::size_t which) const {
  configuration candidate = best_;
  candidate[dimension] = which;
  const bool useless = where_.dimensions[dimension].for_jobs && where_.processes_of(candidate) == 1;
  const bool known = candidate == where_.by_default() ||
                     std::ranges::find(found_.tried, candidate, &comparison::candidate) != found_.tried.end();
  if (useless || known) return std::nullopt;
  return candidate;
}

/// Removes the best configuration after an occasional failure. The other configuration will be compared with
/// the default.
void search::give_up_best(const std::string& failure) {
  comparison& earlier = *std::ranges::find(found_.tried, best_, &comparison::candidate);
  earlier.result = outcome::failed;
  earlier.failure = "failed later: " + failure;
  listener_(earlier);
  best_ = where_.by_default();
}

/// True if there is time for this comparison and the final confirmation.
bool search::has_time_for(const configuration& one, const configuration& other) const {
  const int pairs = found_.exact ? 1 : most_.pairs;
  const nanoseconds kept =
      found_.exact
          ? nanoseconds(0)
          : confirming_pairs() * (cost_of(where_.by_default()) + std::max(cost_of(best_), cost_of(one)));
  return found_.spent + pairs * (cost_of(one) + cost_of(other)) + kept <= most_.budget;
}

/// The expected cost of a run: its last, or that of the best configuration.
nanoseconds search::cost_of(const configuration& at) const {
  const auto known = last_runs_.find(at);
  return known == last_runs_.end() ? last_runs_.at(best_).cost : known->second.cost;
}

int search::confirming_pairs() const {
  return found_.exact ? 1 : std::max(least_confirming_pairs, most_.pairs);
}

comparison search::compare(const configuration& candidate, const configuration& against, int pairs) {
  comparison trial{.candidate = candidate, .against = against};
  const int may_lose = found_.exact ? 0 : pairs - needed_wins(pairs);
  for (int pair = 0; pair < pairs && lost_pairs(trial) <= may_lose && trial.failure.empty(); ++pair)
    add_pair(trial, pair % 2 == 1);
  const bool complete = std::ssize(trial.ratios) == pairs;
  if (complete && is_better(trial.ratios, found_.exact)) trial.result = outcome::better;
  return trial;
}

void search::add_pair(comparison& to, bool candidate_first) {
  for (const bool candidates_turn : {candidate_first, !candidate_first}) {
    observation trial = run_once(candidates_turn ? to.candidate : to.against);
    to.failure = trial.failure;
    (candidates_turn ? to.of_candidate : to.of_against).push_back(std::move(trial));
    if (to.failure.empty()) continue;
    to.result = candidates_turn ? outcome::failed : outcome::undecided;
    return;
  }
  const auto time = [](const std::vector<observation>& runs) {
    return static_cast<double>(runs.back().time.count());
  };
  to.ratios.push_back(time(to.of_against) / std::max(1.0, time(to.of_candidate)));
}

void search::confirm() {
  if (best_ == where_.by_default()) return;
  found_.confirmation = compare(best_, where_.by_default(), confirming_pairs());
  if (found_.confirmation->result == outcome::better) found_.chosen = best_;
}

void search::end_early() {
  found_.untried.clear();
  for (std::size_t k = 0; k < where_.dimensions.size(); ++k)
    for (std::size_t which = 0; which < where_.dimensions[k].alternatives.size(); ++which)
      if (auto candidate = candidate_at(k, which)) found_.untried.push_back(*std::move(candidate));
  if (found_.exact) confirm();  // needs no run: both times are known
}

}  // namespace imbrex::tune
