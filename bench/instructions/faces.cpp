// SPDX-License-Identifier: Apache-2.0
#include "faces.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/grid.hpp>

namespace {

constexpr int n = 16;  // cells along an edge of a block
constexpr int blocks = 2;
constexpr int faces_at_once = blocks * blocks * blocks * imbrex::side<3>::faces;
constexpr imbrex::periodic<3> around{true, true, true};

struct face {
  imbrex::side<3> side{};  // side of the receiving block
  std::vector<double> cells{};
};

class block_by_hand : public imbrex::chare<block_by_hand, imbrex::index<3>> {
 public:
  imbrex::mailbox<face> halo;

  imbrex::task<std::int64_t> exchange(std::int64_t steps) {
    const imbrex::neighbours all(where(), peers().shape(), imbrex::sides::faces, around);
    std::int64_t received = 0;
    for (std::int64_t step = 0; step < steps; ++step) {
      for (const auto& [neighbour, side] : all)
        imbrex::send<&block_by_hand::halo>(peers()[neighbour], step, face{opposite(side), pack(side)});
      for (int i = 0; i < imbrex::side<3>::faces; ++i) {
        const face f = co_await halo.receive(step);
        unpack(f);
        ++received;
      }
    }
    co_return received;
  }

 private:
  static constexpr std::size_t place(int x, int y, int z) {
    return static_cast<std::size_t>(((x + 1) * (n + 2) + y + 1) * (n + 2) + z + 1);
  }
  static constexpr std::size_t row(int dimension, int at, int a) {
    return dimension == 0 ? place(at, a, 0) : place(a, at, 0);
  }
  std::vector<double> pack(imbrex::side<3> side) const {
    const int d = side.dimension(), at = side.is_upper() ? n - 1 : 0;
    std::vector<double> packed(n * n);
    double* to = packed.data();
    for (int a = 0; a < n; ++a) {
      if (d == 2)
        for (int b = 0; b < n; ++b) *to++ = cells_[place(a, b, at)];
      else
        to = std::copy_n(cells_.data() + row(d, at, a), n, to);
    }
    return packed;
  }
  void unpack(const face& f) {
    const int d = f.side.dimension(), at = f.side.is_upper() ? n : -1;
    const double* from = f.cells.data();
    for (int a = 0; a < n; ++a) {
      if (d == 2) {
        for (int b = 0; b < n; ++b) cells_[place(a, b, at)] = *from++;
      } else {
        std::copy_n(from, n, cells_.data() + row(d, at, a));
        from += n;
      }
    }
  }

  std::vector<double> cells_ = std::vector<double>((n + 2) * (n + 2) * (n + 2));
};

class block_by_halo : public imbrex::chare<block_by_halo, imbrex::index<3>> {
 public:
  imbrex::grid::halo<imbrex::grid::field<double, 3>> halo;

  explicit block_by_halo(const imbrex::grid::decomposition<3>& cut) : cells_(cut[where()].extents) {
    halo.connect<&block_by_halo::halo>(*this, cut, around);
  }

  imbrex::task<std::int64_t> exchange(std::int64_t steps) {
    for (std::int64_t step = 0; step < steps; ++step) co_await halo.exchange(cells_, step);
    co_return imbrex::side<3>::faces* steps;
  }

 private:
  imbrex::grid::field<double, 3> cells_;
};

}  // namespace

imbrex::task<std::int64_t> exchange_faces(way_of_faces way, std::int64_t times) {
  if (times % faces_at_once != 0)
    throw imbrex::usage_error(std::to_string(times) + " faces: they are exchanged by " +
                              std::to_string(faces_at_once) + ", give a multiple");
  const std::int64_t steps = times / faces_at_once;
  if (way == way_of_faces::by_hand) {
    const auto all = imbrex::make_array<block_by_hand>({blocks, blocks, blocks});
    const std::int64_t exchanged = co_await all.reduce<&block_by_hand::exchange>(imbrex::sum, steps);
    co_return exchanged;
  }
  const imbrex::grid::decomposition<3> cut({blocks * n, blocks * n, blocks * n}, {blocks, blocks, blocks});
  const auto all = imbrex::make_array<block_by_halo>(cut.shape(), cut);
  const std::int64_t exchanged = co_await all.reduce<&block_by_halo::exchange>(imbrex::sum, steps);
  co_return exchanged;
}
