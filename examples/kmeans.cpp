// SPDX-License-Identifier: Apache-2.0
// k-means (Lloyd's algorithm): the points are divided among chares. Each round broadcasts the centres and
// sums the points nearest to each. Shows: a broadcast vector, and vectors reduced element by element.
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#include <imbrex/imbrex.hpp>
#include <imbrex/random.hpp>

#include "arguments.hpp"

namespace {

struct point {
  double x = 0;
  double y = 0;
  bool operator==(const point&) const = default;
};

/// Three numbers for each centre: the count of its nearest points, and the sums of their x and y.
using totals = std::vector<double>;

/// Coordinates are whole numbers, so sums are exact in any order, and the check below can require equality.
std::vector<point> make_points(std::uint64_t seed, int count) {
  imbrex::random random(seed);
  std::vector<point> points;
  for (int i = 0; i < count; ++i) {
    const auto x = static_cast<double>(random.below(10'000));
    const auto y = static_cast<double>(random.below(10'000));
    points.push_back({x, y});
  }
  return points;
}

totals sum_by_nearest(std::span<const point> points, std::span<const point> centres) {
  totals sums(3 * centres.size());
  for (const auto& p : points) {
    std::size_t nearest = 0;
    double least = 1e300;
    for (std::size_t c = 0; c < centres.size(); ++c) {
      const double dx = p.x - centres[c].x;
      const double dy = p.y - centres[c].y;
      if (dx * dx + dy * dy < least) {
        least = dx * dx + dy * dy;
        nearest = c;
      }
    }
    sums[3 * nearest] += 1;
    sums[3 * nearest + 1] += p.x;
    sums[3 * nearest + 2] += p.y;
  }
  return sums;
}

/// Moves each centre to the mean of its points. False if none moves.
bool move_centres(std::vector<point>& centres, const totals& sums) {
  const auto before = centres;
  for (std::size_t c = 0; c < centres.size(); ++c)
    if (sums[3 * c] > 0) centres[c] = {sums[3 * c + 1] / sums[3 * c], sums[3 * c + 2] / sums[3 * c]};
  return centres != before;
}

}  // namespace

class cloud : public imbrex::chare<cloud> {
 public:
  explicit cloud(int count) : points_(make_points(static_cast<std::uint64_t>(where()[0]), count)) {}

  // A span parameter is a view into the message: no copy is made for each chare.
  totals assign(std::span<const point> centres) const { return sum_by_nearest(points_, centres); }

 private:
  std::vector<point> points_;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "kmeans [CENTRES [CHARES [POINTS_PER_CHARE]]]");
    const int k = command_line.next("CENTRES", 5, 1'000);
    const int chares = command_line.next("CHARES", 8, 1'000);
    const int count = command_line.next("POINTS_PER_CHARE", 500, 100'000);
    command_line.finish();

    const auto clouds = imbrex::make_array<cloud>(chares, count);
    const auto first_centres = make_points(1'000'000, k);
    auto centres = first_centres;
    int rounds = 0;
    for (bool moved = true; moved && rounds < 100; ++rounds) {
      const totals sums = co_await clouds.reduce<&cloud::assign>(imbrex::sum, centres);
      moved = move_centres(centres, sums);
    }
    std::printf("%d points, %d centres: %d rounds\n", chares * count, k, rounds);

    // The reference is one loop over all points.
    std::vector<point> points;
    for (int c = 0; c < chares; ++c)
      for (const auto& p : make_points(static_cast<std::uint64_t>(c), count)) points.push_back(p);
    auto expected = first_centres;
    for (int r = 0; r < rounds; ++r) move_centres(expected, sum_by_nearest(points, expected));
    const bool right = centres == expected;
    std::printf("the centres are %s a plain loop finds\n", right ? "those that" : "not those that");
    co_return right ? 0 : 1;
  });
}
