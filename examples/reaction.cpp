// SPDX-License-Identifier: Apache-2.0
// Two substances that react and diffuse (Gray and Scott) on a strip with joined ends between two walls.
// Shows: two fields exchanged together, walls of a grid, work during an exchange, and migration in the middle
// of one.
#include <cstdio>
#include <vector>

#include <imbrex/grid.hpp>

#include "arguments.hpp"

namespace grid = imbrex::grid;

using substance = grid::field<double, 2>;

class block : public imbrex::chare<block, imbrex::index<2>> {
 public:
  grid::halo<substance, substance> halo;

  block() = default;
  explicit block(const grid::decomposition<2>& cut)
      : food_(cut[where()].extents, 1, 1.0), eater_(food_.extents()), next_food_(food_), next_eater_(eater_) {
    grid::boundaries<2> ends;
    ends.set(0, grid::boundary::periodic).set(1, grid::boundary::reflecting);
    halo.connect<&block::halo>(*this, cut, ends);
    for (const auto& i : eater_.cells()) {
      const auto [x, y] = halo.cells().origin + i;
      if (x < 5 && y < 5) eater_[i] = 0.5;
    }
  }

  imbrex::task<> run(int steps) {
    while (step_ < steps) {
      const auto all = food_.cells();
      if (!halo.has_begun()) {
        halo.begin(food_, eater_, step_);
        for (const auto& i : inner(all, food_.width())) react(i);
        if (step_ % 10 == where()[0]) migrate_to((pe() + 1) % num_pes());
        co_await balance_point<&block::run>(steps);
      }
      co_await halo.end(food_, eater_);
      for (const auto& part : rim(all, food_.width()))
        for (const auto& i : part) react(i);
      swap(food_, next_food_);
      swap(eater_, next_eater_);
      ++step_;
    }
  }

  void add_to(const imbrex::element<block>& whole) const {
    std::vector<double> values;
    for (const auto& i : eater_.cells()) values.push_back(eater_[i]);
    imbrex::send<&block::compare>(whole, halo.cells(), values);
  }
  void compare(const grid::box<2>& part, const std::vector<double>& values) {
    auto value = values.begin();
    for (const auto& i : part) equal_ += eater_[i] == *value++ ? 1 : 0;
  }
  int equal() const { return equal_; }

  void serialize(auto& ar) { ar(halo, food_, eater_, next_food_, next_eater_, step_, equal_); }

 private:
  static double spread(const substance& s, const imbrex::index<2>& i) {
    const auto [x, y] = i;
    return s(x - 1, y) + s(x + 1, y) + s(x, y - 1) + s(x, y + 1) - 4 * s(x, y);
  }
  void react(const imbrex::index<2>& i) {
    const double eaten = food_[i] * eater_[i] * eater_[i];
    next_food_[i] = food_[i] + 0.2 * spread(food_, i) - eaten + 0.04 * (1 - food_[i]);
    next_eater_[i] = eater_[i] + 0.1 * spread(eater_, i) + eaten - 0.1 * eater_[i];
  }

  substance food_, eater_, next_food_, next_eater_;
  int step_ = 0, equal_ = 0;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "reaction [STEPS]");
    const int steps = command_line.next("STEPS", 50, 100'000);
    command_line.finish();

    const imbrex::index<2> extents(30, 17);
    const grid::decomposition<2> cut(extents, {4, 3}), uncut(extents, {1, 1});
    const auto blocks = imbrex::make_array<block>(cut.shape(), cut);
    const auto whole = imbrex::make_array<block>(uncut.shape(), uncut);
    co_await imbrex::when_all(blocks.call<&block::run>(steps), whole.call<&block::run>(steps));

    // The reference is one block for the whole: every cell must be equal, bit for bit.
    co_await blocks.call<&block::add_to>(whole[{0, 0}]);
    co_await imbrex::quiescence();
    const int equal = co_await whole[{0, 0}].call<&block::equal>();
    std::printf("%d cells of %d are as in one block\n", equal, extents[0] * extents[1]);
    co_return equal == extents[0] * extents[1] ? 0 : 1;
  });
}
