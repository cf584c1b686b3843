// SPDX-License-Identifier: Apache-2.0
// Queries about MPI and the machine, and errors of functions that are not implemented.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <imbrex/mpi/mpi_ranks.test.hpp>

namespace imbrex::mpi {

using environment = on_mpi_ranks;
INSTANTIATE_TEST_SUITE_P(on, environment, ::testing::ValuesIn(machines()), name_of_machine);

TEST_P(environment, is_told_by_an_info) {
  run_ranks(2, [] {
    const auto value_of = [](const char* key) {
      char value[MPI_MAX_INFO_VAL + 1] = "";
      int flag = 0;
      EXPECT_EQ(MPI_Info_get(MPI_INFO_ENV, key, MPI_MAX_INFO_VAL, value, &flag), MPI_SUCCESS);
      return std::string(flag != 0 ? value : "none");
    };
    EXPECT_EQ(value_of("maxprocs"), "2");
    EXPECT_EQ(value_of("thread_level"), "MPI_THREAD_FUNNELED");
    EXPECT_NE(value_of("command").find("mpi.test"), std::string::npos);
    EXPECT_NE(value_of("wdir"), "none");
    EXPECT_NE(value_of("host"), "none");
    EXPECT_NE(value_of("arch"), "none");
    EXPECT_EQ(value_of("soft"), "none");
    EXPECT_EQ(error_class(MPI_Info_set(MPI_INFO_ENV, "soft", "1")), MPI_ERR_INFO);
    EXPECT_EQ(error_class(MPI_Info_delete(MPI_INFO_ENV, "command")), MPI_ERR_INFO);
    MPI_Info copy;
    EXPECT_EQ(MPI_Info_dup(MPI_INFO_ENV, &copy), MPI_SUCCESS);
    EXPECT_EQ(MPI_Info_set(copy, "soft", "1"), MPI_SUCCESS);
    EXPECT_EQ(MPI_Info_free(&copy), MPI_SUCCESS);
    MPI_Info env = MPI_INFO_ENV;
    EXPECT_EQ(error_class(MPI_Info_free(&env)), MPI_ERR_INFO);
  });
}

TEST_P(environment, has_memory_and_a_version) {
  run_ranks(1, [] {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    EXPECT_EQ(MPI_Get_library_version(text, &length), MPI_SUCCESS);
    EXPECT_EQ(std::strlen(text), static_cast<std::size_t>(length));
    EXPECT_EQ(std::string(text).rfind("Imbrex ", 0), 0U);
    char* memory = nullptr;
    EXPECT_EQ(MPI_Alloc_mem(1000, MPI_INFO_NULL, &memory), MPI_SUCCESS);
    std::memset(memory, 1, 1000);
    EXPECT_EQ(MPI_Free_mem(memory), MPI_SUCCESS);
    EXPECT_EQ(error_class(MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory)), MPI_ERR_ARG);
    EXPECT_EQ(error_class(MPI_Alloc_mem(MPI_Aint{1} << 60, MPI_INFO_NULL, &memory)), MPI_ERR_NO_MEM);
    EXPECT_EQ(MPI_Pcontrol(1), MPI_SUCCESS);
    EXPECT_EQ(MPIX_Query_cuda_support(), 0);
    EXPECT_EQ(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)), MPI_FILE_NULL);
  });
}

