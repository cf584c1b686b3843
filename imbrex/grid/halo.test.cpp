// SPDX-License-Identifier: Apache-2.0
#include <imbrex/grid/halo.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/grid/halo_model.test.hpp>

namespace imbrex::grid::halo_test {

/// False while only a balancer moves blocks.
bool moves_itself = true;

class grid_halo : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, grid_halo, ::testing::ValuesIn(machines()), name_of_machine);

/// A block of two fields. The first has cells of one byte, so that the second must be aligned in messages.
template <int N>
class block : public chare<block<N>, index<N>> {
 public:
  using small_cells = field<std::int8_t, N>;
  using large_cells = field<double, N>;

  grid::halo<small_cells, large_cells> halo;

  block() = default;
  explicit block(const plan<N>& p)
      : plan_(p), small_(cells().extents, p.width[0]), large_(cells().extents, p.width[1]) {
    halo.template connect<&block::halo>(*this, p.cut, p.ends, p.corners ? sides::all : sides::faces);
  }

  /// Runs `steps` exchanges. Returns the number of cells that are wrong after one of them.
  task<std::int64_t> run(int steps) {
    while (done_ < steps) {
      const std::int64_t step = 3 * done_ - 4;
      if (!halo.has_begun()) {
        fill(step);
        halo.begin(small_, large_, step);
        fill_interior(step + 1);  // must not change the parcels already sent
        fill_interior(step);      // used for ends of the grid, at the end of the exchange
        if (plan_.does == habit::leaves_between_halves) {
          leave();
          co_await this->template balance_point<&block::run>(steps);
        }
      }
      const auto at_end = [](const outer_cell<N>& outer, auto mirrored) {
        return static_cast<decltype(mirrored)>(value_at_end(outer, static_cast<int>(mirrored)));
      };
      if (plan_.does == habit::gives_up_at_times) {
        auto first =
            co_await when_any(halo.end(small_, large_, at_end), sleep_for(std::chrono::nanoseconds(0)));
        if (first.index == 1) {
          ++cancelled_steps_;
          continue;
        }
      } else {
        co_await halo.end(small_, large_, at_end);
      }
      check(small_, 0, step);
      check(large_, 1, step);
      ++done_;
      if (plan_.does == habit::leaves_between_steps) {
        leave();
        co_await this->template balance_point<&block::run>(steps);
      }
    }
    co_return wrong_;
  }

  void serialize(auto& ar) { ar(halo, plan_, small_, large_, done_, wrong_, cancelled_steps_); }

 private:
  box<N> cells() const { return plan_.cut[this->where()]; }
  void leave() {
    if (!moves_itself) return;
    random dice(plan_.seed + std::hash<index<N>>()(this->where()) + static_cast<std::uint64_t>(done_));
    this->migrate_to(static_cast<int>(dice.below(static_cast<std::uint64_t>(this->num_pes()))));
  }
  void fill(std::int64_t step) {
    small_.part(small_.cells_with_ghosts()).fill(untouched);
    large_.part(large_.cells_with_ghosts()).fill(untouched);
    fill_interior(step);
  }
  void fill_interior(std::int64_t step) {
    for (const auto& i : small_.cells())
      small_[i] = static_cast<std::int8_t>(own_value(step, 0, cells().origin + i));
    for (const auto& i : large_.cells()) large_[i] = own_value(step, 1, cells().origin + i);
  }
  template <class Cells>
  void check(const Cells& f, int number, std::int64_t step) {
    for (const auto& i : f.cells_with_ghosts()) {
      const int expected = expected_value(plan_, cells(), step, number, cells().origin + i);
      const auto got = static_cast<int>(f[i]);
      if (got == expected) continue;
      if (wrong_ == 0)
        ADD_FAILURE() << "field " << number << " of block " << to_string(this->where()) << " has " << got
                      << " at " << to_string(i) << ", not " << expected << ", at step " << step;
      ++wrong_;
    }
  }

  plan<N> plan_;
  small_cells small_;
  large_cells large_;
  std::int64_t done_ = 0, wrong_ = 0, cancelled_steps_ = 0;
};

template <int N>
task<> random_program(std::uint64_t seed) {
  const auto p = random_plan<N>(seed);
  const auto all = make_array<block<N>>(dense(p.cut.shape()).placed(round_robin), p);
  const std::int64_t wrong = co_await all.template reduce<&block<N>::run>(sum, 4);
  EXPECT_EQ(wrong, 0) << "by seed " << seed;
  co_await all.destroy();
}

task<> program_of(std::uint64_t seed) {
  switch (seed % 3) {
    case 0: return random_program<1>(seed);
    case 1: return random_program<2>(seed);
    default: return random_program<3>(seed);
  }
}

TEST_P(grid_halo, gives_each_ghost_the_value_of_a_sequential_model) {
  std::uint64_t seed = 0;
  run([&]() -> task<> {
    for (int n = 0; n < 6; ++n) co_await program_of(++seed);
  });
}

TEST(grid_halo_model, agrees_in_any_deterministic_order) {
  for (std::uint64_t seed = 1000; seed < 1120 && !::testing::Test::HasFailure(); ++seed)
    EXPECT_EQ(imbrex::run(seeded(static_cast<int>(seed % 5 + 1), seed), [seed] { return program_of(seed); }),
              0)
        << seed;
}

