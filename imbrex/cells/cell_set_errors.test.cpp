// SPDX-License-Identifier: Apache-2.0
#include <imbrex/cells/cell_set.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/cells/accumulator.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::cells::cell_set_errors_test {

struct particle {
  point<2> position{};
  std::int64_t id = 0;
};

struct nameless {
  point<2> position{};
};

/// Two blocks of two cells each, side by side in a ring. Particles 0 to 3 lie in the middle of one cell each.
domain<2> box() {
  grid::boundaries<2> ends;
  ends.set(0, grid::boundary::periodic).set(1, grid::boundary::reflecting);
  return {{0, 0}, {4, 1}, {4, 1}, ends};
}

constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();

class block : public chare<block, index<2>> {
 public:
  cell_set<2, particle> cells;

  explicit block(const domain<2>& of) {
    cells.connect<&block::cells>(*this, of, {of.cells(), {2, 1}});
    for (std::int64_t id = 0; id < 4; ++id) {
      const particle p{{static_cast<double>(id) + 0.5, 0.5}, id};
      if (cells.owns(p.position)) cells.insert(p);
    }
  }

  std::string jump(point<2> by) {
    return error_of<error>([&] {
      cells.migrate(
          [&](particle& p) {
            if (p.id != 1) return;
            p.position[0] += by[0];
            p.position[1] += by[1];
          },
          0.5);
    });
  }
  std::string insert(point<2> at) {
    return error_of<error>([&] { cells.insert({at, 7}); });
  }
  std::string twice() {
    cells.migrate([](particle&) {}, 0.5);
    return error_of<error>([&] { cells.migrate([](particle&) {}, 0.5); });
  }
  task<std::string> pairs_without_halo() {
    co_await cells.migrate([](particle&) {}, 0.5).all();
    const auto visit = [](cell<particle>&, cell<particle>&) {};
    const std::string without_halo =
        co_await awaited_error_of<error>([&] { return cells.for_each_pair(1, visit); });
    co_await cells.cache_halo(0.5).all();
    const std::string with_thin_halo =
        co_await awaited_error_of<error>([&] { return cells.for_each_pair(1, visit); });
    co_return without_halo + "\n" + with_thin_halo;
  }
  std::string strange_cell() {
    return error_of<error>([&] { cells[{9, 0}]; });
  }
  /// One block migrates while the other caches.
  task<std::string> in_another_order() {
    try {
      if (where()[0] == 0)
        co_await cells.migrate([](particle&) {}, 0.5).all();
      else
        co_await cells.cache_halo(1).all();
    } catch (const error& e) {
      co_return e.what();
    }
    co_return "";
  }
  /// Particle 1 goes around and back, five times as far as the halo.
  task<std::int64_t> far() {
    co_await cells.migrate_anywhere(*this, [](particle& p) { p.position[0] += p.id == 1 ? 10 : 0; });
    std::int64_t found = -1;
    for (auto& c : cells.own_cells())
      for (auto& p : c)
        if (p.id == 1) found = cells.place_of(c)[0];
    co_return found;
  }
  /// Several tasks wait for cells of both kinds. The copies are not sent before all elements have moved.
  task<int> waiters() {
    const auto moved = cells.migrate([](particle& p) { p.position[0] += 0.5; }, 0.5);
    const auto cached = cells.cache_halo(1, moved);
    int seen = 0;
    const auto count = [](cell_set<2, particle>::arrival of, int& into) -> task<> {
      const auto& c = co_await std::move(of);
      into += static_cast<int>(c.size());
    };
    std::vector<task<>> tasks;
    for (const auto& at : cells.halo()) tasks.push_back(count(cached[at], seen));
    tasks.push_back(count(moved[cells.own().origin], seen));
    co_await when_all(std::move(tasks));
    co_await cached.all();
    co_return seen;
  }
  task<> forget() {
    co_await cells.migrate([](particle&) {}, 0.5)[cells.own().origin];
    // One block does not take part: the others wait.
    if (where()[0] == 0) co_await cells.cache_halo(1).all();
  }
};

