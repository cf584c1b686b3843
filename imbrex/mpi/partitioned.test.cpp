// SPDX-License-Identifier: Apache-2.0
// Partitioned communication of ranks that are functions of this program.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/rank/ranks.test.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

class partitioned : public on_ranks {
 protected:
  program program_of_test() override {
    program what;
    what.make_state = [](rank& of) { return std::make_unique<rank_data>(of); };
    return what;
  }
};
INSTANTIATE_TEST_SUITE_P(on, partitioned, ::testing::ValuesIn(machines()), name_of_machine);

namespace {

int begin() {
  MPI_Init(nullptr, nullptr);
  int me = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  return me;
}

/// Partitions of both sides, and the numbers in all.
struct shape {
  int sent, received, numbers;
};

void send_some(const shape& of, int tag, bool backwards) {
  std::vector<int> data(static_cast<std::size_t>(of.numbers));
  MPI_Request q = MPI_REQUEST_NULL;
  MPI_Psend_init(data.data(), of.sent, of.numbers / of.sent, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &q);
  for (int round = 0; round < 3; ++round) {
    std::iota(data.begin(), data.end(), 1000 * round);
    MPI_Start(&q);
    for (int i = 0; i < of.sent; ++i) EXPECT_EQ(MPI_Pready(backwards ? of.sent - 1 - i : i, q), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS);
  }
  MPI_Request_free(&q);
}

void receive_some(const shape& of, int tag) {
  std::vector<int> data(static_cast<std::size_t>(of.numbers), -1);
  MPI_Request q = MPI_REQUEST_NULL;
  const int part = of.numbers / of.received;
  MPI_Precv_init(data.data(), of.received, part, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
  for (int round = 0; round < 3; ++round) {
    MPI_Start(&q);
    for (int p = of.received - 1; p >= 0; --p) {
      for (int there = 0; there == 0;) MPI_Parrived(q, p, &there);
      for (int i = p * part; i < (p + 1) * part; ++i)
        ASSERT_EQ(data[static_cast<std::size_t>(i)], 1000 * round + i);
    }
    MPI_Status status;
    EXPECT_EQ(MPI_Wait(&q, &status), MPI_SUCCESS);
    int count = 0;
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(count, of.numbers);
    EXPECT_EQ(status.MPI_SOURCE, 0);
    EXPECT_EQ(status.MPI_TAG, tag);
  }
  MPI_Request_free(&q);
}

}  // namespace

TEST_P(partitioned, data_arrive_in_parts_that_both_sides_cut_differently) {
  run_ranks(2, [] {
    const int me = begin();
    int tag = 0;
    for (const shape& of : {shape{1, 1, 8}, shape{4, 4, 64}, shape{1, 6, 12}, shape{6, 1, 12},
                            shape{3, 5, 30}, shape{4, 2, 4096}, shape{2, 8, 40'000}})
      for (const bool backwards : {false, true}) {
        me == 0 ? send_some(of, tag, backwards) : receive_some(of, tag);
        ++tag;
      }
    MPI_Finalize();
  });
}

// Requests match in the order in which they are made, whichever side comes first and starts first.
TEST_P(partitioned, requests_of_one_tag_match_in_order) {
  run_ranks(2, [] {
    const int me = begin();
    int out[2] = {10, 20}, in[2] = {0, 0};
    MPI_Request q[2];
    if (me == 0) MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; ++i)
      me == 0 ? MPI_Psend_init(&out[i], 1, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &q[i])
              : MPI_Precv_init(&in[i], 1, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &q[i]);
    MPI_Startall(2, q);
    if (me == 0) {
      MPI_Pready(0, q[1]);
      MPI_Pready(0, q[0]);
    } else {
      MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    if (me == 1) {
      EXPECT_EQ(in[0], 10);
      EXPECT_EQ(in[1], 20);
    }
    for (MPI_Request& each : q) MPI_Request_free(&each);
    MPI_Finalize();
  });
}

TEST_P(partitioned, columns_are_partitions) {
  run_ranks(2, [] {
    const int me = begin();
    constexpr int rows = 5, columns = 4;
    MPI_Datatype column = MPI_DATATYPE_NULL, next_to_it = MPI_DATATYPE_NULL;
    MPI_Type_vector(rows, 1, columns, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &next_to_it);
    MPI_Type_commit(&next_to_it);
    std::vector<int> matrix(rows * columns, -1);
    if (me == 0) std::iota(matrix.begin(), matrix.end(), 0);
    MPI_Request q = MPI_REQUEST_NULL;
    if (me == 0) {
      MPI_Psend_init(matrix.data(), columns, 1, next_to_it, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
      MPI_Start(&q);
      const int order[] = {3, 0};
      MPI_Pready_list(2, order, q);
      MPI_Pready_range(1, 2, q);
    } else {
      MPI_Precv_init(matrix.data(), 2, 2, next_to_it, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
      MPI_Start(&q);
    }
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    for (int i = 0; i < rows * columns; ++i) EXPECT_EQ(matrix[static_cast<std::size_t>(i)], i);
    MPI_Request_free(&q);
    MPI_Type_free(&column);
    MPI_Type_free(&next_to_it);
    MPI_Finalize();
  });
}

TEST_P(partitioned, requests_to_nobody_and_without_partitions_are_done) {
  run_ranks(1, [] {
    begin();
    int data = 7, flag = 0;
    MPI_Request q[2];
    MPI_Psend_init(&data, 2, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q[0]);
    MPI_Precv_init(&data, 2, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q[1]);
    MPI_Parrived(q[1], 0, &flag);
    EXPECT_EQ(flag, 1);
    MPI_Startall(2, q);
    MPI_Pready_range(0, 1, q[0]);
    MPI_Status statuses[2];
    MPI_Waitall(2, q, statuses);
    EXPECT_EQ(statuses[1].MPI_SOURCE, MPI_PROC_NULL);
    for (MPI_Request& each : q) MPI_Request_free(&each);
    MPI_Finalize();
  });
}

TEST_P(partitioned, wrong_calls_are_errors) {
  run_ranks(2, [] {
    const int me = begin();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const auto class_of = [](int code) {
      int found = -1;
      MPI_Error_class(code, &found);
      return found;
    };
    int data[4] = {}, flag = 0;
    MPI_Request q = MPI_REQUEST_NULL;
    EXPECT_EQ(class_of(MPI_Psend_init(data, -1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q)),
              MPI_ERR_ARG);
    EXPECT_EQ(
        class_of(MPI_Precv_init(data, 1, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q)),
        MPI_ERR_RANK);
    MPI_Send_init(data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &q);
    EXPECT_EQ(class_of(MPI_Pready(0, q)), MPI_ERR_REQUEST);
    MPI_Request_free(&q);
    // The receive has another size than the send.
    if (me == 0) {
      MPI_Psend_init(data, 2, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
      EXPECT_EQ(class_of(MPI_Pready(0, q)), MPI_ERR_REQUEST);  // not started
      EXPECT_EQ(class_of(MPI_Parrived(q, 0, &flag)), MPI_ERR_REQUEST);
      MPI_Start(&q);
      EXPECT_EQ(class_of(MPI_Pready(2, q)), MPI_ERR_ARG);
      EXPECT_EQ(class_of(MPI_Pready_range(1, 0, q)), MPI_ERR_ARG);
      EXPECT_EQ(MPI_Pready(1, q), MPI_SUCCESS);
      EXPECT_EQ(class_of(MPI_Pready(1, q)), MPI_ERR_ARG);
      EXPECT_EQ(MPI_Pready(0, q), MPI_SUCCESS);
      EXPECT_EQ(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
      MPI_Precv_init(data, 1, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
      EXPECT_EQ(class_of(MPI_Pready(0, q)), MPI_ERR_REQUEST);
      EXPECT_EQ(class_of(MPI_Parrived(q, 1, &flag)), MPI_ERR_ARG);
      MPI_Start(&q);
      EXPECT_EQ(class_of(MPI_Wait(&q, MPI_STATUS_IGNORE)), MPI_ERR_TRUNCATE);
    }
    MPI_Request_free(&q);
    MPI_Finalize();
  });
}

}  // namespace imbrex::mpi
