// SPDX-License-Identifier: Apache-2.0
#include <imbrex/cells/cell_set.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/cells/accumulator.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::cells::cell_set_test {

/// False while only a balancer moves blocks.
bool moves_itself = true;

class cell_set_on : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, cell_set_on, ::testing::ValuesIn(machines()), name_of_machine);

/// Behaviour of blocks between steps, and the method by which elements move between blocks.
enum class habit : std::uint8_t { stays, leaves_between_steps, leaves_between_phases };
enum class pattern : std::uint8_t { neighbours, together };

template <int D>
struct plan {
  domain<D> box;
  grid::decomposition<D> cut;
  int elements = 0;
  int steps = 0;
  double most = 0;   ///< distance that an element moves at most
  double width = 0;  ///< width of the halo
  habit does = habit::stays;
  pattern by = pattern::neighbours;
  pairs which = pairs::once;
  bool all_at_one_place = false;
  bool waits_for_all = false;
  std::uint64_t seed = 0;
};

/// Has a member that is not trivial, so that a copy by bytes would be detected. Counts its reflections at
/// walls.
template <int D>
struct row_element {
  point<D> position{};
  std::int64_t id = 0;
  std::vector<int> turns{};

  void reflect(int dimension) { turns.push_back(dimension); }
};

template <int D>
struct column_element {
  point<D> position{};
  std::int64_t id = 0;

  auto columns() {
    if constexpr (D == 2)
      return std::tie(position[0], position[1], id);
    else
      return std::tie(position[0], position[1], position[2], id);
  }
};

/// An element after a step, and its neighbours.
template <int D>
struct sight {
  std::int64_t step = 0;
  std::int64_t id = 0;
  point<D> position{};
  std::int64_t neighbours = 0;
  std::int64_t sum_of_ids = 0;

  auto operator<=>(const sight&) const = default;
};

// All coordinates are multiples of a power of 2: nothing is rounded, and many elements lie on sides of cells.
constexpr double grain = 0x1p-4;

template <int D>
point<D> first_position(const plan<D>& p, std::int64_t id) {
  random dice(p.seed * 1000 + static_cast<std::uint64_t>(p.all_at_one_place ? 0 : id));
  point<D> at;
  for (int d = 0; d < D; ++d) {
    const auto k = static_cast<std::size_t>(d);
    const auto places = static_cast<std::uint64_t>(p.box.length(d) / grain);
    at[k] = p.box.lower()[k] + static_cast<double>(dice.below(places)) * grain;
  }
  return at;
}

/// Displacement of an element in a step: at most `most`, unless it stays.
template <int D>
point<D> stride(const plan<D>& p, std::int64_t id, std::int64_t step) {
  random dice(p.seed + static_cast<std::uint64_t>(id * 7919 + step));
  point<D> by{};
  if (dice.below(4) == 0) return by;
  const double most = p.most / std::sqrt(static_cast<double>(D));
  const auto grains = static_cast<std::int64_t>(most / grain);
  for (double& x : by)
    x = static_cast<double>(
            static_cast<std::int64_t>(dice.below(static_cast<std::uint64_t>(2 * grains + 1))) - grains) *
        grain;
  return by;
}

/// Model of all elements without cells.
template <int D>
class model {
 public:
  explicit model(const plan<D>& p) : plan_(p) {
    for (std::int64_t id = 0; id < p.elements; ++id) at_.push_back(first_position(p, id));
  }

  std::vector<sight<D>> after_steps() {
    std::vector<sight<D>> all;
    for (std::int64_t step = 0; step < plan_.steps; ++step) {
      for (std::int64_t id = 0; id < plan_.elements; ++id)
        move(at_[static_cast<std::size_t>(id)], stride(plan_, id, step));
      for (std::int64_t id = 0; id < plan_.elements; ++id) all.push_back(see(step, id));
    }
    std::ranges::sort(all);
    return all;
  }

