// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <imbrex/tools/trace/interval_set.hpp>

namespace imbrex::tools {

/// Time spent with something.
struct share {
  std::uint32_t what = 0;
  std::uint64_t time = 0;  ///< ns
};
/// Those of these numbers are always told apart: there are few.
inline constexpr std::uint32_t always_apart = 0xffff'0000U;
/// What of a bin is not told apart, since too many things happened in it.
inline constexpr std::uint32_t other_things = ~std::uint32_t{0};

/// How the time of a run is cut into bins: when the run gets longer than they reach, they become twice as
/// wide.
struct bin_scale {
  std::uint64_t width = 1024;  ///< ns
  std::size_t bins = 0;

  bool reaches(std::uint64_t time) const { return time / width < bins; }
};

/// What somebody did when: the time spent with each thing, by bins. Sums are exact. All times are since the
/// start of the run, and within the scale.
class share_bins {
 public:
  /// O(bins that `time` lies in).
  void add(const bin_scale& scale, std::uint32_t what, interval time);
  /// The bins have become twice as wide.
  void fold();
  /// Of each bin its shares by `what`, the least first; what comes after the last one is empty.
  std::span<const std::vector<share>> bins() const { return bins_; }

 private:
  static void add(std::vector<share>& bin, const share& added);

  std::vector<std::vector<share>> bins_;
};

/// How many things, and how much of them, were under way: by bins the sums over time.
class load_bins {
 public:
  /// O(1).
  void add(const bin_scale& scale, interval time, std::uint64_t amount);
  /// The bins, of this width until now, have become twice as wide.
  void fold(const bin_scale& before);

  struct load {
    double count = 0;   ///< ns of all things together
    double amount = 0;  ///< the same, times their amounts
  };
  std::vector<load> loads(const bin_scale& scale) const;

 private:
  struct bin {
    load parts;          // of what begins or ends in this bin
    double begins = 0;   // in how many more the bin after this one lies wholly than in the one before it
    double amounts = 0;  // the same of their amounts
  };
  bin& at(std::size_t k);

  std::vector<bin> bins_;
};

}  // namespace imbrex::tools
