// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients (Hestenes and Stiefel 1952) for heat in a square. The sums are taken in an order of the
// blocks' indices, so all digits are the same on any number of PEs. Shows: by_key, fields.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <imbrex/grid.hpp>

#include "arguments.hpp"

namespace grid = imbrex::grid;

using cells = grid::field<double, 2>;

namespace {

double dot(const cells& a, const cells& b) {
  double sum = 0;
  for (const auto& i : a.cells()) sum += a[i] * b[i];
  return sum;
}

/// The result: the number of steps, the greatest error, and the bits of the residual.
struct outcome {
  int steps = 0;
  double error = 0;
  std::uint64_t bits = 0;
};

}  // namespace

class block : public imbrex::chare<block, imbrex::index<2>> {
 public:
  grid::halo<cells> halo;

  explicit block(const grid::decomposition<2>& cut) : x_(cut[where()].extents), r_(x_), p_(x_), ap_(x_) {
    halo.connect<&block::halo>(*this, cut);
    // The right side is the operator applied to the solution, which is zero beyond the ends of the grid.
    for (const auto& i : p_.cells_with_ghosts()) p_[i] = solution(halo.cells().origin + i, cut.extents());
    apply();
    p_ = cells(p_.extents());
    for (const auto& i : p_.cells()) p_[i] = r_[i] = ap_[i];
    whole_ = cut.extents();
  }

  imbrex::task<outcome> run(double tolerance) {
    double rr = co_await all_reduce(dot(r_, r_), imbrex::by_key(imbrex::sum));
    int step = 0;
    for (; rr > tolerance * tolerance; ++step) {
      co_await halo.exchange(p_, step);
      apply();
      const double pap = co_await all_reduce(dot(p_, ap_), imbrex::by_key(imbrex::sum));
      for (const auto& i : x_.cells()) {
        x_[i] += rr / pap * p_[i];
        r_[i] -= rr / pap * ap_[i];
      }
      const double next = co_await all_reduce(dot(r_, r_), imbrex::by_key(imbrex::sum));
      for (const auto& i : p_.cells()) p_[i] = r_[i] + next / rr * p_[i];
      rr = next;
    }
    double worst = 0;
    for (const auto& i : x_.cells())
      worst = std::fmax(worst, std::fabs(x_[i] - solution(halo.cells().origin + i, whole_)));
    const double error = co_await all_reduce(worst, imbrex::max);
    co_return outcome{step, error, std::bit_cast<std::uint64_t>(rr)};
  }

 private:
  static double solution(const imbrex::index<2>& i, const imbrex::index<2>& all) {
    const bool is_inside = i[0] >= 0 && i[1] >= 0 && i[0] < all[0] && i[1] < all[1];
    return is_inside ? 1 + (i[0] * 7 + i[1] * 3) % 10 : 0;
  }
  void apply() {
    for (const auto [i, j] : p_.cells())
      ap_(i, j) = 4 * p_(i, j) - p_(i - 1, j) - p_(i + 1, j) - p_(i, j - 1) - p_(i, j + 1);
  }

  cells x_, r_, p_, ap_;
  imbrex::index<2> whole_;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "conjugate_gradients [CELLS_A_SIDE [BLOCKS_A_SIDE]]");
    const int n = command_line.next("CELLS_A_SIDE", 40, 1'000);
    const int blocks = command_line.next("BLOCKS_A_SIDE", 4, 100);
    command_line.finish();

    const grid::decomposition<2> cut({n, n}, {blocks, blocks});
    const auto all = imbrex::make_array<block>(cut.shape(), cut);
    const auto found = co_await all.reduce<&block::run>(imbrex::gather, 1e-8);
    bool right = found[0].error < 1e-7;
    for (const auto& each : found) right = right && each.bits == found[0].bits;
    std::printf("%d steps, residual %a: %s\n", found[0].steps,
                std::sqrt(std::bit_cast<double>(found[0].bits)), right ? "the solution is found" : "wrong");
    co_return right ? 0 : 1;
  });
}