/// Threads that the program has started belong to no rank.
TEST_P(environment, tells_other_threads_what_they_may_ask) {
  run_ranks(1, [] {
    const double before = MPI_Wtime();
    std::thread other([] {
      int flag = 1;
      EXPECT_EQ(MPI_Is_thread_main(&flag), MPI_SUCCESS);
      EXPECT_EQ(flag, 0);
      EXPECT_EQ(MPI_Initialized(&flag), MPI_SUCCESS);
      EXPECT_EQ(MPI_Finalized(&flag), MPI_SUCCESS);
      EXPECT_EQ(flag, 0);
      EXPECT_GT(MPI_Wtime(), 0);
      EXPECT_EQ(MPI_Wtick(), 1e-9);
      int version = 0;
      EXPECT_EQ(MPI_Get_version(&version, &flag), MPI_SUCCESS);
      EXPECT_EQ(version, 3);
    });
    other.join();
    int flag = 0;
    EXPECT_EQ(MPI_Is_thread_main(&flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 1);
    EXPECT_GE(MPI_Wtime(), before);
  });
}

TEST_P(environment, lets_programs_wait_for_a_moment) {
  run_ranks(2, [] {
    const double begin = MPI_Wtime();
    double before = begin;
    while (before < begin + 1e-3) {
      const double now = MPI_Wtime();
      ASSERT_GE(now, before);
      before = now;
    }
  });
}

TEST_P(environment, has_a_text_for_each_error) {
  run_ranks(1, [] {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    for (int code = -1; code <= 2 * MPI_ERR_ERRHANDLER; ++code) {
      ASSERT_EQ(MPI_Error_string(code, text, &length), MPI_SUCCESS) << code;
      EXPECT_GT(length, 0) << code;
      EXPECT_EQ(std::strlen(text), static_cast<std::size_t>(length)) << code;
      const bool is_class = std::strncmp(text, "unknown error code ", 19) != 0;
      EXPECT_EQ(error_class(code), is_class ? code : MPI_ERR_UNKNOWN) << code;
      // Two numbers below the last class are no class.
      EXPECT_EQ(is_class, code >= 0 && code <= MPI_ERR_ERRHANDLER && code != 54 && code != 79) << code;
    }
    EXPECT_EQ(MPI_Error_string(54, text, &length), MPI_SUCCESS);
    EXPECT_STREQ(text, "unknown error code 54");
  });
}

/// Counts have 64 bits.
TEST_P(environment, sends_large_counts) {
  run_ranks(2, [] {
    const int other = 1 - rank::current()->number();
    const MPI_Comm world = MPI_COMM_WORLD;
    std::vector<char> memory(4096);
    EXPECT_EQ(MPI_Buffer_attach_c(memory.data(), MPI_Count{4096}), MPI_SUCCESS);
    const int out[] = {1, 2, 3, 4, 5, 6, 7, 8};
    int in[8] = {};
    MPI_Request requests[8];
    constexpr MPI_Count one = 1;
    for (int i = 0; i < 4; ++i) MPI_Irecv_c(&in[i], one, MPI_INT, other, i, world, &requests[i]);
    MPI_Recv_init_c(&in[4], one, MPI_INT, other, 4, world, &requests[4]);
    MPI_Start(&requests[4]);
    MPI_Barrier(world);
    MPI_Isend_c(&out[0], one, MPI_INT, other, 0, world, &requests[5]);
    MPI_Issend_c(&out[1], one, MPI_INT, other, 1, world, &requests[6]);
    MPI_Irsend_c(&out[2], one, MPI_INT, other, 2, world, &requests[7]);
    EXPECT_EQ(MPI_Bsend_c(&out[3], one, MPI_INT, other, 3, world), MPI_SUCCESS);
    MPI_Request persistent;
    MPI_Ssend_init_c(&out[4], one, MPI_INT, other, 4, world, &persistent);
    MPI_Start(&persistent);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    MPI_Request_free(&persistent);
    MPI_Request_free(&requests[4]);
    EXPECT_EQ(MPI_Sendrecv_c(&out[5], one, MPI_INT, other, 5, &in[5], one, MPI_INT, other, 5, world,
                             MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    in[6] = 7;
    EXPECT_EQ(MPI_Sendrecv_replace_c(&in[6], one, MPI_INT, other, 6, other, 6, world, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Send_c(&out[7], one, MPI_INT, other, 7, world), MPI_SUCCESS);
    MPI_Message message;
    MPI_Mprobe(other, 7, world, &message, MPI_STATUS_IGNORE);
    EXPECT_EQ(MPI_Mrecv_c(&in[7], one, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(in[i], out[i]) << i;
    char* detached = nullptr;
    MPI_Count size = 0;
    EXPECT_EQ(MPI_Buffer_detach_c(&detached, &size), MPI_SUCCESS);
    EXPECT_EQ(detached, memory.data());
    EXPECT_EQ(size, 4096);
  });
}

TEST_P(environment, says_by_name_what_is_not_there) {
  run_ranks(1, [] {
    char port[MPI_MAX_PORT_NAME];
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    const int code = MPI_Open_port(MPI_INFO_NULL, port);
    EXPECT_EQ(error_class(code), MPI_ERR_UNSUPPORTED_OPERATION);
    EXPECT_EQ(MPI_Error_string(code, text, &length), MPI_SUCCESS);
    EXPECT_NE(std::string(text).find("not there"), std::string::npos);
  });
  ranks_fail(2,
             [] {
               MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
               MPI_Comm children;
               if (rank::current()->number() == 1)
                 MPI_Comm_spawn("x", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children,
                                MPI_ERRCODES_IGNORE);
             },
             {"rank 1: MPI_Comm_spawn in MPI_COMM_WORLD: the function is not there in this MPI; start all "
              "ranks together by `--ranks`"});
}

}  // namespace imbrex::mpi
