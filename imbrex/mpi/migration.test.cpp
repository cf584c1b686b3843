// SPDX-License-Identifier: Apache-2.0
// Balancing of ranks, as AMPI has it.
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/balance/driver/enable.hpp>
#include <imbrex/balance/strategy.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/mpi/mpi_ranks.test.hpp>

namespace imbrex::mpi {

/// Runs with a balancer; each period is two balance points.
class balanced_ranks : public on_mpi_ranks {
 protected:
  template <class Code>
  /// Every second time with `--balance-together`.
  void run_balanced(const std::string& strategy, int ranks, const Code& code) {
    balance::enable();
    int turn = 0;
    for (options settings : GetParam().runs) {
      settings.balance.together = ++turn % 2 == 0;
      SCOPED_TRACE(text_of(settings));
      settings.balance.strategy = strategy;
      settings.balance.every_points = 2;
      settings.balance.report = true;
      EXPECT_EQ(run_ranks_once(settings, ranks, code), 0);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(on, balanced_ranks,
                         ::testing::ValuesIn(machines({"threads_4", "shuffled_3", "deterministic_40",
                                                       "simulated"})),
                         name_of_machine);

/// The PEs of all ranks.
std::vector<int> places_of_ranks() {
  int ranks = 0, pe = 0, first = 0, count = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  EXPECT_EQ(MPIX_Get_pe(&pe, &first, &count), MPI_SUCCESS);
  std::vector<int> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&pe, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
  return all;
}

int pes_of_run() {
  int pe = 0, first = 0, count = 0;
  MPIX_Get_pe(&pe, &first, &count);
  return count;
}

/// True if no PE has more than its share of the first `heavy` ranks.
bool are_apart(const std::vector<int>& places, int heavy, int pes) {
  std::vector<int> found(static_cast<std::size_t>(pes));
  for (int i = 0; i < heavy; ++i) ++found[static_cast<std::size_t>(places[static_cast<std::size_t>(i)])];
  for (const int each : found)
    if (each > (heavy + pes - 1) / pes) return false;
  return true;
}

TEST_P(balanced_ranks, move_at_their_balance_points) {
  run_balanced("greedy", 16, [] {
    int me = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Info hints;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "ampi_load_balance", me % 2 == 0 ? "sync" : "async");
    EXPECT_EQ(AMPI_Load_set_value(me < 4 ? 9 : 1), MPI_SUCCESS);
    const int pes = pes_of_run();
    while (!are_apart(places_of_ranks(), 4, pes)) {
      EXPECT_EQ(AMPI_Migrate(hints), MPI_SUCCESS);
      EXPECT_EQ(AMPI_Migrate(AMPI_INFO_LB_SYNC), MPI_SUCCESS);
    }
    MPI_Info_free(&hints);
  });
}

TEST_P(balanced_ranks, stay_while_a_request_is_under_way) {
  run_balanced("rotate", 4, [] {
    int me = 0, late = 0, pe = 0, first = 0, count = 0, now = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&late, 1, MPI_INT, me, 5, MPI_COMM_WORLD, &request);
    MPIX_Get_pe(&pe, &first, &count);
    for (int i = 0; i < 12; ++i) {
      MPI_Barrier(MPI_COMM_WORLD);
      EXPECT_EQ(AMPI_Migrate(AMPI_INFO_LB_ASYNC), MPI_SUCCESS);
      MPIX_Get_pe(&now, &first, &count);
      EXPECT_EQ(now, pe);
    }
    MPI_Send(&me, 1, MPI_INT, me, 5, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(late, me);
    bool has_moved = count == 1;
    while (!has_moved) {
      EXPECT_EQ(AMPI_Migrate(AMPI_INFO_LB_ASYNC), MPI_SUCCESS);
      const std::vector<int> places = places_of_ranks();
      has_moved = places[0] != 0;
    }
  });
}

TEST_P(balanced_ranks, move_at_collectives_of_all_ranks) {
  run_balanced("greedy", 16, [] {
    int me = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    EXPECT_EQ(AMPI_Load_set_value(me < 4 ? 9 : 1), MPI_SUCCESS);
    MPI_Comm all = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &all);
    const int pes = pes_of_run();
    int rounds = 0, sum = 0;
    while (!are_apart(places_of_ranks(), 4, pes) && ++rounds < 10'000) {
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, all);
      ASSERT_EQ(sum, 16 * 15 / 2);
    }
    EXPECT_LT(rounds, 10'000);
    MPI_Comm_free(&all);
  });
}

/// True if a rank moves during some collectives of all ranks.
bool moves_at_collectives() {
  const std::vector<int> before = places_of_ranks();
  for (int i = 0; i < 150; ++i)
    if (places_of_ranks() != before) return true;
  return false;
}

TEST_P(balanced_ranks, stay_at_collectives_with_something_under_way) {
  run_balanced("rotate", 4, [] {
    int me = 0, late = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (pes_of_run() == 1) return;
    // Each rank receives later, has a window, or has found a message. The first rank has nothing of that.
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Message found = MPI_MESSAGE_NULL;
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, me, 0, &own);
    if (me == 1) MPI_Irecv(&late, 1, MPI_INT, 0, 5, own, &request);
    if (me == 2) MPI_Win_create(&late, sizeof late, 1, MPI_INFO_NULL, own, &window);
    if (me == 3) {
      MPI_Request sent = MPI_REQUEST_NULL;
      MPI_Isend(&me, 1, MPI_INT, 0, 5, own, &sent);
      MPI_Mprobe(0, 5, own, &found, MPI_STATUS_IGNORE);
      MPI_Request_free(&sent);
    }
    const std::vector<int> before = places_of_ranks();
    for (int i = 0; i < 100; ++i) {
      const std::vector<int> now = places_of_ranks();
      for (std::size_t r = 1; r < 4; ++r) ASSERT_EQ(now[r], before[r]);
    }
    if (me == 1) {
      MPI_Request sent = MPI_REQUEST_NULL;
      MPI_Isend(&me, 1, MPI_INT, 0, 5, own, &sent);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Wait(&sent, MPI_STATUS_IGNORE);
      EXPECT_EQ(late, me);
    }
    if (me == 2) MPI_Win_free(&window);
    if (me == 3) MPI_Mrecv(&late, 1, MPI_INT, &found, MPI_STATUS_IGNORE);
    MPI_Comm_free(&own);
    EXPECT_TRUE(moves_at_collectives());
  });
}

TEST_P(balanced_ranks, stay_at_collectives_of_some_ranks) {
  run_balanced("rotate", 4, [] {
    int me = 0, before = 0, after = 0, first = 0, count = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &half);
    MPIX_Get_pe(&before, &first, &count);
    for (int i = 0; i < 100; ++i) MPI_Barrier(half);
    MPIX_Get_pe(&after, &first, &count);
    EXPECT_EQ(after, before);
    MPI_Comm_free(&half);
  });
}

