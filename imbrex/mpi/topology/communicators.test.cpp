// SPDX-License-Identifier: Apache-2.0
// Communicators with topologies: placement of ranks, queries, and messages between neighbours.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <imbrex/mpi/mpi_ranks.test.hpp>

namespace imbrex::mpi {

using topologies = on_mpi_ranks;
INSTANTIATE_TEST_SUITE_P(on, topologies, ::testing::ValuesIn(machines()), name_of_machine);

namespace {

using numbers = std::vector<int>;

int me() { return rank::current()->number(); }
int everybody() { return rank::current()->ranks(); }

int topology_of(MPI_Comm comm) {
  int found = -1;
  EXPECT_EQ(MPI_Topo_test(comm, &found), MPI_SUCCESS);
  return found;
}

struct grid {
  numbers lengths, periods, place;
  bool operator==(const grid&) const = default;
};
grid grid_of(MPI_Comm comm) {
  int n = -1;
  EXPECT_EQ(MPI_Cartdim_get(comm, &n), MPI_SUCCESS);
  const auto size = static_cast<std::size_t>(std::max(n, 0));
  grid found{numbers(size), numbers(size), numbers(size)};
  EXPECT_EQ(MPI_Cart_get(comm, n, found.lengths.data(), found.periods.data(), found.place.data()),
            MPI_SUCCESS);
  return found;
}

/// Each rank sends its number to its destinations and receives its sources' numbers.
void expect_sources(MPI_Comm comm, const numbers& expected) {
  int own = -1;
  MPI_Comm_rank(comm, &own);
  numbers found(expected.size(), MPI_PROC_NULL);
  EXPECT_EQ(MPI_Neighbor_allgather(&own, 1, MPI_INT, found.data(), 1, MPI_INT, comm), MPI_SUCCESS);
  EXPECT_EQ(found, expected);
}

}  // namespace

TEST_P(topologies, grids) {
  run_ranks(7, [] {
    const int lengths[] = {3, 2};
    const int periods[] = {1, 0};
    int place = -2;
    EXPECT_EQ(MPI_Cart_map(MPI_COMM_WORLD, 2, lengths, periods, &place), MPI_SUCCESS);
    EXPECT_EQ(place, me() < 6 ? me() : MPI_UNDEFINED);
    MPI_Comm comm;
    ASSERT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 2, lengths, periods, 1, &comm), MPI_SUCCESS);
    if (me() == 6) {
      EXPECT_EQ(comm, MPI_COMM_NULL);
      return;
    }
    EXPECT_EQ(topology_of(comm), MPI_CART);
    const grid expected{{3, 2}, {1, 0}, {me() / 2, me() % 2}};
    EXPECT_EQ(grid_of(comm), expected);
    for (int r = 0; r < 6; ++r) {
      int at[2] = {-1, -1};
      int back = -1;
      EXPECT_EQ(MPI_Cart_coords(comm, r, 2, at), MPI_SUCCESS);
      EXPECT_EQ(at[0], r / 2);
      EXPECT_EQ(at[1], r % 2);
      at[0] += 3;
      EXPECT_EQ(MPI_Cart_rank(comm, at, &back), MPI_SUCCESS);
      EXPECT_EQ(back, r);
    }
    int from = -2;
    int to = -2;
    EXPECT_EQ(MPI_Cart_shift(comm, 0, 1, &from, &to), MPI_SUCCESS);
    const int above = (me() + 2) % 6;
    const int below = (me() + 4) % 6;
    EXPECT_EQ(from, below);
    EXPECT_EQ(to, above);
    EXPECT_EQ(MPI_Cart_shift(comm, 1, 1, &from, &to), MPI_SUCCESS);
    const int left = me() % 2 == 1 ? me() - 1 : MPI_PROC_NULL;
    const int right = me() % 2 == 0 ? me() + 1 : MPI_PROC_NULL;
    EXPECT_EQ(from, left);
    EXPECT_EQ(to, right);
    expect_sources(comm, {below, above, left, right});

    MPI_Comm copy;
    ASSERT_EQ(MPI_Comm_dup(comm, &copy), MPI_SUCCESS);
    EXPECT_EQ(grid_of(copy), expected);
    MPI_Comm column;
    const int kept[] = {1, 0};
    ASSERT_EQ(MPI_Cart_sub(copy, kept, &column), MPI_SUCCESS);
    EXPECT_EQ(grid_of(column), (grid{{3}, {1}, {me() / 2}}));
    expect_sources(column, {(me() / 2 + 2) % 3, (me() / 2 + 1) % 3});
    MPI_Comm point;
    const int none[] = {0, 0};
    ASSERT_EQ(MPI_Cart_sub(copy, none, &point), MPI_SUCCESS);
    EXPECT_EQ(point != MPI_COMM_NULL, me() == 0);
    if (me() == 0) {
      EXPECT_EQ(grid_of(point), grid());
      int result = -1;
      EXPECT_EQ(MPI_Comm_compare(point, MPI_COMM_SELF, &result), MPI_SUCCESS);
      EXPECT_EQ(result, MPI_CONGRUENT);
      EXPECT_EQ(MPI_Comm_free(&point), MPI_SUCCESS);
    }
    for (MPI_Comm* const each : {&comm, &copy, &column}) EXPECT_EQ(MPI_Comm_free(each), MPI_SUCCESS);
  });
}