template <class Program>
int run_in_order(Program program) {
  return imbrex::run(seeded(2, 1), program);
}

TEST(cell_set_errors, name_the_element_that_jumps) {
  run_in_order([]() -> task<> {
    const auto all = make_array<block>(index2(2, 1), box());
    const std::string far = co_await all[{0, 0}].call<&block::jump>(point<2>{0.75, 0.0});
    EXPECT_EQ(far,
              "element 1 in cell (1, 0) of block (0, 0), in phase 1, moves by 0.75 to (2.25, 0.5), but may "
              "move by at most 0.5: take a shorter time step, a larger max_distance, or migrate_anywhere");
    co_await all.destroy();
    const auto others = make_array<block>(index2(2, 1), box());
    const std::string error_text = co_await others[{0, 0}].call<&block::jump>(point<2>{0.0, nowhere});
    EXPECT_EQ(error_text,
              "element 1 in cell (1, 0) of block (0, 0), in phase 1, moves to (1.5, nan), which is not a "
              "position: check the forces on it");
  });
}

TEST(cell_set_errors, name_what_cannot_be_inserted) {
  run_in_order([]() -> task<> {
    const auto all = make_array<block>(index2(2, 1), box());
    const std::string other = co_await all[{0, 0}].call<&block::insert>(point<2>{2, 0.5});
    EXPECT_EQ(
        other,
        "element 7 at (2, 0.5) belongs to cell (2, 0), which block (0, 0) does not have: insert it where "
        "owns(position) is true");
    for (const point<2> at : {point<2>{4, 0.5}, {-0.25, 0.5}, {0.5, 1.5}, {0.5, nowhere}}) {
      const std::string outside = co_await all[{0, 0}].call<&block::insert>(at);
      EXPECT_EQ(outside, "element 7 at " + to_string<2>(at) +
                             " lies outside of the domain from (0, 0) to (4, 1): elements may be inserted "
                             "outside only at an open side");
    }
  });
}

TEST(cell_set_errors, name_the_phase_that_goes_on) {
  run_in_order([]() -> task<> {
    const auto all = make_array<block>(index2(2, 1), box());
    const std::string twice = co_await all[{0, 0}].call<&block::twice>();
    EXPECT_EQ(twice, "migrate begins while phase 1 of this cell set goes on: await all its cells first");
  });
}

TEST(cell_set_errors, say_that_a_halo_is_missing_or_narrow) {
  run_in_order([]() -> task<> {
    const auto all = make_array<block>(index2(2, 1), box());
    const auto texts = co_await all.reduce<&block::pairs_without_halo>(gather);
    EXPECT_EQ(texts[0],
              "a cell set has no halo yet, or has moved since: call cache_halo after migrate\n"
              "pairs as far apart as 1 need a halo as wide, and this one is 0.5: call cache_halo(1)");
  });
}

TEST(cell_set_errors, say_that_there_is_no_such_cell) {
  run_in_order([]() -> task<> {
    const auto all = make_array<block>(index2(2, 1), box());
    const std::string text = co_await all[{1, 0}].call<&block::strange_cell>();
    EXPECT_EQ(text, "block (1, 0) has no cell (9, 0), nor a copy of it: take one of own(), or of halo()");
  });
}

TEST(cell_set_errors, say_that_blocks_do_different_things) {
  run_in_order([]() -> task<> {
    const auto all = make_array<block>(index2(2, 1), box());
    const auto texts = co_await all.reduce<&block::in_another_order>(gather);
    EXPECT_EQ(texts[0],
              "phase 1 differs between block (1, 0) and block (0, 0): all blocks migrate, cache and refresh "
              "in the same order");
    EXPECT_EQ(texts[1],
              "phase 1 differs between block (0, 0) and block (1, 0): all blocks migrate, cache and refresh "
              "in the same order");
  });
}

