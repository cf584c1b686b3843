// SPDX-License-Identifier: Apache-2.0
// Ranks in different collective functions deadlock, and the report names the functions.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>

#include <imbrex/mpi/mpi_ranks.test.hpp>

namespace imbrex::mpi {

using mismatches = on_mpi_ranks;
INSTANTIATE_TEST_SUITE_P(on, mismatches, ::testing::ValuesIn(machines()), name_of_machine);

namespace {

struct collective_function {
  const char* name;
  std::function<void()> call;
};

void create_window() {
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
}

/// Functions in which all ranks wait for each other.
const std::array<collective_function, 4> meetings{{
    {"MPI_Barrier", [] { MPI_Barrier(MPI_COMM_WORLD); }},
    {"MPI_Finalize", [] { MPI_Finalize(); }},
    {"MPI_Comm_split",
     [] {
       MPI_Comm newcomm = MPI_COMM_NULL;
       MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &newcomm);
     }},
    {"MPI_Win_create", &create_window},
}};

/// Functions in which rank 1 waits for rank 0.
const std::array<collective_function, 5> others{{
    {"MPI_Bcast",
     [] {
       int value = 0;
       MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
     }},
    {"MPI_Comm_dup",
     [] {
       MPI_Comm newcomm = MPI_COMM_NULL;
       MPI_Comm_dup(MPI_COMM_WORLD, &newcomm);
     }},
    {"MPI_Comm_create",
     [] {
       MPI_Comm newcomm = MPI_COMM_NULL;
       MPI_Group all = MPI_GROUP_NULL;
       MPI_Comm_group(MPI_COMM_WORLD, &all);
       MPI_Comm_create(MPI_COMM_WORLD, all, &newcomm);
     }},
    {"MPI_Cart_create",
     [] {
       MPI_Comm newcomm = MPI_COMM_NULL;
       const int size = 2;
       const int wraps = 0;
       MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &wraps, 0, &newcomm);
     }},
    {"MPI_Win_create", &create_window},
}};

int number_of_rank() { return rank::current()->number(); }

}  // namespace

TEST_P(mismatches, of_functions_in_which_all_meet_let_nobody_pass) {
  for (const auto& first : meetings)
    for (const auto& second : meetings) {
      if (&first == &second) continue;
      SCOPED_TRACE(std::string(first.name) + " against " + second.name);
      ranks_fail(2, [&] { (number_of_rank() == 0 ? first : second).call(); },
                 {"deadlock", "rank(0), entry run, on PE ", "rank(1), entry run, on PE ",
                  std::string("waits for ") + first.name, std::string("waits for ") + second.name});
    }
}

TEST_P(mismatches, of_other_functions_are_told_by_who_waits) {
  for (const auto& second : others) {
    SCOPED_TRACE(std::string("MPI_Finalize against ") + second.name);
    ranks_fail(2, [&] { number_of_rank() == 0 ? void(MPI_Finalize()) : second.call(); },
               {"deadlock", "waits for MPI_Finalize", std::string("waits for ") + second.name});
    if (std::string(second.name) == "MPI_Bcast")
      continue;  // like MPI_Barrier, MPI_Bcast may use messages or shared memory
    SCOPED_TRACE("and against MPI_Barrier");
    ranks_fail(2, [&] { number_of_rank() == 0 ? void(MPI_Barrier(MPI_COMM_WORLD)) : second.call(); },
               {"deadlock", "waits for MPI_Barrier", std::string("waits for ") + second.name});
  }
}

TEST_P(mismatches, of_the_end_of_a_window_let_nobody_pass) {
  ranks_fail(2,
             [] {
               MPI_Win window = MPI_WIN_NULL;
               MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
               number_of_rank() == 0 ? MPI_Win_fence(0, window) : MPI_Win_free(&window);
             },
             {"deadlock", "waits for MPI_Win_fence", "waits for MPI_Win_free"});
}

}  // namespace imbrex::mpi