TEST(grid_halo_model, agrees_on_shuffled_threads) {
  for (std::uint64_t seed = 2000; seed < 2060 && !::testing::Test::HasFailure(); ++seed) {
    const options how{
        .pes = static_cast<int>(seed % 4 + 1), .shuffle = seed, .serialize_always = seed % 2 == 0};
    EXPECT_EQ(imbrex::run(how, [seed] { return program_of(seed); }), 0) << seed;
  }
}

class balanced_halo : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, balanced_halo, ::testing::ValuesIn(machines({"balanced_60"})), name_of_machine);

TEST_P(balanced_halo, agrees_while_a_balancer_moves_blocks) {
  moves_itself = false;
  std::uint64_t seed = 3000;
  run([&] { return program_of(++seed); });
  moves_itself = true;
}

/// Sums its neighbours' cells, in one dimension, periodically. Computes inner cells during the exchange.
class ring : public chare<ring> {
 public:
  grid::halo<field<std::int64_t, 1>> halo;

  explicit ring(const decomposition<1>& cut) : now_(cut[where()].extents), next_(now_) {
    for (const auto& i : now_.cells()) now_[i] = cut[where()].origin[0] + i[0];
    halo.connect<&ring::halo>(*this, cut, boundary::periodic);
  }

  task<std::vector<std::int64_t>> run(int steps) {
    for (int step = 0; step < steps; ++step) {
      halo.begin(now_, step);
      add(inner(now_.cells(), now_.width()));
      co_await halo.end(now_);
      for (const auto& part : rim(now_.cells(), now_.width())) add(part);
      swap(now_, next_);
    }
    const auto own = now_.interior().span();
    co_return std::vector<std::int64_t>(own.begin(), own.end());
  }

 private:
  void add(const box<1>& part) {
    for (const auto [i] : part) next_(i) = now_(i - 1) + now_(i) + now_(i + 1);
  }

  field<std::int64_t, 1> now_, next_;
};

TEST_P(grid_halo, goes_on_beside_the_inner_cells) {
  run([]() -> task<> {
    for (const int blocks : {1, 2, 5}) {
      const decomposition<1> cut({13}, {blocks});
      const auto all = make_array<ring>(cut.shape(), cut);
      const auto parts = co_await all.reduce<&ring::run>(gather, 7);
      std::vector<std::int64_t> got, expected(13), before(13);
      for (const auto& part : parts) got.insert(got.end(), part.begin(), part.end());
      for (std::size_t i = 0; i < 13; ++i) expected[i] = static_cast<std::int64_t>(i);
      for (int step = 0; step < 7; ++step) {
        before = expected;
        for (std::size_t i = 0; i < 13; ++i)
          expected[i] = before[(i + 12) % 13] + before[i] + before[(i + 1) % 13];
      }
      EXPECT_EQ(got, expected) << blocks << " blocks";
    }
  });
}

/// One of these blocks is slow. The others are a step ahead, and their parcels travel with it.
class hare : public chare<hare> {
 public:
  grid::halo<field<int, 1>> halo;

  hare() = default;
  explicit hare(const decomposition<1>& cut) : cells_(cut[where()].extents) {
    halo.connect<&hare::halo>(*this, cut);
  }
  task<> lead() {
    for (int step = 0; step < 2; ++step) {
      cells_.interior().fill(10 * where()[0] + step);
      halo.begin(cells_, step);
      if (step == 0) co_await halo.end(cells_);
    }
  }
  task<> finish() { co_await halo.end(cells_); }
  void begin() {
    cells_.interior().fill(10);
    halo.begin(cells_, 0);
  }
  void leave(int to) { migrate_to(to); }
  task<std::vector<int>> follow() {
    std::vector<int> seen;
    co_await halo.end(cells_);
    seen.push_back(cells_(-1));
    seen.push_back(cells_(cells_.extent(0)));
    cells_.interior().fill(11);
    co_await halo.exchange(cells_, 1);
    seen.push_back(cells_(-1));
    seen.push_back(cells_(cells_.extent(0)));
    co_return seen;
  }
  void serialize(auto& ar) { ar(halo, cells_); }

 private:
  field<int, 1> cells_;
};

TEST_P(grid_halo, what_comes_early_for_the_next_step_travels) {
  run([]() -> task<> {
    const decomposition<1> cut({9}, {3});
    const auto all = make_array<hare>(cut.shape(), cut);
    co_await all[1].call<&hare::begin>();
    co_await when_all(all[0].call<&hare::lead>(), all[2].call<&hare::lead>());
    co_await quiescence();  // their parcels for both steps lie with the block between them
    for (int pe = num_pes() - 1; pe >= 0; --pe) {
      send<&hare::leave>(all[1], pe);
      co_await quiescence();
    }
    const auto seen = co_await all[1].call<&hare::follow>();
    EXPECT_EQ(seen, (std::vector<int>{0, 20, 1, 21}));
    co_await when_all(all[0].call<&hare::finish>(), all[2].call<&hare::finish>());
  });
}

}  // namespace imbrex::grid::halo_test
