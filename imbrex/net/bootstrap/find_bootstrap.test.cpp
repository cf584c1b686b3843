// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/testing/error_of.hpp>

namespace {

using imbrex::testing::error_of;

/// Each test is a process of its own under ctest. If all run in one process, the next must find a clean
/// environment.
class find_bootstrap : public testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }

  static void clear() {
    for (const char* name : {"IMBREX_RANK",
                             "IMBREX_SIZE",
                             "IMBREX_BOOTSTRAP_FD",
                             "IMBREX_LAUNCHER_FD",
                             "IMBREX_BOOTSTRAP",
                             "IMBREX_MPI_BOOTSTRAP",
                             "IMBREX_PATIENCE",
                             "PMIX_NAMESPACE",
                             "PMIX_RANK",
                             "OMPI_COMM_WORLD_SIZE",
                             "PMI_SIZE",
                             "MV2_COMM_WORLD_SIZE",
                             "RANK",
                             "WORLD_SIZE",
                             "MASTER_ADDR",
                             "MASTER_PORT",
                             "LOCAL_WORLD_SIZE",
                             "IMBREX_SECRET_FILE",
                             "SLURM_JOB_ID",
                             "SLURM_STEP_ID",
                             "SLURM_PROCID",
                             "SLURM_STEP_NUM_TASKS",
                             "SLURM_STEP_NUM_NODES",
                             "SLURM_STEP_NODELIST"})
      ::unsetenv(name);
  }

  static void set(const char* name, const char* value) { ::setenv(name, value, 1); }

  /// The text of the exception; empty if there is none.
  template <class Exception>
  static std::string complaint() {
    return error_of<Exception>([&] { imbrex::find_bootstrap(); });
  }
};

TEST_F(find_bootstrap, gives_none_to_a_process_started_by_itself) {
  EXPECT_EQ(imbrex::find_bootstrap(), nullptr);
}

TEST_F(find_bootstrap, names_the_variable_that_cannot_be) {
  set("IMBREX_RANK", "two");
  EXPECT_NE(complaint<imbrex::usage_error>().find("IMBREX_RANK=two"), std::string::npos);
  set("IMBREX_RANK", "2");
  EXPECT_NE(complaint<imbrex::usage_error>().find("IMBREX_SIZE"), std::string::npos);
  set("IMBREX_SIZE", "2");
  EXPECT_NE(complaint<imbrex::usage_error>().find("IMBREX_SIZE=2"), std::string::npos);
}

TEST_F(find_bootstrap, says_that_the_descriptors_were_closed) {
  set("IMBREX_RANK", "0");
  set("IMBREX_SIZE", "2");
  set("IMBREX_BOOTSTRAP_FD", "1000000");
  set("IMBREX_LAUNCHER_FD", "1000001");
  EXPECT_NE(complaint<imbrex::error>().find("has closed the inherited descriptors"), std::string::npos);
  set("IMBREX_BOOTSTRAP", "none");
  EXPECT_EQ(imbrex::find_bootstrap(), nullptr);
}

TEST_F(find_bootstrap, suggests_the_kind_that_was_meant) {
  set("IMBREX_BOOTSTRAP", "pimx");
  EXPECT_NE(complaint<imbrex::usage_error>().find("did you mean pmix?"), std::string::npos);
}

TEST_F(find_bootstrap, wants_the_launcher_that_was_chosen) {
  set("IMBREX_BOOTSTRAP", "imbrex");
  EXPECT_NE(complaint<imbrex::error>().find("imbrex run -n N PROGRAM"), std::string::npos);
}

TEST_F(find_bootstrap, names_what_helps_under_slurm_with_pmi2) {
  set("PMI_SIZE", "2");
  set("SLURM_STEP_ID", "0");
  set("IMBREX_MPI_BOOTSTRAP", "/nonexistent/module.so");
  const std::string text = complaint<imbrex::error>();
  EXPECT_NE(text.find("srun --mpi=pmix"), std::string::npos) << text;
  EXPECT_NE(text.find("srun --mpi=none"), std::string::npos) << text;
}

TEST_F(find_bootstrap, does_not_run_numbered_processes_apart) {
  for (const auto& [name, value] :
       {std::pair("RANK", "1"), {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "29500"}})
    set(name, value);
  set("IMBREX_PATIENCE", "0.1");
  const std::string text = complaint<imbrex::error>();
  EXPECT_NE(text.find("process 0 was not there"), std::string::npos) << text;
  EXPECT_NE(text.find("IMBREX_BOOTSTRAP=none"), std::string::npos) << text;
  set("LOCAL_WORLD_SIZE", "1");
  set("RANK", "0");
  EXPECT_NE(complaint<imbrex::usage_error>().find("IMBREX_SECRET_FILE=FILE"), std::string::npos);
}

TEST_F(find_bootstrap, does_not_run_the_processes_of_a_foreign_launcher_apart) {
  set("OMPI_COMM_WORLD_SIZE", "2");
  set("IMBREX_MPI_BOOTSTRAP", "/nonexistent/module.so");
  const std::string text = complaint<imbrex::error>();
  EXPECT_NE(text.find("/nonexistent/module.so"), std::string::npos) << text;
  EXPECT_NE(text.find("IMBREX_BOOTSTRAP=none"), std::string::npos) << text;
}

}  // namespace
