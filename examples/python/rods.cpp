// SPDX-License-Identifier: Apache-2.0
// A rod in pieces, as chares of C++ that a program of Python makes and calls: rods.py.
#include <imbrex/imbrex.hpp>
#include <imbrex/python.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace {

using screen = imbrex::python::foreign_element<"rods.Screen">;

class piece : public imbrex::chare<piece> {
 public:
  imbrex::mailbox<double> left, right;  // cells of the neighbours, matched by the step

  explicit piece(int cells) : heat_(static_cast<std::size_t>(cells) + 2), next_(heat_) {}

  void fill(std::span<const double> heat) { std::ranges::copy(heat, heat_.begin() + 1); }

  imbrex::task<double> run(int steps, screen shown) {
    const int last = peers().shape()[0] - 1;
    double change = 0;
    for (int s = 0; s < steps; ++s, ++step_) {
      if (where()[0] > 0) imbrex::send<&piece::right>(peers()[where()[0] - 1], step_, heat_[1]);
      if (where()[0] < last)
        imbrex::send<&piece::left>(peers()[where()[0] + 1], step_, heat_[heat_.size() - 2]);
      if (where()[0] > 0) heat_.front() = co_await left.receive(step_);
      if (where()[0] < last) heat_.back() = co_await right.receive(step_);
      change = relax();
    }
    co_await shown.call("draw", where()[0], change);
    co_return change;
  }
  std::vector<double> cells() const { return {heat_.begin() + 1, heat_.end() - 1}; }

 private:
  /// One step of diffusion. Returns the largest change of a cell.
  double relax() {
    double change = 0;
    for (std::size_t i = 1; i + 1 < heat_.size(); ++i) {
      next_[i] = heat_[i] + 0.25 * (heat_[i - 1] - 2 * heat_[i] + heat_[i + 1]);
      change = std::max(change, std::abs(next_[i] - heat_[i]));
    }
    std::ranges::copy(std::span(next_).subspan(1, next_.size() - 2), heat_.begin() + 1);
    return change;
  }

  std::vector<double> heat_, next_;
  int step_ = 0;
};

}  // namespace

NB_MODULE(rods_of_cpp, m) {
  imbrex::python::chare<piece>(m, "Piece", "A part of a rod.")
      .constructor<int>("cells")
      .entry<&piece::fill>("fill", "heat")
      .entry<&piece::run>("run", "steps", "screen")
      .entry<&piece::cells>("cells");
}