TEST(cell_set_errors, tell_of_blocks_that_do_not_take_part) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run_in_order([]() -> task<> {
              const auto all = make_array<block>(index2(2, 1), box());
              co_await all.call<&block::forget>();
            }),
            1);
  const std::string output = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(output.find("waits for cells, phase 2, for copies of the blocks (1, 0)"), std::string::npos)
      << output;
}

class unconnected : public chare<unconnected, index<2>> {
 public:
  cell_set<2, particle> cells;
  cell_set<2, nameless> others;

  std::string use() {
    return error_of<error>([&] { cells.migrate([](particle&) {}, 1); });
  }
  std::string connect_wrongly() {
    const std::string grid =
        error_of<error>([&] { cells.connect<&unconnected::cells>(*this, box(), {{4, 2}, {2, 1}}); });
    const std::string shape =
        error_of<error>([&] { cells.connect<&unconnected::cells>(*this, box(), {{4, 1}, {4, 1}}); });
    return grid + "\n" + shape;
  }
  std::string nameless_jump() {
    others.connect<&unconnected::others>(*this, box(), {{4, 1}, {2, 1}});
    others.insert({{0.5, 0.5}});
    return error_of<error>([&] { others.migrate([](nameless& e) { e.position[1] += 3; }, 1); });
  }
};

TEST(cell_set_errors, say_what_is_connected_wrongly) {
  run_in_order([]() -> task<> {
    const auto all = make_array<unconnected>(index2(2, 1));
    const std::string used = co_await all[{0, 0}].call<&unconnected::use>();
    EXPECT_EQ(
        used,
        "a cell set is not connected: call cells.connect<&block::cells>(*this, ...) in the constructor");
    const std::string wrong = co_await all[{0, 0}].call<&unconnected::connect_wrongly>();
    EXPECT_EQ(
        wrong,
        "the domain of a cell set has (4, 1) cells, and its decomposition (4, 2): make it with "
        "decomposition(domain.cells(), blocks)\n"
        "a cell set needs a block for each element: the array has the shape (2, 1), and the decomposition "
        "(4, 1) blocks");
    const std::string who = co_await all[{0, 0}].call<&unconnected::nameless_jump>();
    EXPECT_EQ(who,
              "element number 0 in cell (0, 0) of block (0, 0), in phase 1, moves by 3 to (0.5, 3.5), but "
              "may move by at most 1: take a shorter time step, a larger max_distance, or migrate_anywhere");
  });
}

class cell_set_way : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, cell_set_way, ::testing::ValuesIn(machines()), name_of_machine);

TEST_P(cell_set_way, goes_far_by_the_general_route) {
  run([]() -> task<> {
    const auto all = make_array<block>(index2(2, 1), box());
    const auto found = co_await all.reduce<&block::far>(gather);
    EXPECT_EQ(found, (std::vector<std::int64_t>{-1, 3})) << "1.5 + 10, around 4";
    co_await all.destroy();
  });
}

TEST_P(cell_set_way, resumes_all_who_wait) {
  run([]() -> task<> {
    const auto all = make_array<block>(index2(2, 1), box());
    const auto seen = co_await all.reduce<&block::waiters>(gather);
    // Two own particles, one on the lower side of each cell. Of copies, the particle at the upper side of the
    // halo and the one at the lower side. The first own cell is counted once more.
    EXPECT_EQ(seen, (std::vector<int>{5, 5}));
    co_await all.destroy();
  });
}

TEST(accumulator, begins_anew_after_a_reset) {
  cell<particle> first, second;
  second.be(3, true);
  first.push({});
  first.push({});
  accumulator<double> sums;
  sums[first][1] = 5;
  auto& kept = sums[first];
  EXPECT_EQ(sums[second].size(), 0U);
  EXPECT_EQ(kept[1], 5) << "a reference outlives the growth";
  EXPECT_EQ(sums[first][1], 5);
  sums.reset();
  EXPECT_EQ(sums[first].size(), 2U);
  EXPECT_EQ(sums[first][1], 0);
}

}  // namespace imbrex::cells::cell_set_errors_test
