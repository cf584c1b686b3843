// SPDX-License-Identifier: Apache-2.0
// Programs of MPI that send and receive, as functions of this program.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>
#include <vector>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/rank/ranks.test.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

class point_to_point : public on_ranks {
 protected:
  program program_of_test() override {
    program what;
    what.make_state = [](rank& of) { return std::make_unique<rank_data>(of); };
    return what;
  }
};
INSTANTIATE_TEST_SUITE_P(on, point_to_point, ::testing::ValuesIn(machines()), name_of_machine);

namespace {

struct place {
  int rank = -1;
  int size = -1;
};
place begin() {
  MPI_Init(nullptr, nullptr);
  place here;
  MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &here.size);
  return here;
}

}  // namespace

TEST_P(point_to_point, sends_in_all_modes_and_receives_what_was_sent) {
  run_ranks(3, [] {
    const auto [me, n] = begin();
    std::vector<char> attached_buffer(200'000);
    MPI_Buffer_attach(attached_buffer.data(), static_cast<int>(attached_buffer.size()));
    const int right = (me + 1) % n;
    const int left = (me + n - 1) % n;
    for (const int count : {0, 1, 700, 9001}) {
      std::vector<double> out(static_cast<std::size_t>(count));
      std::iota(out.begin(), out.end(), 100.0 * me);
      std::vector<double> expected(out.size());
      std::iota(expected.begin(), expected.end(), 100.0 * left);
      using begin_send = int(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
      int tag = 0;
      for (begin_send* const send : {&MPI_Isend, &MPI_Issend, &MPI_Irsend, &MPI_Ibsend}) {
        std::vector<double> in(out.size() + 1);
        MPI_Request both[2];
        MPI_Irecv(in.data(), count + 1, MPI_DOUBLE, left, tag, MPI_COMM_WORLD, &both[0]);
        send(out.data(), count, MPI_DOUBLE, right, tag, MPI_COMM_WORLD, &both[1]);
        MPI_Status statuses[2];
        EXPECT_EQ(MPI_Waitall(2, both, statuses), MPI_SUCCESS);
        int got = -1;
        MPI_Get_count(&statuses[0], MPI_DOUBLE, &got);
        EXPECT_EQ(got, count);
        EXPECT_EQ(statuses[0].MPI_SOURCE, left);
        EXPECT_EQ(statuses[0].MPI_TAG, tag);
        in.resize(out.size());
        EXPECT_EQ(in, expected);
        EXPECT_EQ(both[0], MPI_REQUEST_NULL);
        ++tag;
      }
    }
    void* address = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&address, &bytes);
    EXPECT_EQ(address, attached_buffer.data());
    EXPECT_EQ(bytes, 200'000);
    MPI_Finalize();
  });
}

// Packets between processes have short heads while all numbers fit into sixteen bits, and long ones.
TEST_P(point_to_point, keeps_tags_and_sizes_on_both_sides_of_sixteen_bits) {
  run_ranks(2, [] {
    const int me = begin().rank;
    for (const int tag : {0, 1, 0x7fff, 0x8000, 0xffff, 0x10000, 0x3fffffff})
      for (const int size : {0, 1, 8, 0xffff, 0x10000}) {
        std::vector<unsigned char> out(static_cast<std::size_t>(size)), in(out.size() + 1);
        for (std::size_t i = 0; i < out.size(); ++i)
          out[i] = static_cast<unsigned char>(i * 31 + static_cast<std::size_t>(tag) + 7);
        if (me == 0) {
          MPI_Send(out.data(), size, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
          continue;
        }
        MPI_Status status;
        EXPECT_EQ(MPI_Recv(in.data(), size + 1, MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status),
                  MPI_SUCCESS);
        int got = -1;
        MPI_Get_count(&status, MPI_BYTE, &got);
        EXPECT_EQ(got, size);
        EXPECT_EQ(status.MPI_SOURCE, 0);
        EXPECT_EQ(status.MPI_TAG, tag);
        in.resize(out.size());
        EXPECT_EQ(in, out);
      }
    MPI_Finalize();
  });
}

TEST_P(point_to_point, passes_a_column_of_a_matrix_by_its_type) {
  run_ranks(2, [] {
    const int me = begin().rank;
    constexpr int rows = 37;
    constexpr int columns = 11;
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(rows, 1, columns, MPI_INT, &column);
    MPI_Type_commit(&column);
    std::vector<int> matrix(rows * columns, -1);
    if (me == 0) {
      std::iota(matrix.begin(), matrix.end(), 0);
      MPI_Send(&matrix[4], 1, column, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Status status;
      MPI_Recv(&matrix[2], 1, column, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c)
          ASSERT_EQ(matrix[static_cast<std::size_t>(r * columns + c)], c == 2 ? r * columns + 4 : -1);
    }
    MPI_Type_free(&column);
    MPI_Finalize();
  });
}

TEST_P(point_to_point, finds_messages_and_polls_for_them) {
  run_ranks(2, [] {
    const int me = begin().rank;
    int value = me + 40;
    if (me == 0) {
      MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
      MPI_Send(&value, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
      MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(value, 42);
    } else {
      MPI_Message found = MPI_MESSAGE_NULL;
      MPI_Status status;
      MPI_Mprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &found, &status);
      EXPECT_EQ(status.MPI_SOURCE, 0);
      MPI_Mrecv(&value, 1, MPI_INT, &found, &status);
      EXPECT_EQ(value, 40);
      int flag = 0;
      while (flag == 0) MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
      EXPECT_EQ(status.MPI_TAG, 5);
      MPI_Request q = MPI_REQUEST_NULL;
      MPI_Irecv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &q);
      for (flag = 0; flag == 0;) MPI_Test(&q, &flag, &status);
      value = 42;
      MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    }
    MPI_Finalize();
  });
}

TEST_P(point_to_point, begins_persistent_requests_again) {
  run_ranks(2, [] {
    const int me = begin().rank;
    int out = 0;
    int in = -1;
    MPI_Request both[2];
    MPI_Recv_init(&in, 1, MPI_INT, 1 - me, 3, MPI_COMM_WORLD, &both[0]);
    MPI_Send_init(&out, 1, MPI_INT, 1 - me, 3, MPI_COMM_WORLD, &both[1]);
    for (int i = 0; i < 9; ++i) {
      out = 10 * i + me;
      MPI_Startall(2, both);
      MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
      ASSERT_EQ(in, 10 * i + 1 - me);
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
    int value = me;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - me, 8, 1 - me, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(value, 1 - me);
    MPI_Finalize();
  });
}

TEST_P(point_to_point, delivers_what_requests_that_were_freed_have_begun) {
  run_ranks(3, [] {
    const auto [me, n] = begin();
    std::vector<double> data(40'000, 1.5 * me);
    if (me != 0) {
      std::vector<MPI_Request> all(4, MPI_REQUEST_NULL);
      MPI_Datatype pairs = MPI_DATATYPE_NULL;
      MPI_Type_vector(5'000, 2, 8, MPI_DOUBLE, &pairs);
      MPI_Type_commit(&pairs);
      MPI_Isend(data.data(), 40'000, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &all[0]);
      MPI_Issend(data.data(), 30'000, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &all[1]);
      MPI_Isend(data.data(), 1, pairs, 0, 3, MPI_COMM_WORLD, &all[2]);
      MPI_Type_free(&pairs);
      MPI_Send_init(data.data(), 20'000, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, &all[3]);
      MPI_Start(&all[3]);
      for (MPI_Request& each : all) MPI_Request_free(&each);
    } else {
      for (const int count : {20'000, 10'000, 30'000, 40'000})  // in reverse order
        for (int from = 1; from < n; ++from) {
          const int tag = count == 20'000 ? 4 : count == 10'000 ? 3 : count == 30'000 ? 2 : 1;
          MPI_Recv(data.data(), count, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          const auto end = data.begin() + count;
          EXPECT_EQ(std::count(data.begin(), end, 1.5 * from), count) << tag;
        }
    }
    MPI_Finalize();
  });
}

/// Other ranks progress while a rank's repeated polls all succeed at once.
TEST_P(point_to_point, lets_others_go_on_while_it_finds_what_it_asks_for) {
  run_ranks(2, [] {
    const int me = begin().rank;
    int flag = 0;
    if (me == 0) {
      MPI_Send(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
      MPI_Send(nullptr, 0, MPI_INT, 1, 2, MPI_COMM_WORLD);
      MPI_Request there = MPI_REQUEST_NULL;
      MPI_Irecv(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, &there);
      MPI_Send(nullptr, 0, MPI_INT, 0, 4, MPI_COMM_WORLD);
      MPI_Request last = MPI_REQUEST_NULL;
      MPI_Irecv(nullptr, 0, MPI_INT, 1, 3, MPI_COMM_WORLD, &last);
      const user_request& q = rank_data::here().requests.at(last);
      while (!q.is_done()) {  // does not poll MPI itself
        MPI_Request_get_status(there, &flag, MPI_STATUS_IGNORE);
        MPI_Iprobe(0, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      }
      MPI_Wait(&last, MPI_STATUS_IGNORE);
      MPI_Wait(&there, MPI_STATUS_IGNORE);
      MPI_Recv(nullptr, 0, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(nullptr, 0, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(nullptr, 0, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    MPI_Finalize();
  });
}

TEST_P(point_to_point, tells_errors_of_found_messages_to_their_communicator) {
  run_ranks(2, [] {
    const int me = begin().rank;
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    const int out[] = {1, 2, 3};
    int in[] = {0, 0, 0};
    for (int tag = 0; tag < 3; ++tag) {
      if (me == 0) {
        MPI_Send(out, 3, MPI_INT, 1, tag, own);
        continue;
      }
      MPI_Message found = MPI_MESSAGE_NULL;
      MPI_Mprobe(0, tag, own, &found, MPI_STATUS_IGNORE);
      if (tag == 0) {
        EXPECT_EQ(MPI_Mrecv(in, 2, MPI_INT, &found, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
      } else if (tag == 1) {
        MPI_Request request = MPI_REQUEST_NULL;
        EXPECT_EQ(MPI_Imrecv(in, 2, MPI_INT, &found, &request), MPI_SUCCESS);
        EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
      } else {
        EXPECT_EQ(MPI_Mrecv(in, -2, MPI_INT, &found, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Mrecv(in, 3, MPI_INT, &found, MPI_STATUS_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(in[2], 3);
      }
    }
    MPI_Comm_free(&own);
    MPI_Finalize();
  });
}

TEST_P(point_to_point, refuses_wrong_arguments_in_words) {
  ranks_fail(2,
             [] {
               const int me = begin().rank;
               MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
               int value = 0;
               EXPECT_EQ(MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
               EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
               EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD), MPI_ERR_TAG);
               EXPECT_EQ(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
               EXPECT_EQ(MPI_Waitall(3, nullptr, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
               EXPECT_EQ(MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE), MPI_SUCCESS);
               EXPECT_EQ(MPI_Startall(1, nullptr), MPI_ERR_ARG);
               MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
               if (me == 1) MPI_Send(&value, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);
             },
             {"MPI_Send", "the destination is rank 7, and MPI_COMM_WORLD has ranks 0 to 1"});
}

TEST_P(point_to_point, returns_what_functions_of_generalised_requests_return) {
  run_ranks(2, [] {
    begin();
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    struct codes {
      int query, release, cancel;
      int released = 0;
    };
    const auto query = [](void* state, MPI_Status* status) {
      MPI_Status_set_elements(status, MPI_INT, 3);
      MPI_Status_set_cancelled(status, 0);
      status->MPI_TAG = 17;
      return static_cast<codes*>(state)->query;
    };
    const auto release = [](void* state) {
      ++static_cast<codes*>(state)->released;
      return static_cast<codes*>(state)->release;
    };
    const auto cancel = [](void* state, int /*is_complete*/) { return static_cast<codes*>(state)->cancel; };
    for (const auto& [callback_codes, expected_code] :
         {std::pair<codes, int>{{MPI_SUCCESS, MPI_SUCCESS, MPI_SUCCESS}, MPI_SUCCESS},
          {{MPI_ERR_BUFFER, MPI_SUCCESS, MPI_SUCCESS}, MPI_ERR_BUFFER},
          {{MPI_SUCCESS, MPI_ERR_OTHER, MPI_SUCCESS}, MPI_ERR_OTHER},
          {{MPI_ERR_BUFFER, MPI_ERR_OTHER, MPI_ERR_NAME}, MPI_ERR_OTHER}}) {
      codes its = callback_codes;
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Grequest_start(query, release, cancel, &its, &request);
      EXPECT_EQ(MPI_Cancel(&request), its.cancel);
      MPI_Grequest_complete(request);
      EXPECT_EQ(its.released, 0);
      MPI_Status status;
      EXPECT_EQ(MPI_Wait(&request, &status), expected_code);
      EXPECT_EQ(status.MPI_TAG, 17);
      EXPECT_EQ(request, MPI_REQUEST_NULL);
      EXPECT_EQ(its.released, 1);
    }
    codes freed{MPI_SUCCESS, MPI_SUCCESS, MPI_SUCCESS};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Grequest_start(query, release, cancel, &freed, &request);
    MPI_Grequest_complete(request);
    MPI_Request_free(&request);
    EXPECT_EQ(freed.released, 1);
    MPI_Finalize();
  });
}

TEST_P(point_to_point, tells_other_threads_whether_it_has_begun_and_ended) {
  run_ranks(1, [] {
    const auto state = [] {
      int begun = -1;
      int ended = -1;
      std::thread([&] {
        MPI_Initialized(&begun);
        MPI_Finalized(&ended);
      }).join();
      return 10 * begun + ended;
    };
    EXPECT_EQ(state(), 0);
    begin();
    EXPECT_EQ(state(), 10);
    MPI_Finalize();
    EXPECT_EQ(state(), 11);
  });
}

TEST_P(point_to_point, names_who_waits_for_what_for_ever) {
  ranks_fail(
      2,
      [] {
        const int me = begin().rank;
        int value = 0;
        if (me == 1) MPI_Recv(&value, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      },
      {"deadlock", "rank(1), entry run, on PE ", "waits for MPI_Recv from rank 0, tag 99 in MPI_COMM_WORLD"});
}

TEST_P(point_to_point, ends_the_run_by_abort) {
  ranks_fail(
      3,
      [] {
        if (begin().rank == 2) MPI_Abort(MPI_COMM_WORLD, 5);
      },
      {"rank 2 called MPI_Abort on MPI_COMM_WORLD with the error code 5"}, 5);
}

}  // namespace imbrex::mpi
