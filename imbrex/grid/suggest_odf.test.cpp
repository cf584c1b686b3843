// SPDX-License-Identifier: Apache-2.0
#include <imbrex/grid/suggest_odf.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/mailbox.hpp>
#include <imbrex/core/name/indices.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::suggest_odf_test {

using namespace std::chrono_literals;

struct face {
  std::vector<char> cells;
};

/// A block that takes the time of its cells, in simulated time, and exchanges faces of one byte a cell.
class block : public chare<block, index<3>> {
 public:
  block(index<3> cells, nanoseconds work) : cells_(cells), work_(work) {}

  mailbox<face> halo;

  task<nanoseconds::rep> run(int warm_up, int last) {
    for (int i = 0; i < last; ++i) {
      int expected = 0;
      if (i > 0)
        for ([[maybe_unused]] const auto& each : neighbours(where(), peers().shape())) ++expected;
      for (; expected > 0; --expected) co_await halo.receive(i);
      spend(work_);
      if (i + 1 == warm_up) warm_ = now();
      for (const auto& [to, across] : neighbours(where(), peers().shape())) {
        const int d = across.dimension();
        const auto size =
            static_cast<std::size_t>(cells_[(d + 1) % 3]) * static_cast<std::size_t>(cells_[(d + 2) % 3]);
        imbrex::send<&block::halo>(peers()[to], i + 1, face{std::vector<char>(size)});
      }
    }
    co_return now().count();
  }
  /// The end of the warm-up.
  nanoseconds::rep warm() const { return warm_.count(); }

 private:
  index<3> cells_;
  nanoseconds work_;
  nanoseconds warm_{0};
};

struct problem {
  index<3> grid;
  nanoseconds pe_time;  ///< time for the cells of a PE
  options run;
};

options link(int pes, nanoseconds latency, std::uint64_t bandwidth, nanoseconds gap) {
  options run{.pes = pes, .machine = machine_kind::simulated};
  run.net_latency = latency;
  run.net_bandwidth = bandwidth;
  run.net_injection_gap = gap;
  return run;
}

block_costs costs_of(const problem& p) {
  const double cells = double(p.grid[0]) * p.grid[1] * p.grid[2];
  return {.cell_seconds = std::chrono::duration<double>(p.pe_time).count() * p.run.pes / cells,
          .face_cell_bytes = 1};
}

/// The time of an iteration in simulated time.
double simulated(const problem& p, const index<3>& shape) {
  const index<3> cells(p.grid[0] / shape[0], p.grid[1] / shape[1], p.grid[2] / shape[2]);
  const int blocks = shape[0] * shape[1] * shape[2];
  double seconds = 0;
  EXPECT_EQ(run(p.run,
                [&]() -> task<> {
                  const auto all = make_array<block>(shape, cells, p.pe_time * p.run.pes / blocks);
                  const auto end = co_await all.reduce<&block::run>(max, 4, 12);
                  const auto begin = co_await all.reduce<&block::warm>(max);
                  seconds = double(end - begin) * 1e-9 / 8;
                }),
            0);
  return seconds;
}

std::vector<problem> problems() {
  std::vector<problem> all;
  for (const int pes : {2, 8})
    for (const auto latency : {20us, 200us, 2000us})
      for (const std::uint64_t bandwidth : {std::uint64_t{0}, std::uint64_t{1'000'000'000}})
        all.push_back({index<3>(64, 64, 64), 1ms, link(pes, latency, bandwidth, 2us)});
  return all;
}

const std::vector<index<3>> shapes_of_two{index<3>(2, 1, 1), index<3>(2, 2, 1), index<3>(2, 2, 2),
                                          index<3>(4, 2, 2), index<3>(4, 4, 2)};
const std::vector<index<3>> shapes_of_eight{index<3>(2, 2, 2), index<3>(4, 2, 2), index<3>(4, 4, 2),
                                            index<3>(4, 4, 4), index<3>(8, 4, 4)};

TEST(suggest_odf, estimates_what_the_simulated_machine_takes) {
  for (const problem& p : problems()) {
    SCOPED_TRACE("pes " + std::to_string(p.run.pes) + ", latency " +
                 std::to_string(p.run.net_latency.count()) + ", bandwidth " +
                 std::to_string(p.run.net_bandwidth));
    const auto estimates = estimate_odfs(p.run, p.run.pes, p.grid, costs_of(p));
    ASSERT_EQ(estimates.size(), 5U);
    const auto& shapes = p.run.pes == 2 ? shapes_of_two : shapes_of_eight;
    std::vector<double> times;
    for (std::size_t n = 0; n < shapes.size(); ++n) {
      times.push_back(simulated(p, shapes[n]));
      EXPECT_NEAR(estimates[n].seconds, times.back(), 0.05 * times.back()) << "ODF " << estimates[n].odf;
    }
    const int chosen = suggest_odf(p.run, p.run.pes, p.grid, costs_of(p));
    const double of_chosen = times[static_cast<std::size_t>(std::lround(std::log2(chosen)))];
    EXPECT_LE(of_chosen, 1.03 * *std::ranges::min_element(times)) << "ODF " << chosen;
    EXPECT_LE(of_chosen, times[0]);
  }
}

TEST(suggest_odf, stays_at_one_block_where_nothing_can_be_hidden) {
  const index<3> grid(64, 64, 64);
  EXPECT_EQ(suggest_odf(link(8, 0ns, 0, 0ns), 8, grid, {.cell_seconds = 1e-9}), 1);
  EXPECT_EQ(suggest_odf(options{.pes = 8}, 8, grid, {.cell_seconds = 1e-9}), 1);
  EXPECT_EQ(suggest_odf(link(1, 1ms, 0, 0ns), 1, grid, {.cell_seconds = 1e-9}), 1);
}

TEST(suggest_odf, has_estimates_for_the_factors_that_the_grid_allows) {
  const auto odfs = [](const index<3>& grid, int pes) {
    std::vector<int> all;
    for (const odf_estimate& e : estimate_odfs(link(pes, 1us, 0, 0ns), pes, grid, {.cell_seconds = 1e-6}))
      all.push_back(e.odf);
    return all;
  };
  EXPECT_EQ(odfs(index<3>(2, 2, 2), 2), (std::vector{1, 2, 4}));
  EXPECT_EQ(odfs(index<3>(4, 1, 1), 7), std::vector<int>());
  EXPECT_EQ(suggest_odf(link(7, 1us, 0, 0ns), 7, index<3>(4, 1, 1), {}), 1);
  EXPECT_EQ(odfs(index<3>(1000, 1000, 1000), 3072).size(), 5U);
}

TEST(suggest_odf, refuses_what_cannot_be) {
  const options run = link(2, 1us, 0, 0ns);
  const index<3> grid(8, 8, 8);
  const auto text = [&](int pes, const index<3>& of, const block_costs& costs) {
    return testing::error_of<error>([&] { suggest_odf(run, pes, of, costs); });
  };
  EXPECT_EQ(text(0, grid, {}), "a run with 0 PEs has no granularity: give at least 1");
  EXPECT_EQ(text(2, index<3>(8, 0, 8), {}), "the grid (8, 0, 8) has no cells to be cut");
  EXPECT_NE(text(2, grid, {.cell_seconds = -1}), "");
  EXPECT_NE(text(2, grid, {.cell_seconds = std::numeric_limits<double>::quiet_NaN()}), "");
}

}  // namespace imbrex::suggest_odf_test
