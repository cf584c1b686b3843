// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace imbrex::tools {

/// Counts whole numbers in classes of at most 1/32 of their value, so percentiles are accurate to 3 %.
class log_histogram {
 public:
  void add(std::uint64_t number) {
    const std::size_t k = class_of(number);
    ++counts_[k];
    sums_[k] += static_cast<double>(number);
    ++count_;
    sum_ += static_cast<double>(number);
    most_ = std::max(most_, number);
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t most() const { return most_; }
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }
  /// The percentile for `part` (0 to 1): the mean of the class that contains it. It is exact if the class has
  /// one number only.
  std::uint64_t percentile(double part) const {
    const auto target_count = part * static_cast<double>(count_);
    std::uint64_t seen = 0;
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      seen += counts_[k];
      if (counts_[k] > 0 && static_cast<double>(seen) >= target_count) return mean_of(k);
    }
    return most_;
  }
  /// [k]: how many numbers are below 2^k, and not below 2^(k-1).
  std::array<std::uint64_t, 65> by_power_of_two() const {
    std::array<std::uint64_t, 65> all{};
    for (std::size_t k = 0; k < counts_.size(); ++k)
      if (counts_[k] > 0) all[static_cast<std::size_t>(std::bit_width(upper_end(k)))] += counts_[k];
    return all;
  }

 private:
  static constexpr unsigned bits = 5;
  static constexpr std::uint64_t parts = 1U << bits;
  static std::size_t class_of(std::uint64_t number) {
    if (number < parts) return number;
    const auto shift = static_cast<unsigned>(std::bit_width(number)) - bits - 1;
    return (std::size_t{shift} << bits) + (number >> shift);
  }
  static std::uint64_t upper_end(std::size_t k) {
    if (k < parts) return k;
    const std::size_t shift = (k >> bits) - 1;
    return ((parts + (k & (parts - 1)) + 1) << shift) - 1;
  }

  std::uint64_t mean_of(std::size_t k) const {
    const double mean = sums_[k] / static_cast<double>(counts_[k]) + 0.5;
    return mean >= static_cast<double>(most_) ? most_ : static_cast<std::uint64_t>(mean);
  }

  std::array<std::uint64_t, (64 - bits + 1) << bits> counts_{};
  std::array<double, (64 - bits + 1) << bits> sums_{};
  std::uint64_t count_ = 0;
  std::uint64_t most_ = 0;
  double sum_ = 0;
};

}  // namespace imbrex::tools