class topologies_of_nodes : public on_mpi_ranks {};
INSTANTIATE_TEST_SUITE_P(on, topologies_of_nodes, ::testing::Values(machine_by_name("simulated")),
                         name_of_machine);

// 24 ranks on four nodes of six, in a grid of 2 by 12: in index order each node has half of a row, and six
// neighbours below or above on another node.
TEST_P(topologies_of_nodes, grids_get_a_box_on_each_node_if_they_may_be_renumbered) {
  options settings{.pes = 24, .machine = machine_kind::simulated};
  settings.device = "emulated";
  settings.device_model = "summit";
  EXPECT_EQ(
      run_ranks_once(
          settings, 24,
          [] {
            const int lengths[] = {2, 12};
            const int periods[] = {0, 0};
            const auto make = [&](int reorder) {
              MPI_Comm comm = MPI_COMM_NULL;
              EXPECT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 2, lengths, periods, reorder, &comm), MPI_SUCCESS);
              return comm;
            };
            MPI_Comm plain = make(0);
            EXPECT_EQ(grid_of(plain).place, (numbers{me() / 12, me() % 12}));
            MPI_Comm boxes = make(1);
            const int node = me() / 6;
            const int in_box = me() % 6;
            const numbers place{in_box / 3, 3 * node + in_box % 3};
            EXPECT_EQ(grid_of(boxes).place, place);
            int mapped = -1;
            EXPECT_EQ(MPI_Cart_map(MPI_COMM_WORLD, 2, lengths, periods, &mapped), MPI_SUCCESS);
            EXPECT_EQ(mapped, 12 * place[0] + place[1]);
            int own = -1;
            EXPECT_EQ(MPI_Comm_rank(boxes, &own), MPI_SUCCESS);
            EXPECT_EQ(own, mapped);
            const auto beside = [&](int rows, int columns) {
              const int row = place[0] + rows;
              const int column = place[1] + columns;
              return row < 0 || row > 1 || column < 0 || column > 11 ? MPI_PROC_NULL : 12 * row + column;
            };
            expect_sources(boxes, {beside(-1, 0), beside(1, 0), beside(0, -1), beside(0, 1)});
            for (MPI_Comm* const each : {&plain, &boxes}) EXPECT_EQ(MPI_Comm_free(each), MPI_SUCCESS);
          }),
      0);
}

TEST_P(topologies, grids_without_dimensions) {
  run_ranks(2, [] {
    MPI_Comm comm;
    ASSERT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 0, nullptr, nullptr, 0, &comm), MPI_SUCCESS);
    EXPECT_EQ(comm != MPI_COMM_NULL, me() == 0);
    if (comm == MPI_COMM_NULL) return;
    EXPECT_EQ(grid_of(comm), grid());
    int own = -1;
    EXPECT_EQ(MPI_Cart_rank(comm, nullptr, &own), MPI_SUCCESS);
    EXPECT_EQ(own, 0);
    EXPECT_EQ(MPI_Cart_coords(comm, 0, 0, nullptr), MPI_SUCCESS);
    MPI_Comm part;
    EXPECT_EQ(MPI_Cart_sub(comm, nullptr, &part), MPI_SUCCESS);
    EXPECT_EQ(grid_of(part), grid());
    EXPECT_EQ(MPI_Comm_free(&part), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  });
}

