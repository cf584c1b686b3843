// SPDX-License-Identifier: Apache-2.0
// Sorts numbers by samples (Frazer and McKellar 1970). Each chare sorts its numbers and contributes some as
// samples. All samples determine the range of each chare, and each number is sent to its range. Shows:
// gathering values of different lengths, exchange, scan.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include <imbrex/imbrex.hpp>
#include <imbrex/random.hpp>

#include "arguments.hpp"

using numbers = std::vector<std::uint64_t>;
using index1 = imbrex::index<1>;

class sorter : public imbrex::chare<sorter> {
 public:
  /// Every chare begins with a different count of numbers, the first with none.
  explicit sorter(int most) {
    imbrex::random random(static_cast<std::uint64_t>(where()[0]));
    for (int i = 0; i < where()[0] * most / peers().shape()[0]; ++i) numbers_.push_back(random() >> 32);
  }

  std::uint64_t total() const {
    std::uint64_t sum = numbers_.size();
    for (const auto number : numbers_) sum += number * (number | 1);  // a checksum independent of the order
    return sum;
  }

  /// True if this chare's final numbers are in order, and greater than or equal to those of the chares before
  /// it.
  imbrex::task<bool> sort() {
    std::sort(numbers_.begin(), numbers_.end());
    const std::size_t chares = static_cast<std::size_t>(peers().shape()[0]);
    numbers shown;  // at most 8 for each range
    for (std::size_t i = 1; i <= 8 * chares && !numbers_.empty(); ++i)
      shown.push_back(numbers_[i * numbers_.size() / (8 * chares + 1)]);
    const auto samples = co_await all_reduce(std::move(shown), imbrex::gather);

    numbers all;
    for (const auto& some : samples) all.insert(all.end(), some.begin(), some.end());
    std::sort(all.begin(), all.end());
    std::map<index1, numbers> outgoing;
    auto first = numbers_.begin();
    for (std::size_t range = 0; range < chares; ++range) {
      const bool is_last = range + 1 == chares || all.empty();
      const auto end = is_last
                           ? numbers_.end()
                           : std::lower_bound(first, numbers_.end(), all[(range + 1) * all.size() / chares]);
      if (first != end) outgoing[static_cast<int>(range)].assign(first, end);
      first = end;
    }
    const auto arrived = co_await imbrex::exchange(*this, std::move(outgoing));
    numbers_.clear();
    for (const auto& [from, some] : arrived) {
      numbers merged;
      std::merge(numbers_.begin(), numbers_.end(), some.begin(), some.end(), std::back_inserter(merged));
      numbers_ = std::move(merged);
    }
    const auto greatest = numbers_.empty() ? 0 : numbers_.back();
    const auto before = co_await imbrex::exclusive_scan(*this, greatest, imbrex::max);
    co_return std::is_sorted(numbers_.begin(), numbers_.end()) &&
        (numbers_.empty() || before.value_or(0) <= numbers_.front());
  }

 private:
  numbers numbers_;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "sample_sort [CHARES [MOST_NUMBERS_EACH]]");
    const int chares = command_line.next("CHARES", 7, 1'000);
    const int most = command_line.next("MOST_NUMBERS_EACH", 2'000, 1'000'000);
    command_line.finish();

    const auto all = imbrex::make_array<sorter>(chares, most);
    const auto before = co_await all.reduce<&sorter::total>(imbrex::sum);
    const bool sorted = co_await all.reduce<&sorter::sort>(imbrex::all);
    const auto after = co_await all.reduce<&sorter::total>(imbrex::sum);
    const bool right = sorted && before == after;
    std::printf("the numbers of %d chares are %s\n", chares,
                right ? "in order, and all there" : "not sorted");
    co_return right ? 0 : 1;
  });
}
