// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/topology/dimensions.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

/// Whether `count` factors of at most `most` each have the product n.
bool could_be(int n, std::size_t count, int most) {
  std::int64_t reach = 1;
  for (std::size_t i = 0; i < count && reach < n; ++i) reach *= most;
  return reach >= n;
}

/// Finds factors of n, none over `most` and none over the one before: the first as small as can be.
bool factorise(int n, int most, std::span<int> factors, const std::vector<int>& divisors) {
  if (factors.size() == 1) {
    factors[0] = n;
    return n <= most;
  }
  for (const int d : divisors) {
    if (d > most || d > n) return false;
    if (n % d != 0 || !could_be(n / d, factors.size() - 1, d)) continue;
    factors[0] = d;
    if (factorise(n / d, d, factors.subspan(1), divisors)) return true;
  }
  return false;
}

}  // namespace

void balance_dimensions(int places, std::span<int> dimensions) {
  if (places < 1)
    throw error(MPI_ERR_ARG, "the number of nodes is " + std::to_string(places) + "; it must be positive");
  std::int64_t given = 1;
  std::vector<int*> open;
  for (int& d : dimensions) {
    if (d < 0)
      throw error(MPI_ERR_DIMS,
                  "a dimension is " + std::to_string(d) + "; give its length, or 0 to have it found");
    if (d == 0)
      open.push_back(&d);
    else if (__builtin_mul_overflow(given, d, &given))
      given = 0;
    if (given == 0 || given > places) break;
  }
  if (given == 0 || given > places || places % given != 0 || (open.empty() && given != places))
    throw error(MPI_ERR_DIMS,
                "the dimensions that are given do not divide " + std::to_string(places) + " nodes");
  if (open.empty()) return;
  const int left = int(places / given);
  std::vector<int> lengths(open.size());
  factorise(left, left, lengths, divisors_of(left));
  for (std::size_t i = 0; i < open.size(); ++i) *open[i] = lengths[i];
}

}  // namespace imbrex::mpi