 private:
  void move(point<D>& x, const point<D>& by) const {
    for (int d = 0; d < D; ++d) {
      const auto k = static_cast<std::size_t>(d);
      x[k] += by[k];
      const double low = plan_.box.lower()[k], high = plan_.box.upper()[k];
      const auto below = plan_.box.face_boundary(side<D>(2 * d)),
                 above = plan_.box.face_boundary(side<D>(2 * d + 1));
      // Repeats single steps, and so uses none of the domain's own arithmetic.
      for (int turns = 0; turns < 10'000; ++turns) {
        if (x[k] < low && below == grid::boundary::periodic) x[k] += high - low;
        if (x[k] >= high && above == grid::boundary::periodic) x[k] -= high - low;
        if (x[k] < low && below == grid::boundary::reflecting) x[k] = 2 * low - x[k];
        if (x[k] > high && above == grid::boundary::reflecting) x[k] = 2 * high - x[k];
      }
    }
  }

  sight<D> see(std::int64_t step, std::int64_t id) const {
    sight<D> s{step, id, at_[static_cast<std::size_t>(id)], 0, 0};
    index<D> images;
    for (int d = 0; d < D; ++d)
      images[d] =
          plan_.box.is_periodic(d) ? 2 * static_cast<int>(plan_.width / plan_.box.length(d) + 2) + 1 : 1;
    for (std::int64_t other = 0; other < plan_.elements; ++other)
      for (const auto& i : indices(images)) {
        double squared = 0;
        bool is_itself = other == id;
        for (int d = 0; d < D; ++d) {
          const auto k = static_cast<std::size_t>(d);
          const int wrap = i[d] - images[d] / 2;
          is_itself &= wrap == 0;
          const double x =
              at_[static_cast<std::size_t>(other)][k] + wrap * plan_.box.length(d) - s.position[k];
          squared += x * x;
        }
        if (squared >= plan_.width * plan_.width || is_itself) continue;
        ++s.neighbours;
        s.sum_of_ids += other;
      }
    return s;
  }

  plan<D> plan_;
  std::vector<point<D>> at_;
};

struct count_and_sum {
  std::int64_t count = 0;
  std::int64_t sum = 0;
};

template <int D, class T>
class block : public chare<block<D, T>, index<D>> {
 public:
  /// Elements that a block claims to send to another.
  struct crossing {
    std::uint64_t from = 0;
    std::vector<std::int64_t> ids{};
    std::vector<point<D>> positions{};
  };

  cell_set<D, T> cells;
  mailbox<crossing> crossings;  ///< by step

  block() = default;
  explicit block(const plan<D>& p) : plan_(p) {
    cells.template connect<&block::cells>(*this, p.box, p.cut);
    for (std::int64_t id = 0; id < p.elements; ++id) {
      T e{};
      e.position = first_position(p, id);
      e.id = id;
      if (cells.owns(e.position)) cells.insert(std::move(e));
    }
  }

  task<std::vector<sight<D>>> run() {
    while (step_ < plan_.steps) {
      const auto move = [this](T& e) {
        const auto by = stride(plan_, e.id, step_);
        for (std::size_t d = 0; d < by.size(); ++d) e.position[d] += by[d];
      };
      if (!is_between_phases_) {
        if (plan_.by == pattern::together) {
          co_await cells.migrate_anywhere(*this, move);
        } else {
          const auto moved = cells.migrate(move, plan_.most);
          if (plan_.waits_for_all) co_await moved.all();
        }
        if (plan_.by == pattern::neighbours) cells.cache_halo(plan_.width);
        if (plan_.does == habit::leaves_between_phases) {
          is_between_phases_ = true;
          leave();
          co_await this->template balance_point<&block::run>();
        }
      }
      is_between_phases_ = false;
      if (plan_.by == pattern::together) co_await cells.cache_halo_together(*this, plan_.width);
      sums_.reset();
      co_await cells.for_each_pair(plan_.width, [this](cell<T>& a, cell<T>& b) { see(a, b); }, plan_.which);
      co_await when_all_complete();
      check_places();
      co_await exchange_values();
      co_await check_partners();
      report();
      ++step_;
      if (plan_.does == habit::leaves_between_steps) {
        leave();
        co_await this->template balance_point<&block::run>();
      }
    }
    co_return seen_;
  }