TEST_P(balanced_ranks, move_at_their_own_points_alone_once_they_have_some) {
  run_balanced("rotate", 4, [] {
    AMPI_Migrate(AMPI_INFO_LB_ASYNC);
    MPI_Barrier(MPI_COMM_WORLD);  // all have said so
    EXPECT_FALSE(moves_at_collectives());
  });
}

TEST_P(balanced_ranks, refuse_hints_that_cannot_be) {
  run_balanced("none", 2, [] {
    MPI_Info hints;
    MPI_Info_create(&hints);
    EXPECT_EQ(AMPI_Migrate(hints), MPI_SUCCESS);
    MPI_Info_set(hints, "ampi_load_balance", "false");
    MPI_Info_set(hints, "ampi_checkpoint", "false");
    EXPECT_EQ(AMPI_Migrate(hints), MPI_SUCCESS);
    MPI_Info_set(hints, "ampi_load_balance", "often");
    EXPECT_EQ(error_class(AMPI_Migrate(hints)), MPI_ERR_INFO_VALUE);
    for (const char* const how : {"often", "to_file=", ""}) {
      MPI_Info_set(hints, "ampi_checkpoint", how);
      EXPECT_EQ(error_class(AMPI_Migrate(hints)), MPI_ERR_INFO_VALUE);
    }
    MPI_Info_set(hints, "ampi_load_balance", "false");
    MPI_Info_set(hints, "ampi_checkpoint", "to_file=here");
    EXPECT_EQ(error_class(AMPI_Migrate(hints)), MPI_ERR_UNSUPPORTED_OPERATION);
    EXPECT_NE(AMPI_Migrate(MPI_INFO_NULL), MPI_SUCCESS);
    MPI_Info_free(&hints);
    EXPECT_EQ(error_class(AMPI_Load_set_value(-1)), MPI_ERR_ARG);
    EXPECT_EQ(error_class(AMPI_Load_set_value(std::numeric_limits<double>::quiet_NaN())), MPI_ERR_ARG);
  });
}

