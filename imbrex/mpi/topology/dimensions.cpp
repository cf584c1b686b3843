// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/topology/dimensions.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

std::vector<int> divisors_of(int n) {
  std::vector<int> all;
  for (int d = 1; d <= n / d; ++d)
    if (n % d == 0) {
      all.push_back(d);
      if (d != n / d) all.push_back(n / d);
    }
  std::ranges::sort(all);
  return all;
}

/// Whether `count` factors of at most `most` each can have the product n.
bool can_reach(std::int64_t n, std::size_t count, std::int64_t most) {
  std::int64_t reach = 1;
  for (std::size_t i = 0; i < count && reach < n; ++i) reach *= most;
  return reach >= n;
}

/// Whether `count` factors of at least `least` each can have the product n.
bool fits(int least, std::size_t count, int n) {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < count && product <= n; ++i) product *= least;
  return product <= n;
}

/// Finds descending factors of a number, by the criteria of `balance_dimensions`.
class factor_search {
 public:
  factor_search(int n, std::span<int> found) : divisors_(divisors_of(n)), found_(found), now_(found.size()) {
    look_for(n, found.size(), 1);
  }

 private:
  /// Chooses the first `count` factors, from the last to the first, largest candidates first. So the first
  /// solution found with a difference is the best with that difference.
  void look_for(int n, std::size_t count, int least) {
    if (count == 1) {
      now_[0] = n;  // also the shortest if it is the only factor
      if (n - now_.back() >= difference_) return;
      difference_ = n - now_.back();
      std::ranges::copy(now_, found_.begin());
      return;
    }
    for (auto d = divisors_.rbegin(); d != divisors_.rend() && *d >= least; ++d) {
      if (n % *d != 0 || !fits(*d, count, n)) continue;
      now_[count - 1] = *d;
      if (!can_reach(n / *d, count - 1, now_.back() + difference_ - 1)) return;
      look_for(n / *d, count - 1, *d);
    }
  }

  std::vector<int> divisors_;
  std::span<int> found_;
  std::vector<int> now_;
  std::int64_t difference_ = std::numeric_limits<int>::max();  ///< between the longest and the shortest
};

}  // namespace

void balance_dimensions(int places, std::span<int> dimensions) {
  if (places < 1)
    throw error(MPI_ERR_ARG, "the number of nodes is " + std::to_string(places) + "; it must be positive");
  std::int64_t fixed_product = 1;
  std::vector<int*> open;
  for (int& d : dimensions) {
    if (d < 0)
      throw error(MPI_ERR_DIMS,
                  "a dimension is " + std::to_string(d) + "; give its length, or 0 to have it found");
    if (d == 0)
      open.push_back(&d);
    else if (__builtin_mul_overflow(fixed_product, d, &fixed_product))
      fixed_product = 0;
    if (fixed_product == 0 || fixed_product > places) break;
  }
  if (fixed_product == 0 || fixed_product > places || places % fixed_product != 0 ||
      (open.empty() && fixed_product != places))
    throw error(MPI_ERR_DIMS, "the dimensions that are given do not divide " + std::to_string(places) +
                                  " nodes; give lengths whose product does, or 0 to have them found");
  if (open.empty()) return;
  const int left = int(places / fixed_product);
  std::vector<int> lengths(open.size());
  factor_search(left, lengths);
  for (std::size_t i = 0; i < open.size(); ++i) *open[i] = lengths[i];
}

}  // namespace imbrex::mpi