  void serialize(auto& ar) { ar(cells, crossings, plan_, sums_, step_, is_between_phases_, seen_); }

 private:
  void leave() {
    if (!moves_itself) return;
    random dice(plan_.seed + std::hash<index<D>>()(this->where()) + static_cast<std::uint64_t>(step_));
    this->migrate_to(static_cast<int>(dice.below(static_cast<std::uint64_t>(this->num_pes()))));
  }
  /// Awaits each cell by itself: those that for_each_pair has waited for, and copies that no pair here needs.
  task<> when_all_complete() {
    if (plan_.by == pattern::together) co_return;
    const typename cell_set<D, T>::phase cached = cells.last_cache();
    for (const auto& at : cells.halo()) {
      const auto& c = co_await cached[at];
      EXPECT_EQ(cells.place_of(c), at);
    }
    co_await cached.all();
  }
  void see(cell<T>& a, cell<T>& b) {
    auto& to_a = sums_[a];
    cell<count_and_sum>* const to_b =
        b.is_own() && &a != &b && plan_.which == pairs::once ? &sums_[b] : nullptr;
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); ++j) {
        if (&a == &b && i == j) continue;
        const point<D> x = a.template position<D>(i), y = b.template position<D>(j);
        double squared = 0;
        for (std::size_t d = 0; d < x.size(); ++d) squared += (x[d] - y[d]) * (x[d] - y[d]);
        if (squared >= plan_.width * plan_.width) continue;
        ++to_a[i].count;
        to_a[i].sum += b.get(j).id;
        if (to_b == nullptr) continue;
        ++(*to_b)[j].count;
        (*to_b)[j].sum += a.get(i).id;
      }
  }
  /// Elements and copies must lie in their cells; beyond an open end, in the outermost cells.
  void check_places() {
    for (const auto& at : cells.halo()) {
      const auto& c = cells[at];
      for (std::size_t i = 0; i < c.size(); ++i)
        for (int d = 0; d < D; ++d) {
          const double w = plan_.box.cell_width()[static_cast<std::size_t>(d)];
          const double x = (c.template position<D>(i)[static_cast<std::size_t>(d)] -
                            plan_.box.lower()[static_cast<std::size_t>(d)]) /
                           w;
          const bool is_first = !plan_.box.is_periodic(d) && at[d] == 0;
          const bool is_last = !plan_.box.is_periodic(d) && at[d] == plan_.box.cells()[d] - 1;
          EXPECT_TRUE(is_first || x >= at[d]) << x << " in cell " << to_string(at);
          EXPECT_TRUE(is_last || x < at[d] + 1) << x << " in cell " << to_string(at);
        }
    }
  }
  /// Each copy gets its element's position and id, and gives the id back; so elements count their copies.
  task<> exchange_values() {
    struct value {
      point<D> position;
      std::int64_t id;
    };
    std::vector<value> own, copies;
    cells.for_each_own([&](const T& e) { own.push_back({e.position, e.id}); });
    cells.for_each_copy([&](const T& e) { copies.push_back({e.position, e.id}); });
    std::vector<std::int64_t> got(own.size());
    co_await cells.template refresh<value>(
        [&](std::size_t i, const point<D>& shift) {
          value v = own[i];
          for (std::size_t d = 0; d < shift.size(); ++d) v.position[d] += shift[d];
          return v;
        },
        [&](std::size_t i, const value& v) {
          EXPECT_EQ(v.id, copies[i].id);
          EXPECT_EQ(v.position, copies[i].position);
        });
    co_await cells.template give_back<std::int64_t>([&](std::size_t i) { return copies[i].id; },
                                                    [&](std::size_t i, std::int64_t id) {
                                                      EXPECT_EQ(id, own[i].id);
                                                      ++got[i];
                                                    });
    returned_values_ = std::move(got);
  }
  /// The elements that other blocks claim to send must equal the copies of their ranges here.
  task<> check_partners() {
    crossing own, copies;
    const auto add = [](crossing& to) {
      return [&to](const T& e) {
        to.ids.push_back(e.id);
        to.positions.push_back(e.position);
      };
    };
    cells.for_each_own(add(own));
    cells.for_each_copy(add(copies));
    const std::vector<copy_partner<D>> partners = cells.copy_partners();
    EXPECT_EQ(partners.front().block, this->where());
    std::size_t next = 0;
    for (const auto& with : partners) {
      EXPECT_EQ(with.first_copy, next);
      next += with.copies;
      crossing sent{imbrex::detail::linear(plan_.cut.shape(), this->where())};
      for (const auto& [number, wrap] : with.sent) {
        sent.ids.push_back(own.ids.at(number));
        point<D> x = own.positions.at(number);
        for (int d = 0; d < D; ++d) x[static_cast<std::size_t>(d)] += wrap[d] * plan_.box.length(d);
        sent.positions.push_back(x);
      }
      send<&block::crossings>(this->peers()[with.block], step_, std::move(sent));
    }
    EXPECT_EQ(next, copies.ids.size());
    for (std::size_t n = 0; n < partners.size(); ++n) {
      const crossing got = co_await crossings.receive(step_);
      const auto with = std::ranges::find(partners, got.from, [this](const auto& p) {
        return imbrex::detail::linear(plan_.cut.shape(), p.block);
      });
      EXPECT_NE(with, partners.end());
      if (with == partners.end()) co_return;
      const auto part = [&](const auto& all) {
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(with->first_copy);
        return std::vector(first, first + static_cast<std::ptrdiff_t>(with->copies));
      };
      EXPECT_EQ(got.ids, part(copies.ids));
      EXPECT_EQ(got.positions, part(copies.positions));
    }
  }
  void report() {
    std::size_t number = 0;
    for (auto& c : cells.own_cells())
      for (std::size_t i = 0; i < c.size(); ++i) {
        const auto& sum = sums_[c][i];
        seen_.push_back({step_, c.get(i).id, c.template position<D>(i), sum.count, sum.sum});
        EXPECT_GE(returned_values_[number++], 0);
      }
  }

  plan<D> plan_;
  accumulator<count_and_sum> sums_;
  std::int64_t step_ = 0;
  bool is_between_phases_ = false;
  std::vector<sight<D>> seen_;
  std::vector<std::int64_t> returned_values_;
};

