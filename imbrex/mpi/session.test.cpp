// SPDX-License-Identifier: Apache-2.0
// Sessions, and the interface for tools, of ranks that are functions of this program.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/mpi_ranks.test.hpp>
#include <imbrex/mpi/rank/ranks.test.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

class sessions : public on_ranks {
 protected:
  program program_of_test() override {
    program what;
    what.make_state = [](rank& of) { return std::make_unique<rank_data>(of); };
    return what;
  }
};
INSTANTIATE_TEST_SUITE_P(on, sessions, ::testing::ValuesIn(machines()), name_of_machine);

namespace {

MPI_Comm communicator_of(MPI_Session of, const char* set, const char* tag) {
  MPI_Group members = MPI_GROUP_NULL;
  EXPECT_EQ(MPI_Group_from_session_pset(of, set, &members), MPI_SUCCESS);
  MPI_Comm result = MPI_COMM_NULL;
  EXPECT_EQ(MPI_Comm_create_from_group(members, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &result), MPI_SUCCESS);
  MPI_Group_free(&members);
  return result;
}

int sum_of_ranks(MPI_Comm in) {
  int rank = -1, sum = -1;
  MPI_Comm_rank(in, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, in);
  return sum;
}

int flag_of(int (*function)(int*)) {
  int flag = -1;
  function(&flag);
  return flag;
}

}  // namespace

// Sessions begin and end one after the other, in each other, and before, during and after MPI_Init.
TEST_P(sessions, communicate_with_and_without_the_world) {
  run_ranks(3, [] {
    for (int round = 0; round < 2; ++round) {
      MPI_Session first = MPI_SESSION_NULL, second = MPI_SESSION_NULL;
      ASSERT_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &first), MPI_SUCCESS);
      ASSERT_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &second), MPI_SUCCESS);
      EXPECT_EQ(flag_of(&MPI_Initialized), 0);
      MPI_Comm all = communicator_of(first, "mpi://WORLD", "all"),
               own = communicator_of(second, "mpi://self", "own");
      EXPECT_EQ(MPI_Session_finalize(&first), MPI_SUCCESS);
      EXPECT_EQ(first, MPI_SESSION_NULL);
      EXPECT_EQ(sum_of_ranks(all), 3);
      EXPECT_EQ(sum_of_ranks(own), 0);
      MPI_Comm_free(&all);
      MPI_Comm_free(&own);
      EXPECT_EQ(MPI_Session_finalize(&second), MPI_SUCCESS);
    }
    MPI_Session last = MPI_SESSION_NULL;
    MPI_Init(nullptr, nullptr);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &last);
    MPI_Comm all = communicator_of(last, "mpi://world", "all");
    EXPECT_EQ(sum_of_ranks(MPI_COMM_WORLD), 3);
    MPI_Finalize();
    EXPECT_EQ(flag_of(&MPI_Finalized), 1);
    EXPECT_EQ(sum_of_ranks(all), 3);
    MPI_Comm_free(&all);
    MPI_Session_finalize(&last);
  });
}

TEST_P(sessions, tell_of_their_process_sets) {
  run_ranks(2, [] {
    MPI_Session in = MPI_SESSION_NULL;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &in);
    int sets = 0;
    MPI_Session_get_num_psets(in, MPI_INFO_NULL, &sets);
    ASSERT_EQ(sets, 2);
    for (int i = 0; i < sets; ++i) {
      int length = 0;
      EXPECT_EQ(MPI_Session_get_nth_pset(in, MPI_INFO_NULL, i, &length, nullptr), MPI_SUCCESS);
      std::string name(static_cast<std::size_t>(length), 'x');
      MPI_Session_get_nth_pset(in, MPI_INFO_NULL, i, &length, name.data());
      EXPECT_STREQ(name.c_str(), i == 0 ? "mpi://WORLD" : "mpi://SELF");
      char begin[4];
      int room = 4;
      MPI_Session_get_nth_pset(in, MPI_INFO_NULL, i, &room, begin);
      EXPECT_STREQ(begin, "mpi");
      EXPECT_EQ(room, length);
      MPI_Info info = MPI_INFO_NULL;
      MPI_Session_get_pset_info(in, name.c_str(), &info);
      char size[8] = "";
      int flag = 0;
      MPI_Info_get(info, "mpi_size", 7, size, &flag);
      EXPECT_STREQ(size, i == 0 ? "2" : "1");
      MPI_Info_free(&info);
    }
    int length = 0;
    EXPECT_EQ(error_class(MPI_Session_get_nth_pset(in, MPI_INFO_NULL, 2, &length, nullptr)), MPI_ERR_ARG);
    MPI_Group group = MPI_GROUP_NULL;
    EXPECT_EQ(error_class(MPI_Group_from_session_pset(in, "mpi://ELSE", &group)), MPI_ERR_ARG);
    EXPECT_EQ(group, MPI_GROUP_NULL);
    MPI_Session_finalize(&in);
  });
}

