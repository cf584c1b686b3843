// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/comparison.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace imbrex::tune {

double comparison::ratio() const { return median(ratios); }
double comparison::least_ratio() const { return ratios.empty() ? 0 : *std::ranges::min_element(ratios); }
double comparison::most_ratio() const { return ratios.empty() ? 0 : *std::ranges::max_element(ratios); }

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

const observation* typical(const std::vector<observation>& runs) {
  std::vector<const observation*> good;
  for (const observation& one : runs)
    if (one.failure.empty()) good.push_back(&one);
  if (good.empty()) return nullptr;
  std::ranges::sort(good, {}, [](const observation* one) { return one->time; });
  return good[(good.size() - 1) / 2];
}

int needed_wins(int pairs) {
  constexpr double most_chance = 1.0 / 8;
  double exactly = std::pow(0.5, pairs);  // the probability of exactly `wins`
  double at_least = 0;
  int wins = pairs;
  for (; wins > 0 && at_least + exactly <= most_chance; --wins) {
    at_least += exactly;
    exactly *= static_cast<double>(wins) / (pairs - wins + 1);
  }
  return wins + 1;
}

bool is_better(const std::vector<double>& ratios, bool exact) {
  if (exact) return !ratios.empty() && ratios.front() > 1 + least_exact_gain;
  const auto wins = std::ranges::count_if(ratios, [](double ratio) { return ratio > 1; });
  return wins >= needed_wins(static_cast<int>(ratios.size())) && median(ratios) > 1 + least_gain;
}

}  // namespace imbrex::tune
