// SPDX-License-Identifier: Apache-2.0
// Collective functions: with migrating ranks, among neighbours, with user operations, and with errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include <imbrex/mpi/collective/forms.test.hpp>

namespace imbrex::mpi {

using collectives = on_mpi_ranks;
INSTANTIATE_TEST_SUITE_P(on, collectives, ::testing::ValuesIn(machines()), name_of_machine);

TEST_P(collectives, meet_wherever_their_ranks_have_gone) {
  run_ranks(7, [] {
    int me = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    std::mt19937 dice(static_cast<unsigned>(me));
    for (int i = 0; i < 25; ++i) {
      int before = 0, first = 0, count = 0, now = 0;
      ASSERT_EQ(MPIX_Get_pe(&before, &first, &count), MPI_SUCCESS);
      const int to = first + static_cast<int>(dice() % static_cast<unsigned>(count));
      ASSERT_EQ(MPIX_Migrate(to), MPI_SUCCESS);
      ASSERT_EQ(MPIX_Get_pe(&now, &first, &count), MPI_SUCCESS);
      EXPECT_EQ(now, to);
      const int local_values[2] = {me + i, 1};
      int sum[2] = {};
      ASSERT_EQ(MPI_Allreduce(local_values, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
      EXPECT_EQ(sum[0], 21 + 7 * i);
      EXPECT_EQ(sum[1], 7);
      int out[7];
      int in[7];
      for (int j = 0; j < 7; ++j) out[j] = 100 * me + j;
      ASSERT_EQ(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
      for (int j = 0; j < 7; ++j) EXPECT_EQ(in[j], 100 * j + me);
      int root_value = me == i % 7 ? i : -1;
      ASSERT_EQ(MPI_Bcast(&root_value, 1, MPI_INT, i % 7, MPI_COMM_WORLD), MPI_SUCCESS);
      EXPECT_EQ(root_value, i);
    }
    EXPECT_EQ(MPIX_Migrate(1 << 20), MPI_ERR_ARG);
    int got = 0;
    MPI_Request waiting = MPI_REQUEST_NULL;
    MPI_Irecv(&got, 1, MPI_INT, me, 5, MPI_COMM_WORLD, &waiting);
    int pe = 0, first = 0, count = 0;
    MPIX_Get_pe(&pe, &first, &count);
    EXPECT_EQ(MPIX_Migrate(pe), MPI_ERR_REQUEST);
    MPI_Send(&me, 1, MPI_INT, me, 5, MPI_COMM_WORLD);
    MPI_Wait(&waiting, MPI_STATUS_IGNORE);
    EXPECT_EQ(got, me);
  });
}

TEST_P(collectives, of_one_member_are_its_own) {
  run_ranks(5, [] {
    int me = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int i = 0; i < 20; ++i) {
      const int own = 10 * me + i;
      int sum = -1;
      ASSERT_EQ(MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_SUCCESS);
      EXPECT_EQ(sum, own);
      ASSERT_EQ(MPI_Barrier(MPI_COMM_SELF), MPI_SUCCESS);
    }
  });
}

TEST_P(collectives, tell_ranks_that_receive_less_than_is_sent) {
  run_ranks(4, [] {
    int me = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    std::vector<int> sent(4 * 100, me);
    std::vector<int> received(4);
    EXPECT_EQ(MPI_Alltoall(sent.data(), 100, MPI_INT, received.data(), 1, MPI_INT, MPI_COMM_WORLD),
              MPI_ERR_TRUNCATE);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(MPI_Bcast(sent.data(), me == 0 ? 0 : 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
  });
}

namespace {

/// Sends blocks of two numbers to each neighbour, by all five functions in all their forms.
void exchange_with_neighbours_in(MPI_Comm comm, const std::vector<int>& sources,
                                 const std::vector<int>& destinations,
                                 const std::function<int(int)>& slot_at_sender) {
  const int me = rank_data::here().at(comm)->rank();
  const auto n = sources.size();
  const auto m = destinations.size();
  std::vector<int> send(2 * m);
  for (std::size_t i = 0; i < m; ++i) send[2 * i] = send[2 * i + 1] = 100 * me + static_cast<int>(i);
  std::vector<int> expected(2 * n, untouched);
  std::vector<int> expected_of_one(2 * n, untouched);
  for (std::size_t i = 0; i < n; ++i) {
    if (sources[i] == MPI_PROC_NULL) continue;
    expected[2 * i] = expected[2 * i + 1] = 100 * sources[i] + slot_at_sender(static_cast<int>(i));
    expected_of_one[2 * i] = 100 * sources[i];
    expected_of_one[2 * i + 1] = 100 * sources[i] + 1;
  }
  const int one[] = {100 * me, 100 * me + 1};
  std::vector<int> counts(std::max(n, m), 2);
  std::vector<int> at(counts.size());
  std::vector<MPI_Aint> bytes(counts.size());
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = 2 * static_cast<int>(i), bytes[i] = 4 * at[i];
  const std::vector<MPI_Datatype> types(counts.size(), MPI_INT);
  std::vector<int> receive(2 * n);
  const int* const c = counts.data();
  const int* const d = at.data();
  int* const to = receive.data();
  const std::function<int(form, MPI_Request*)> calls[] = {
      CALL(Neighbor_allgather, Ineighbor_allgather, one, 2, MPI_INT, to, 2, MPI_INT),
      CALL(Neighbor_allgatherv, Ineighbor_allgatherv, one, 2, MPI_INT, to, c, d, MPI_INT),
      CALL(Neighbor_alltoall, Ineighbor_alltoall, send.data(), 2, MPI_INT, to, 2, MPI_INT),
      CALL(Neighbor_alltoallv, Ineighbor_alltoallv, send.data(), c, d, MPI_INT, to, c, d, MPI_INT),
      CALL(Neighbor_alltoallw, Ineighbor_alltoallw, send.data(), c, bytes.data(), types.data(), to, c,
           bytes.data(), types.data()),
  };
  for (int kind = 0; kind < 5; ++kind)
    for (const form how : {form::blocking, form::nonblocking, form::persistent}) {
      std::fill(receive.begin(), receive.end(), untouched);
      MPI_Request request = MPI_REQUEST_NULL;
      ASSERT_EQ(calls[kind](how, &request), MPI_SUCCESS);
      if (how == form::persistent) start(request);
      if (how != form::blocking) {
        wait(request);
        rank_data::here().requests.remove(request);
      }
      EXPECT_EQ(receive, kind < 2 ? expected_of_one : expected) << kind;
    }
}

int slot_across(int i) { return i ^ 1; }

}  // namespace

TEST_P(collectives, exchange_with_neighbours) {
  for (const int ranks : {1, 2, 3, 6}) {
    SCOPED_TRACE(ranks);
    run_ranks(ranks, [ranks] {
      rank_data& data = rank_data::here();
      const int me = data.self().number();
      const group all(0, ranks);
      auto make = [&, next = context_id{50}]() mutable {
        const auto result = make_communicator(next++, all);
        data.add(result);
        return result;
      };
      for (const bool is_periodic : {false, true}) {
        const auto grid = make();
        grid->topology = cartesian({ranks}, {is_periodic});
        const int below = me > 0 ? me - 1 : is_periodic ? ranks - 1 : MPI_PROC_NULL;
        const int above = me + 1 < ranks ? me + 1 : is_periodic ? 0 : MPI_PROC_NULL;
        exchange_with_neighbours_in(grid->handle(), {below, above}, {below, above}, slot_across);
      }
      // A complete graph, with edges from each rank to itself.
      std::vector<int> index(static_cast<std::size_t>(ranks));
      std::vector<int> edges;
      std::vector<int> everybody(index.size());
      std::iota(everybody.begin(), everybody.end(), 0);
      for (int& end : index) {
        edges.insert(edges.end(), everybody.begin(), everybody.end());
        end = static_cast<int>(edges.size());
      }
      const auto complete = make();
      complete->topology = graph(index, edges);
      exchange_with_neighbours_in(complete->handle(), everybody, everybody, [me](int) { return me; });
      // Two edges from each rank to the next; none from the last.
      const auto chain = make();
      adjacency along;
      if (me > 0) along.sources = {me - 1, me - 1};
      if (me + 1 < ranks) along.destinations = {me + 1, me + 1};
      chain->topology = along;
      exchange_with_neighbours_in(chain->handle(), along.sources, along.destinations,
                                  [](int i) { return i; });
    });
  }
}

TEST_P(collectives, refuse_arguments_that_cannot_be) {
  run_ranks(2, [] {
    const MPI_Comm world = MPI_COMM_WORLD;
    int data[8] = {};
    int others[8] = {};
    int counts[] = {1, 1};
    int size = 0;
    MPI_Request request;
    const auto class_of = [](int code) {
      int found = 0;
      MPI_Error_class(code, &found);
      return found;
    };
    EXPECT_EQ(class_of(MPI_Bcast(data, 1, MPI_INT, 2, world)), MPI_ERR_ROOT);
    EXPECT_EQ(class_of(MPI_Bcast(data, -1, MPI_INT, 0, world)), MPI_ERR_COUNT);
    EXPECT_EQ(class_of(MPI_Bcast(data, 1, MPI_DATATYPE_NULL, 0, world)), MPI_ERR_TYPE);
    EXPECT_EQ(class_of(MPI_Bcast(nullptr, 1, MPI_INT, 0, world)), MPI_ERR_BUFFER);
    EXPECT_EQ(class_of(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, world)), MPI_ERR_BUFFER);
    EXPECT_EQ(class_of(MPI_Ibcast(data, 1, MPI_INT, MPI_ROOT, world, &request)), MPI_ERR_ROOT);
    EXPECT_EQ(class_of(MPI_Barrier(MPI_COMM_NULL)), MPI_ERR_COMM);
    EXPECT_EQ(class_of(MPI_Allreduce(data, others, 1, MPI_FLOAT, MPI_BAND, world)), MPI_ERR_OP);
    EXPECT_EQ(class_of(MPI_Allreduce(data, others, 1, MPI_INT, MPI_OP_NULL, world)), MPI_ERR_OP);
    EXPECT_EQ(class_of(MPI_Allreduce(data, data, 1, MPI_INT, MPI_SUM, world)), MPI_ERR_BUFFER);
    EXPECT_EQ(class_of(MPI_Scan(data, data, 1, MPI_INT, MPI_SUM, world)), MPI_ERR_BUFFER);
    EXPECT_EQ(
        class_of(MPI_Allgather(data + 2 * rank::current()->number(), 2, MPI_INT, data, 2, MPI_INT, world)),
        MPI_ERR_BUFFER);
    EXPECT_EQ(class_of(MPI_Alltoall(data, 1, MPI_INT, data, 1, MPI_INT, world)), MPI_ERR_BUFFER);
    EXPECT_EQ(class_of(MPI_Alltoallv(data, nullptr, counts, MPI_INT, others, counts, counts, MPI_INT, world)),
              MPI_ERR_ARG);
    EXPECT_EQ(class_of(MPI_Neighbor_allgather(data, 1, MPI_INT, others, 1, MPI_INT, world)),
              MPI_ERR_TOPOLOGY);
    // A refused call has sent nothing: the ranks are still in step.
    EXPECT_EQ(MPI_Barrier(world), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_size(world, &size), MPI_SUCCESS);
    // Rank 1 receives more data than its buffer holds.
    const int me = rank::current()->number();
    const int code = MPI_Bcast(data, me == 0 ? 4 : 3, MPI_INT, 0, world);
    EXPECT_EQ(class_of(code), me == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
  });
}

TEST_P(collectives, are_named_by_who_waits_for_them_in_vain) {
  ranks_fail(2,
             [] {
               if (rank::current()->number() == 1) MPI_Barrier(MPI_COMM_WORLD);
             },
             {"rank(1), entry run, on PE", "waits for MPI_Barrier in MPI_COMM_WORLD"});
}

namespace {

/// Rank 1 sends the value that triggers rank 0's operation while rank 0 waits, so another stack is running.
void reduce_with(MPI_User_function* function) {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(function, 1, &op);
  const int me = rank::current()->number();
  const int value = 1;
  int sum = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (me == 1) MPI_Recv(nullptr, 0, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Iallreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
  if (me == 0) MPI_Send(nullptr, 0, MPI_INT, 1, 3, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

TEST_P(collectives, call_operations_that_call_mpi_while_their_rank_waits) {
  run_ranks(2, [] {
    reduce_with([](void* in, void* sum, int*, MPI_Datatype* type) {
      int size = 0;
      EXPECT_EQ(MPI_Type_size(*type, &size), MPI_SUCCESS);
      EXPECT_EQ(size, 4);
      std::vector<int> large(20'000, *static_cast<int*>(in));  // needs a stack that is large enough
      *static_cast<int*>(sum) += large[19'999];
      int me = -1;
      EXPECT_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &me), MPI_SUCCESS);
      EXPECT_EQ(me, rank::current()->number());
    });
  });
}

TEST_P(collectives, end_the_run_where_their_operation_aborts) {
  ranks_fail(
      2,
      [] {
        reduce_with([](void*, void*, int*, MPI_Datatype*) {
          if (rank::current()->number() == 0) MPI_Abort(MPI_COMM_WORLD, 7);
        });
      },
      {"rank 0 called MPI_Abort on MPI_COMM_WORLD with the error code 7"}, 7);
}

TEST_P(collectives, end_the_run_where_their_operation_is_wrong) {
  ranks_fail(2,
             [] {
               MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
               reduce_with([](void*, void*, int*, MPI_Datatype*) {
                 if (rank::current()->number() == 0) MPI_Send(nullptr, 0, MPI_INT, 9, 0, MPI_COMM_WORLD);
               });
             },
             {"rank 0: MPI_Send in MPI_COMM_WORLD: the destination is rank 9"});
}

TEST_P(collectives, end_the_run_where_their_operation_throws) {
  ranks_fail(2,
             [] {
               reduce_with([](void*, void*, int*, MPI_Datatype*) {
                 if (rank::current()->number() == 0) throw std::runtime_error("no sum");
               });
             },
             {"rank 0, a function that MPI has called", "no sum"});
}

TEST_P(collectives, end_the_run_where_their_operation_waits) {
  ranks_fail(
      2,
      [] {
        reduce_with([](void*, void*, int*, MPI_Datatype*) {
          if (rank::current()->number() == 0)
            MPI_Recv(nullptr, 0, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        });
      },
      {"rank 0 waits for MPI_Recv from rank 1, tag 9 in MPI_COMM_WORLD in a function that MPI has called"});
}

}  // namespace imbrex::mpi
