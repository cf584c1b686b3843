// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <imbrex/tools/trace/interval_set.hpp>

namespace imbrex::tools {

/// Time spent on one thing.
struct share {
  std::uint32_t what = 0;
  std::uint64_t time = 0;  ///< ns
};
/// Things with numbers from here on are never merged: they are few.
inline constexpr std::uint32_t always_apart = 0xffff'0000U;
/// The sum of merged things of a bin with too many.
inline constexpr std::uint32_t other_things = ~std::uint32_t{0};

/// The division of a run's time into bins. Bins become twice as wide when the run exceeds them.
struct bin_scale {
  std::uint64_t width = 1024;  ///< ns
  std::size_t bins = 0;

  bool reaches(std::uint64_t time) const { return time / width < bins; }
};

/// The time spent on each thing, by bins. Sums are exact. Times are relative to the start of the run and
/// within the scale.
class share_bins {
 public:
  /// Adds time. O(bins that `time` touches).
  void add(const bin_scale& scale, std::uint32_t what, interval time);
  /// Doubles the width of the bins.
  void fold();
  /// The shares of each bin, sorted by `what`. Bins after the last are empty.
  std::span<const std::vector<share>> bins() const { return bins_; }

 private:
  static void add(std::vector<share>& bin, const share& added);

  std::vector<std::vector<share>> bins_;
};

/// The number and the total amount of things in progress: sums over time, by bins.
class load_bins {
 public:
  /// Adds a thing in progress. O(1).
  void add(const bin_scale& scale, interval time, std::uint64_t amount);
  /// Doubles the width of the bins. `before`: the width until now.
  void fold(const bin_scale& before);

  struct load {
    double count = 0;   ///< ns, sum over all things
    double amount = 0;  ///< ns times amount, sum over all things
  };
  std::vector<load> loads(const bin_scale& scale) const;

 private:
  struct bin {
    load parts;          // sums over things that begin or end in this bin
    double begins = 0;   // change, after this bin, of the number of things that span whole bins
    double amounts = 0;  // change of the total amount of these things
  };
  bin& at(std::size_t k);

  std::vector<bin> bins_;
};

}  // namespace imbrex::tools