TEST_P(sessions, wrong_calls_are_errors) {
  run_ranks(1, [] {
    MPI_Info asks = MPI_INFO_NULL, info = MPI_INFO_NULL;
    MPI_Info_create(&asks);
    MPI_Info_set(asks, "thread_level", "MPI_THREAD_SINGLE");
    MPI_Session in = MPI_SESSION_NULL;
    MPI_Session_init(asks, MPI_ERRORS_RETURN, &in);
    MPI_Session_get_info(in, &info);
    char level[32] = "";
    int flag = 0;
    MPI_Info_get(info, "thread_level", 31, level, &flag);
    EXPECT_STREQ(level, "MPI_THREAD_SINGLE");
    MPI_Info_set(asks, "thread_level", "many");
    MPI_Session another = MPI_SESSION_NULL;
    EXPECT_EQ(error_class(MPI_Session_init(asks, MPI_ERRORS_RETURN, &another)), MPI_ERR_INFO_VALUE);
    EXPECT_EQ(another, MPI_SESSION_NULL);
    MPI_Comm result = MPI_COMM_NULL;
    EXPECT_EQ(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "none", MPI_INFO_NULL, MPI_ERRORS_RETURN, &result),
              MPI_SUCCESS);
    EXPECT_EQ(result, MPI_COMM_NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT_EQ(error_class(MPI_Finalize()), MPI_ERR_OTHER);
    MPI_Session copy = in;
    MPI_Session_finalize(&in);
    EXPECT_EQ(error_class(MPI_Session_finalize(&copy)), MPI_ERR_SESSION);
    int rank = 0;
    EXPECT_EQ(error_class(MPI_Comm_rank(MPI_COMM_WORLD, &rank)),
              MPI_ERR_OTHER);  // no session, and no MPI_Init
    MPI_Info_free(&asks);
    MPI_Info_free(&info);
  });
}

// ---- the interface for tools

using tools = on_mpi_ranks;
INSTANTIATE_TEST_SUITE_P(on, tools, ::testing::ValuesIn(machines()), name_of_machine);

TEST_P(tools, see_messages_that_wait) {
  run_ranks(2, [] {
    int level = -1, count = -1, index = -1;
    ASSERT_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &level), MPI_SUCCESS);
    EXPECT_EQ(MPI_T_cvar_get_num(&count), MPI_SUCCESS);
    EXPECT_EQ(count, 0);
    MPI_T_pvar_get_num(&count);
    ASSERT_EQ(MPI_T_pvar_get_index("unexpected_messages", MPI_T_PVAR_CLASS_LEVEL, &index), MPI_SUCCESS);
    EXPECT_LT(index, count);
    EXPECT_EQ(MPI_T_pvar_get_index("unexpected_messages", MPI_T_PVAR_CLASS_TIMER, &index),
              MPI_T_ERR_INVALID_NAME);
    char name[8];
    int length = 8, read_only = 0;
    MPI_T_pvar_get_info(index, name, &length, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                        &read_only, nullptr, nullptr);
    EXPECT_STREQ(name, "unexpec");
    EXPECT_EQ(length, 20);
    EXPECT_EQ(read_only, 1);
    MPI_T_pvar_session in = MPI_T_PVAR_SESSION_NULL;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    MPI_T_pvar_session_create(&in);
    ASSERT_EQ(MPI_T_pvar_handle_alloc(in, index, nullptr, &handle, &count), MPI_SUCCESS);
    EXPECT_EQ(count, 1);
    const int me = rank::current()->number();
    if (me == 0)
      for (int i = 0; i < 3; ++i) MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    unsigned long long found = 9;
    MPI_Status status;
    if (me == 1) MPI_Probe(0, 2, MPI_COMM_WORLD, &status);
    EXPECT_EQ(MPI_T_pvar_read(in, handle, &found), MPI_SUCCESS);
    EXPECT_EQ(found, me == 1 ? 3U : 0U);
    for (int i = 0, got = 0; me == 1 && i < 3; ++i) MPI_Recv(&got, 1, MPI_INT, 0, i, MPI_COMM_WORLD, &status);
    EXPECT_EQ(MPI_T_pvar_reset(in, handle), MPI_T_ERR_PVAR_NO_WRITE);
    EXPECT_EQ(MPI_T_pvar_start(in, handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
    EXPECT_EQ(MPI_T_pvar_start(in, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    MPI_T_pvar_handle copy = handle;
    EXPECT_EQ(MPI_T_pvar_handle_free(in, &handle), MPI_SUCCESS);
    EXPECT_EQ(MPI_T_pvar_read(in, copy, &found), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_pvar_session_free(&in), MPI_SUCCESS);
    MPI_T_finalize();
  });
}

}  // namespace imbrex::mpi