template <int D>
plan<D> random_plan(std::uint64_t seed) {
  random dice(seed);
  const auto up_to = [&](int most) {
    return static_cast<int>(dice.below(static_cast<std::uint64_t>(most) + 1));
  };
  plan<D> p;
  p.seed = seed;
  std::array<std::vector<int>, static_cast<std::size_t>(D)> lengths;
  point<D> lower, upper;
  index<D> extents;
  grid::boundaries<D> ends;
  for (int d = 0; d < D; ++d) {
    const auto k = static_cast<std::size_t>(d);
    for (int blocks = 1 + up_to(D == 3 ? 1 : 2); blocks > 0; --blocks)
      lengths[k].push_back(1 + up_to(D == 3 ? 2 : 4));
    for (const int n : lengths[k]) extents[d] += n;
    lower[k] = up_to(8) - 4;
    upper[k] = lower[k] + extents[d] * (up_to(1) == 0 ? 1.0 : 0.5);
    if (up_to(1) == 0)
      ends.set(d, grid::boundary::periodic);
    else
      for (const int face : {2 * d, 2 * d + 1})
        ends.set(side<D>(face), up_to(1) == 0 ? grid::boundary::open : grid::boundary::reflecting);
  }
  p.box = domain<D>(lower, upper, extents, ends);
  p.cut = grid::decomposition<D>(lengths);
  const int crowd = up_to(5);
  p.elements = crowd == 0 ? 0 : crowd == 1 ? 1 : up_to(60);
  p.all_at_one_place = up_to(7) == 0;
  p.steps = 3;
  p.most = (up_to(3) == 0 ? 2.5 : 0.5 + 0.25 * up_to(4));
  p.width = D == 3 ? 0.25 + 0.25 * up_to(5) : 0.25 + 0.25 * up_to(9);
  p.does = static_cast<habit>(up_to(2));
  p.by = up_to(3) == 0 ? pattern::together : pattern::neighbours;
  p.which = up_to(1) == 0 ? pairs::once : pairs::both;
  p.waits_for_all = up_to(3) == 0;
  return p;
}