TEST_P(topologies, graphs) {
  run_ranks(5, [] {
    // A star of four: rank 0 with all others; each other rank twice with itself.
    const int index[] = {3, 6, 9, 12};
    const int edges[] = {1, 2, 3, 0, 1, 1, 0, 2, 2, 0, 3, 3};
    int place = -2;
    EXPECT_EQ(MPI_Graph_map(MPI_COMM_WORLD, 4, index, edges, &place), MPI_SUCCESS);
    EXPECT_EQ(place, me() < 4 ? me() : MPI_UNDEFINED);
    MPI_Comm first;
    ASSERT_EQ(MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &first), MPI_SUCCESS);
    EXPECT_EQ(first == MPI_COMM_NULL, me() == 4);
    if (first == MPI_COMM_NULL) return;
    MPI_Comm copy;
    ASSERT_EQ(MPI_Comm_dup(first, &copy), MPI_SUCCESS);
    for (const MPI_Comm comm : {first, copy}) {
      EXPECT_EQ(topology_of(comm), MPI_GRAPH);
      int nodes = 0;
      int count = 0;
      EXPECT_EQ(MPI_Graphdims_get(comm, &nodes, &count), MPI_SUCCESS);
      EXPECT_EQ(nodes, 4);
      EXPECT_EQ(count, 12);
      numbers found_index(4);
      numbers found_edges(12);
      EXPECT_EQ(MPI_Graph_get(comm, 4, 12, found_index.data(), found_edges.data()), MPI_SUCCESS);
      EXPECT_EQ(found_index, numbers(index, index + 4));
      EXPECT_EQ(found_edges, numbers(edges, edges + 12));
      EXPECT_EQ(MPI_Graph_neighbors_count(comm, 2, &count), MPI_SUCCESS);
      EXPECT_EQ(count, 3);
      numbers neighbours(3);
      EXPECT_EQ(MPI_Graph_neighbors(comm, 2, 3, neighbours.data()), MPI_SUCCESS);
      EXPECT_EQ(neighbours, (numbers{0, 2, 2}));
      expect_sources(comm, me() == 0 ? numbers{1, 2, 3} : numbers{0, me(), me()});
    }
    EXPECT_EQ(MPI_Comm_free(&first), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_free(&copy), MPI_SUCCESS);
  });
}

namespace {

struct neighbours {
  numbers sources, source_weights, destinations, destination_weights;
  bool operator==(const neighbours&) const = default;
};
neighbours neighbours_of(MPI_Comm comm, bool weighted) {
  EXPECT_EQ(topology_of(comm), MPI_DIST_GRAPH);
  int in = 0;
  int out = 0;
  int is_weighted = -1;
  EXPECT_EQ(MPI_Dist_graph_neighbors_count(comm, &in, &out, &is_weighted), MPI_SUCCESS);
  EXPECT_EQ(is_weighted, weighted ? 1 : 0);
  const auto n = static_cast<std::size_t>(in);
  const auto m = static_cast<std::size_t>(out);
  neighbours found{numbers(n), numbers(weighted ? n : 0), numbers(m), numbers(weighted ? m : 0)};
  EXPECT_EQ(MPI_Dist_graph_neighbors(
                comm, in, found.sources.data(), weighted ? found.source_weights.data() : MPI_UNWEIGHTED, out,
                found.destinations.data(), weighted ? found.destination_weights.data() : MPI_UNWEIGHTED),
            MPI_SUCCESS);
  return found;
}

}  // namespace

/// Each rank r has an edge of weight r to the next; all ranks but 0 also have one to rank 0.
TEST_P(topologies, graphs_of_which_each_knows_its_own) {
  for (const int ranks : {1, 4})
    run_ranks(ranks, [] {
      const int size = everybody();
      const int next = (me() + 1) % size;
      const int before = (me() + size - 1) % size;
      neighbours expected{{}, {}, {next}, {me()}};
      if (me() == 0) {
        for (int r = 0; r < size; ++r)
          for (int k = 0; k < (r + 1 == size ? 1 : 0) + (r > 0 ? 1 : 0); ++k) {
            expected.sources.push_back(r);
            expected.source_weights.push_back(k == 0 && r + 1 == size ? r : 50);
          }
      } else {
        expected.sources = {before};
        expected.source_weights = {before};
        expected.destinations.push_back(0);
        expected.destination_weights.push_back(50);
      }
      const auto count = [](const numbers& list) { return static_cast<int>(list.size()); };
      MPI_Comm comm;
      ASSERT_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, count(expected.sources),
                                               expected.sources.data(), expected.source_weights.data(),
                                               count(expected.destinations), expected.destinations.data(),
                                               expected.destination_weights.data(), MPI_INFO_NULL, 0, &comm),
                MPI_SUCCESS);
      EXPECT_EQ(neighbours_of(comm, true), expected);
      expect_sources(comm, expected.sources);
      MPI_Comm copy;
      ASSERT_EQ(MPI_Comm_dup(comm, &copy), MPI_SUCCESS);
      EXPECT_EQ(neighbours_of(copy, true), expected);
      EXPECT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
      EXPECT_EQ(MPI_Comm_free(&copy), MPI_SUCCESS);

      // Edges are passed by their first rank, by the rank before it, and by the last rank for all.
      for (int teller = 0; teller < 3; ++teller) {
        numbers sources;
        numbers degrees;
        numbers destinations;
        numbers weights;
        for (int r = 0; r < size; ++r) {
          const int declaring_rank = teller == 0 ? r : teller == 1 ? (r + size - 1) % size : size - 1;
          if (declaring_rank != me()) continue;
          sources.push_back(r);
          degrees.push_back(r > 0 ? 2 : 1);
          destinations.push_back((r + 1) % size);
          weights.push_back(r);
          if (r == 0) continue;
          destinations.push_back(0);
          weights.push_back(50);
        }
        for (const bool weighted : {true, false}) {
          ASSERT_EQ(MPI_Dist_graph_create(MPI_COMM_WORLD, count(sources), sources.data(), degrees.data(),
                                          destinations.data(), weighted ? weights.data() : MPI_UNWEIGHTED,
                                          MPI_INFO_NULL, 1, &comm),
                    MPI_SUCCESS);
          neighbours found = neighbours_of(comm, weighted);
          // Sources are ordered by the rank that has passed the edge.
          if (teller == 1) std::ranges::sort(found.sources), std::ranges::sort(found.source_weights);
          auto sorted = expected;
          if (teller == 1) std::ranges::sort(sorted.sources), std::ranges::sort(sorted.source_weights);
          if (!weighted) sorted.source_weights.clear(), sorted.destination_weights.clear();
          EXPECT_EQ(found, sorted) << teller;
          expect_sources(comm, neighbours_of(comm, weighted).sources);
          EXPECT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
        }
      }
    });
}

