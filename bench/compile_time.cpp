// SPDX-License-Identifier: Apache-2.0
// A typical user program of about 100 lines, for compile_time.sh: heat on a plate, one chare a tile.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include <imbrex/imbrex.hpp>

namespace {

enum side { west, east, south, north };

struct edge {
  int from = west;
  std::vector<double> cells;
};

class tile : public imbrex::chare<tile, imbrex::index<2>> {
 public:
  imbrex::mailbox<edge> halo;

  tile() = default;
  explicit tile(int n) : n_(n), now_(cells(), 0.0), next_(cells(), 0.0) {}

  imbrex::task<int> run(int limit, double tolerance) {
    double change = 1;
    int iteration = 0;
    while (iteration < limit && change > tolerance) {
      int expected = 0;
      for (const int to : {west, east, south, north}) expected += send_edge(to, iteration);
      for (; expected > 0; --expected) {
        edge e = co_await halo.receive(iteration);
        for (int i = 1; i <= n_; ++i) now_[at(e.from, i, 0)] = e.cells[static_cast<std::size_t>(i - 1)];
      }
      const double seconds = relax();
      change = co_await all_reduce(seconds, imbrex::max);
      ++iteration;
    }
    co_return iteration;
  }

  double heat() const {
    double sum = 0;
    for (const double cell : now_) sum += cell;
    return sum;
  }

  void serialize(auto& ar) { ar(n_, now_, next_, halo); }

 private:
  std::size_t cells() const { return static_cast<std::size_t>((n_ + 2) * (n_ + 2)); }
  std::size_t at(int x, int y) const { return static_cast<std::size_t>(y * (n_ + 2) + x); }

  // The index of the i-th cell along a side: in the halo (depth 0) or in the tile (depth 1).
  std::size_t at(int to, int i, int depth) const {
    const int near = depth;
    const int far = n_ + 1 - depth;
    return to == west ? at(near, i) : to == east ? at(far, i) : to == south ? at(i, near) : at(i, far);
  }

  int send_edge(int to, int iteration) {
    const int x = static_cast<int>(where()[0]) + (to == east) - (to == west);
    const int y = static_cast<int>(where()[1]) + (to == north) - (to == south);
    if (x < 0 || y < 0 || x >= 8 || y >= 8) return 0;
    edge e{to ^ 1, {}};
    for (int i = 1; i <= n_; ++i) e.cells.push_back(now_[at(to, i, 1)]);
    imbrex::send<&tile::halo>(peers()[{x, y}], iteration, std::move(e));
    return 1;
  }

  double relax();

  int n_ = 0;
  std::vector<double> now_, next_;
};

double tile::relax() {
  double change = 0;
  for (int y = 1; y <= n_; ++y)
    for (int x = 1; x <= n_; ++x) {
      next_[at(x, y)] =
          (now_[at(x - 1, y)] + now_[at(x + 1, y)] + now_[at(x, y - 1)] + now_[at(x, y + 1)]) / 4;
      change = std::fmax(change, std::fabs(next_[at(x, y)] - now_[at(x, y)]));
    }
  std::swap(now_, next_);
  return change;
}

}  // namespace

int main(int argc, char** argv) {
  const int limit = argc > 1 ? std::atoi(argv[1]) : 100;
  return imbrex::run(argc, argv, [limit]() -> imbrex::task<> {
    auto tiles = imbrex::make_array<tile>({8, 8}, 64);
    const int iterations = co_await tiles.reduce<&tile::run>(imbrex::max, limit, 1e-4);
    const double heat = co_await tiles.reduce<&tile::heat>(imbrex::sum);
    const double corner = co_await tiles[{0, 0}].call<&tile::heat>();
    std::printf("%d iterations, heat %g\n", iterations, heat);
  });
}