class measured_ranks : public balanced_ranks {};
INSTANTIATE_TEST_SUITE_P(on, measured_ranks, ::testing::ValuesIn(machines({"simulated"})), name_of_machine);

using std::chrono::milliseconds;

TEST_P(measured_ranks, have_the_time_that_they_measure_as_their_load) {
  static std::mutex lock;
  static std::vector<double> loads;
  const balance::strategy looks("looks", [](const balance::problem& p) {
    const std::scoped_lock hold(lock);
    loads.assign(p.load.begin(), p.load.end());
    return std::vector<int>(p.pe.begin(), p.pe.end());
  });
  run_balanced("looks", 3, [] {
    int me = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int i = 0; i < 8; ++i) {
      spend(milliseconds(10));
      if (me > 0) AMPI_Load_stop_measure();
      spend(milliseconds(100));
      MPI_Barrier(MPI_COMM_WORLD);
      if (me == 1) AMPI_Load_start_measure();
      spend(milliseconds(20));
      AMPI_Migrate(AMPI_INFO_LB_SYNC);
      if (me == 2) AMPI_Load_start_measure();
    }
  });
  ASSERT_EQ(loads.size(), 3U);
  const std::vector<double> expected{0.130, 0.030, 0.010};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(loads[i], expected[i], 0.002) << "rank " << i;
}

TEST_P(measured_ranks, are_balanced_by_a_part_of_their_time) {
  balance::enable();
  options settings;
  settings.machine = machine_kind::simulated;
  settings.pes = 2;
  static double took = 0;
  const auto run_uneven = [&](const std::string& strategy) {
    settings.balance.strategy = strategy;
    const int status = run_ranks_once(settings, 8, [] {
      int me = 0;
      MPI_Comm_rank(MPI_COMM_WORLD, &me);
      const milliseconds half_a_step(me < 4 ? 5 : 1);
      const double began = MPI_Wtime();
      for (int i = 0; i < 60; ++i) {
        AMPI_Load_stop_measure();
        spend(half_a_step);
        AMPI_Load_start_measure();
        spend(half_a_step);
        MPI_Barrier(MPI_COMM_WORLD);
        AMPI_Migrate(AMPI_INFO_LB_SYNC);
      }
      if (me == 0) took = MPI_Wtime() - began;
    });
    EXPECT_EQ(status, 0);
    return took;
  };
  const double none = run_uneven("none");
  EXPECT_NEAR(none, 60 * 0.040, 0.01);
  EXPECT_LT(run_uneven("auto"), 0.7 * none);
}

class ranks_of_processes : public balanced_ranks {};
INSTANTIATE_TEST_SUITE_P(on, ranks_of_processes, ::testing::ValuesIn(machines({"processes_2x2"})),
                         name_of_machine);

TEST_P(ranks_of_processes, stay) {
  run_balanced("rotate", 4, [] {
    const std::vector<int> before = places_of_ranks();
    for (int i = 0; i < 12; ++i) EXPECT_EQ(AMPI_Migrate(AMPI_INFO_LB_SYNC), MPI_SUCCESS);
    EXPECT_EQ(places_of_ranks(), before);
  });
}

}  // namespace imbrex::mpi
