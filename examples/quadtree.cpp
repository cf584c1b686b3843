// SPDX-License-Identifier: Apache-2.0
// A map divided into flat squares: a square that is not flat is replaced by its four quarters. Shows: a group
// with the map, for all chares of a PE; an array that begins empty, with keys of a user's type; insert and
// destroy; a user's placement.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <imbrex/imbrex.hpp>
#include <imbrex/random.hpp>

#include "arguments.hpp"

/// A square of the map halved `level` times in x and y: part (x, y).
struct square {
  int level = 0;
  int x = 0;
  int y = 0;
  auto operator<=>(const square&) const = default;
};

/// The name of a square in error messages.
std::string to_string(const square& s) {
  return std::to_string(s.x) + ", " + std::to_string(s.y) + " of level " + std::to_string(s.level);
}

std::array<square, 4> quarters(const square& s) {
  const int level = s.level + 1;
  const int x = 2 * s.x;
  const int y = 2 * s.y;
  return {square{level, x, y}, {level, x, y + 1}, {level, x + 1, y}, {level, x + 1, y + 1}};
}

/// All squares below one of level 3 are on one PE: so the quarters of small squares stay on its PE.
struct by_region {
  int operator()(const square& s, int pes) const {
    const int up = std::max(s.level - 3, 0);
    return (8 * (s.x >> up) + (s.y >> up)) % pes;
  }
};

/// 2^depth x 2^depth heights. A group: each PE computes its own copy.
class terrain : public imbrex::chare<terrain> {
 public:
  explicit terrain(int depth) : depth_(depth), heights_(std::size_t{1} << (2 * depth)) {
    const int n = 1 << depth;
    imbrex::random random(1);
    for (int hill = 0; hill < 5; ++hill) {
      const int x0 = static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
      const int y0 = static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
      for (int x = 0; x < n; ++x)
        for (int y = 0; y < n; ++y) {
          int& height = heights_[place(x, y)];
          height = std::max(height, n / 6 - std::abs(x - x0) - std::abs(y - y0));
        }
    }
  }

  bool is_flat(const square& s) const {
    const int side = 1 << (depth_ - s.level);
    const int height = heights_[place(s.x * side, s.y * side)];
    for (int x = s.x * side; x < (s.x + 1) * side; ++x)
      for (int y = s.y * side; y < (s.y + 1) * side; ++y)
        if (heights_[place(x, y)] != height) return false;
    return true;
  }

 private:
  std::size_t place(int x, int y) const {
    return (static_cast<std::size_t>(x) << depth_) + static_cast<std::size_t>(y);
  }

  int depth_;
  std::vector<int> heights_;
};

class tile : public imbrex::chare<tile, square> {
 public:
  explicit tile(imbrex::group<terrain> maps) : maps_(maps) {}

  void refine() {
    if (maps_.local()->is_flat(where())) return;
    for (const square& quarter : quarters(where())) {
      peers().insert(quarter, maps_);
      imbrex::send<&tile::refine>(peers()[quarter]);  // waits until the quarter has been inserted
    }
    destroy();
  }

  square place() const { return where(); }

 private:
  imbrex::group<terrain> maps_;
};

/// The reference result, by recursion.
void cut(const square& s, const terrain& map, std::vector<square>& into) {
  if (map.is_flat(s)) return into.push_back(s);
  for (const square& quarter : quarters(s)) cut(quarter, map, into);
}

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "quadtree [DEPTH]");
    const int depth = command_line.next("DEPTH", 6, 11);
    command_line.finish();

    const auto maps = imbrex::make_group<terrain>(depth);
    co_await maps.created();  // then all PEs have it, for `local`

    const auto tiles = imbrex::make_array<tile>(imbrex::keyed<square>().placed(by_region{}));
    const square whole;
    tiles.insert(whole, maps);
    imbrex::send<&tile::refine>(tiles[whole]);
    co_await imbrex::quiescence();  // no square is refined any more
    const auto squares = co_await tiles.reduce<&tile::place>(imbrex::gather);

    std::vector<square> expected;
    cut(whole, *maps.local(), expected);
    std::ranges::sort(expected);
    const bool right = squares == expected;
    std::printf("%zu flat squares: %s\n", squares.size(),
                right ? "as by a recursion" : "not as by a recursion");
    co_return right ? 0 : 1;
  });
}
