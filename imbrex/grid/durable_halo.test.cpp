// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/durable.test.hpp>

#include <vector>

#include <imbrex/coro/when_all.hpp>
#include <imbrex/grid/field.hpp>
#include <imbrex/grid/halo.hpp>

namespace imbrex::grid::durable_halo_test {

using durable_test::memory;

class durable_halo : public ::testing::TestWithParam<durable_test::two_runs> {
 protected:
  void SetUp() override { memory::of_test().clear(); }
};
INSTANTIATE_TEST_SUITE_P(on, durable_halo, ::testing::ValuesIn(durable_test::pairs_of_machines()),
                         durable_test::name_of_pair);

/// Exchanges one number with its neighbours in each step.
class row : public chare<row> {
 public:
  grid::halo<field<int, 1>> halo;

  row() = default;
  explicit row(const decomposition<1>& cut) : cells_(cut[where()].extents) {
    halo.connect<&row::halo>(*this, cut);
  }

  /// Begins steps until `until`, and ends all but the last.
  task<> lead(int until) {
    while (step_ < until) {
      begin();
      if (step_ < until) co_await halo.end(cells_);
    }
  }
  void begin() {
    cells_.interior().fill(10 * where()[0] + step_);
    halo.begin(cells_, step_++);
  }
  task<std::vector<int>> end() {
    co_await halo.end(cells_);
    co_return std::vector<int>{cells_(-1), cells_(cells_.extent(0))};
  }
  void serialize(auto& ar) { ar(halo, cells_, step_); }

 private:
  field<int, 1> cells_;
  int step_ = 0;
};

TEST_P(durable_halo, goes_on_in_the_middle_of_steps) {
  memory::of_test().knows<row>();
  durable_test::run_both(
      GetParam(),
      []() -> task<> {
        const decomposition<1> cut({9}, {3});
        const auto all = make_array<row>(dense(cut.shape()).named("rows"), cut);
        co_await all[1].call<&row::begin>();
        // The neighbours are a step ahead: their parcels of two steps lie unread with the row between them.
        co_await when_all(all[0].call<&row::lead>(2), all[2].call<&row::lead>(2));
        co_await durable_test::save_all();
      },
      []() -> task<> {
        const auto numbers = co_await durable_test::restore_all();
        const auto all = extension::proxy_of<row>(numbers.at("rows"));
        for (int step = 0; step < 2; ++step) {
          const auto seen = co_await all[1].call<&row::end>();
          EXPECT_EQ(seen, (std::vector<int>{step, 20 + step}));
          co_await all[1].call<&row::begin>();
        }
        for (const int i : {0, 2}) {
          const auto seen = co_await all[i].call<&row::end>();
          EXPECT_EQ(seen[i == 0 ? 1 : 0], 11);
        }
        // All three meet in the next step.
        co_await when_all(all[0].call<&row::begin>(), all[2].call<&row::begin>());
        const auto seen = co_await all[1].call<&row::end>();
        EXPECT_EQ(seen, (std::vector<int>{2, 22}));
        co_await when_all(all[0].call<&row::end>(), all[2].call<&row::end>());
      });
}

}  // namespace imbrex::grid::durable_halo_test
