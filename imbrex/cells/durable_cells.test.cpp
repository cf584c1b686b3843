// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/durable.test.hpp>

#include <cstdint>

#include <imbrex/cells/cell_set.hpp>

namespace imbrex::cells::durable_cells_test {

using durable_test::memory;

class durable_cells : public ::testing::TestWithParam<durable_test::two_runs> {
 protected:
  void SetUp() override { memory::of_test().clear(); }
};
INSTANTIATE_TEST_SUITE_P(on, durable_cells, ::testing::ValuesIn(durable_test::pairs_of_machines()),
                         durable_test::name_of_pair);

struct particle {
  point<2> position{};
  std::int64_t id = 0;
};

constexpr int edge = 6;

/// Cells of edge 1, one particle in each, which all go half a cell to the right in each step.
class tile : public chare<tile, index<2>> {
 public:
  cell_set<2, particle> cells;

  tile() = default;
  explicit tile(const domain<2>& of) {
    cells.connect<&tile::cells>(*this, of, {of.cells(), {3, 2}});
    for (int x = 0; x < edge; ++x)
      for (int y = 0; y < edge; ++y) {
        const particle p{{x + 0.25, y + 0.5}, x * edge + y};
        if (cells.owns(p.position)) cells.insert(p);
      }
  }
  /// Sends particles and copies to the neighbours, and waits for none of theirs.
  void begin() {
    cells.migrate([](particle& p) { p.position[0] += 0.5; }, 0.5);
    cells.cache_halo(1.1);
  }
  /// The number of neighbours of all particles here.
  task<int> end() {
    int neighbours = 0;
    co_await cells.for_each_pair(1.1, [&](cell<particle>& a, cell<particle>& b) {
      for (const auto& p : a)
        for (const auto& q : b) {
          const double x = p.position[0] - q.position[0], y = p.position[1] - q.position[1];
          neighbours += x * x + y * y < 1.1 * 1.1 ? 1 : 0;
        }
    });
    co_return neighbours;
  }
  void serialize(auto& ar) { ar(cells); }
};

TEST_P(durable_cells, go_on_in_the_middle_of_a_phase) {
  memory::of_test().knows<tile>();
  int expected[3] = {};
  durable_test::run_both(
      GetParam(),
      [&]() -> task<> {
        const domain<2> box({0, 0}, {edge, edge}, {edge, edge}, grid::boundary::periodic);
        const auto all = make_array<tile>(dense(index<2>{3, 2}).named("tiles"), box);
        co_await all.call<&tile::begin>();
        co_await durable_test::save_all();
        for (int& each : expected) {
          each = co_await all.reduce<&tile::end>(sum);
          EXPECT_GT(each, 0);
          co_await all.call<&tile::begin>();
        }
        co_await all.reduce<&tile::end>(sum);
      },
      [&]() -> task<> {
        const auto numbers = co_await durable_test::restore_all();
        const auto all = extension::proxy_of<tile>(numbers.at("tiles"));
        for (const int each : expected) {
          const int neighbours = co_await all.reduce<&tile::end>(sum);
          EXPECT_EQ(neighbours, each);
          co_await all.call<&tile::begin>();
        }
        co_await all.reduce<&tile::end>(sum);
      });
}

}  // namespace imbrex::cells::durable_cells_test