TEST_P(topologies, refuse_what_cannot_be) {
  run_ranks(2, [] {
    const MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm newcomm = MPI_COMM_SELF;
    const int lengths[] = {3};
    const int negative[] = {-1};
    const int two[] = {2};
    const int edges[] = {3, 3};
    int n = 0;
    EXPECT_EQ(error_class(MPI_Cart_create(world, 1, lengths, two, 0, &newcomm)), MPI_ERR_DIMS);
    EXPECT_EQ(newcomm, MPI_COMM_NULL);
    EXPECT_EQ(error_class(MPI_Cart_create(world, 1, negative, two, 0, &newcomm)), MPI_ERR_DIMS);
    EXPECT_EQ(error_class(MPI_Cart_create(world, -1, lengths, two, 0, &newcomm)), MPI_ERR_DIMS);
    EXPECT_EQ(error_class(MPI_Cart_create(world, 1, nullptr, two, 0, &newcomm)), MPI_ERR_ARG);
    EXPECT_EQ(error_class(MPI_Graph_create(world, 3, two, edges, 0, &newcomm)), MPI_ERR_ARG);
    EXPECT_EQ(error_class(MPI_Graph_create(world, 1, two, edges, 0, &newcomm)), MPI_ERR_ARG);
    EXPECT_EQ(error_class(MPI_Cartdim_get(world, &n)), MPI_ERR_TOPOLOGY);
    EXPECT_EQ(error_class(MPI_Cart_sub(world, two, &newcomm)), MPI_ERR_TOPOLOGY);
    EXPECT_EQ(error_class(MPI_Graphdims_get(world, &n, &n)), MPI_ERR_TOPOLOGY);
    EXPECT_EQ(error_class(MPI_Dist_graph_neighbors_count(world, &n, &n, &n)), MPI_ERR_TOPOLOGY);
    EXPECT_EQ(error_class(MPI_Dist_graph_create_adjacent(world, 1, two, MPI_UNWEIGHTED, 0, nullptr,
                                                         MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &newcomm)),
              MPI_ERR_RANK);
    EXPECT_EQ(error_class(MPI_Dist_graph_create_adjacent(world, 0, nullptr, MPI_UNWEIGHTED, 0, nullptr,
                                                         MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &newcomm)),
              MPI_ERR_ARG);
    const int zero[] = {0};
    EXPECT_EQ(error_class(MPI_Dist_graph_create(world, 1, zero, negative, zero, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                                0, &newcomm)),
              MPI_ERR_ARG);
    MPI_Comm grid;
    ASSERT_EQ(MPI_Cart_create(world, 1, two, zero, 0, &grid), MPI_SUCCESS);
    EXPECT_EQ(error_class(MPI_Cart_rank(grid, two, &n)), MPI_ERR_RANK);
    EXPECT_EQ(error_class(MPI_Cart_shift(grid, 1, 1, &n, &n)), MPI_ERR_ARG);
    EXPECT_EQ(error_class(MPI_Cart_coords(grid, 2, 1, &n)), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Comm_free(&grid), MPI_SUCCESS);
  });
}

}  // namespace imbrex::mpi