/// Places elements on any PE, by index and shape.
struct scattered {
  template <int D>
  int operator()(const index<D>& where, const index<D>& shape, int pes) const {
    const std::hash<index<D>> hash;
    return static_cast<int>(random(hash(where) * 31 + hash(shape)).below(static_cast<std::uint64_t>(pes)));
  }
};
/// Places all elements on one PE.
struct crowded {
  template <int D>
  int operator()(const index<D>&, const index<D>&, int pes) const {
    return pes - 1;
  }
};

template <int D, class T>
array<block<D, T>> placed_anywhere(const plan<D>& p) {
  const auto shape = dense(p.cut.shape());
  switch (random(p.seed).below(5)) {
    case 0: return make_array<block<D, T>>(shape, p);
    case 1: return make_array<block<D, T>>(shape.placed(round_robin), p);
    case 2: return make_array<block<D, T>>(shape.placed(crowded()), p);
    default: return make_array<block<D, T>>(shape.placed(scattered()), p);
  }
}

template <int D, class T>
task<> random_program(std::uint64_t seed) {
  const auto p = random_plan<D>(seed);
  const auto all = placed_anywhere<D, T>(p);
  const auto seen = co_await all.template reduce<&block<D, T>::run>(gather);
  std::vector<sight<D>> got;
  for (const auto& some : seen) got.insert(got.end(), some.begin(), some.end());
  std::ranges::sort(got);
  const auto expected = model<D>(p).after_steps();
  EXPECT_EQ(got.size(), expected.size()) << "by seed " << seed;
  for (std::size_t i = 0; i < std::min(got.size(), expected.size()); ++i) {
    if (got[i] == expected[i]) continue;
    ADD_FAILURE() << "by seed " << seed << ", in step " << expected[i].step << ": element " << got[i].id
                  << " at " << to_string<D>(got[i].position) << " with " << got[i].neighbours
                  << " neighbours, and not " << expected[i].id << " at " << to_string<D>(expected[i].position)
                  << " with " << expected[i].neighbours;
    break;
  }
  co_await all.destroy();
}

task<> program_of(std::uint64_t seed) {
  switch (seed % 4) {
    case 0: return random_program<2, row_element<2>>(seed);
    case 1: return random_program<2, column_element<2>>(seed);
    case 2: return random_program<3, row_element<3>>(seed);
    default: return random_program<3, column_element<3>>(seed);
  }
}

TEST_P(cell_set_on, agrees_with_a_serial_model) {
  std::uint64_t seed = 0;
  run([&]() -> task<> {
    for (int n = 0; n < 5; ++n) co_await program_of(++seed);
  });
}

TEST(cell_set_model, agrees_in_any_deterministic_order) {
  for (std::uint64_t seed = 1000; seed < 1080 && !::testing::Test::HasFailure(); ++seed)
    EXPECT_EQ(imbrex::run(seeded(static_cast<int>(seed % 5 + 1), seed), [seed] { return program_of(seed); }),
              0)
        << seed;
}

TEST(cell_set_model, agrees_on_shuffled_threads) {
  for (std::uint64_t seed = 2000; seed < 2060 && !::testing::Test::HasFailure(); ++seed) {
    const options how{
        .pes = static_cast<int>(seed % 4 + 1), .shuffle = seed, .serialize_always = seed % 2 == 0};
    EXPECT_EQ(imbrex::run(how, [seed] { return program_of(seed); }), 0) << seed;
  }
}

class balanced_cells : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, balanced_cells, ::testing::ValuesIn(machines({"balanced_15"})), name_of_machine);

TEST_P(balanced_cells, agree_with_a_serial_model) {
  moves_itself = false;
  std::uint64_t seed = 3000;
  run([&] { return program_of(++seed); });
  moves_itself = true;
}

}  // namespace imbrex::cells::cell_set_test
