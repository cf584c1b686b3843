// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/bootstrap/internal/numbered_job.hpp>

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>

namespace imbrex {
namespace {

class numbered_jobs : public ::testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    for (const char* name :
         {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "LOCAL_WORLD_SIZE", "TORCHELASTIC_RUN_ID",
          "TORCHELASTIC_RESTART_COUNT", "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_PROCID",
          "SLURM_STEP_NUM_TASKS", "SLURM_STEP_NUM_NODES", "SLURM_STEP_NODELIST", "IMBREX_SECRET_FILE"})
      ::unsetenv(name);
  }
  static void set(const char* name, const char* value) { ::setenv(name, value, 1); }
  static void set_torchrun() {
    set("RANK", "3");
    set("WORLD_SIZE", "4");
    set("MASTER_ADDR", "node7");
    set("MASTER_PORT", "29500");
  }
  static void set_slurm() {
    set("SLURM_JOB_ID", "77");
    set("SLURM_STEP_ID", "0");
    set("SLURM_PROCID", "1");
    set("SLURM_STEP_NUM_TASKS", "2");
    set("SLURM_STEP_NODELIST", "n[3-4]");
  }
};

TEST_F(numbered_jobs, are_none_where_nobody_numbers) {
  EXPECT_FALSE(find_numbered_job());
  set("RANK", "0");
  set("WORLD_SIZE", "2");
  EXPECT_FALSE(find_numbered_job());
}

TEST_F(numbered_jobs, are_of_torchrun) {
  set_torchrun();
  auto job = find_numbered_job();
  ASSERT_TRUE(job);
  EXPECT_EQ(job->rank, 3);
  EXPECT_EQ(job->size, 4);
  EXPECT_EQ(job->address, "node7");
  EXPECT_EQ(job->port, 29500);
  EXPECT_FALSE(job->is_on_one_host);  // no variable shows that
  set("LOCAL_WORLD_SIZE", "4");
  EXPECT_TRUE(find_numbered_job()->is_on_one_host);
  set("LOCAL_WORLD_SIZE", "2");
  EXPECT_FALSE(find_numbered_job()->is_on_one_host);
  set("TORCHELASTIC_RESTART_COUNT", "1");
  EXPECT_NE(find_numbered_job()->identity, job->identity);
  set("WORLD_SIZE", "3");
  EXPECT_THROW(find_numbered_job(), usage_error);
}

TEST_F(numbered_jobs, are_steps_of_slurm) {
  set_slurm();
  const auto job = find_numbered_job();
  ASSERT_TRUE(job);
  EXPECT_EQ(job->rank, 1);
  EXPECT_EQ(job->size, 2);
  EXPECT_EQ(job->address, "n3");
  EXPECT_TRUE(job->is_on_one_host);
  set("SLURM_STEP_NUM_NODES", "2");
  EXPECT_FALSE(find_numbered_job()->is_on_one_host);
  set("SLURM_STEP_ID", "1");
  EXPECT_NE(find_numbered_job()->identity, job->identity);
  ::unsetenv("SLURM_STEP_ID");  // as in a script
  EXPECT_FALSE(find_numbered_job());
}

TEST_F(numbered_jobs, of_one_process_are_none) {
  set_slurm();
  set("SLURM_PROCID", "0");
  set("SLURM_STEP_NUM_TASKS", "1");
  EXPECT_FALSE(find_numbered_job());
}

TEST(lists_of_hosts, begin_with_the_first) {
  EXPECT_EQ(first_host_of("node1"), "node1");
  EXPECT_EQ(first_host_of("node1,node2"), "node1");
  EXPECT_EQ(first_host_of("n[007-12,20],login"), "n007");
  EXPECT_EQ(first_host_of("n[3,5]"), "n3");
  EXPECT_EQ(first_host_of(""), "");
}

TEST_F(numbered_jobs, take_a_secret_that_nobody_else_reads) {
  EXPECT_FALSE(read_secret_file());
  const test::temporary_file file("0123456789abcdef and more");
  ::setenv("IMBREX_SECRET_FILE", file.name().c_str(), 1);
  ::chmod(file.name().c_str(), 0600);
  EXPECT_EQ(read_secret_file(), "0123456789abcdef and more");
  for (const mode_t mode : {0640U, 0604U, 0620U}) {
    ::chmod(file.name().c_str(), mode);
    EXPECT_THROW(read_secret_file(), usage_error);
  }
  ::chmod(file.name().c_str(), 0600);
  std::ofstream(file.name()) << "short";
  EXPECT_THROW(read_secret_file(), usage_error);
  std::ofstream(file.name()) << std::string(5000, 'x');
  EXPECT_THROW(read_secret_file(), usage_error);
  ::setenv("IMBREX_SECRET_FILE", "/dev/zero", 1);
  EXPECT_THROW(read_secret_file(), usage_error);
  ::setenv("IMBREX_SECRET_FILE", "/nonexistent/secret", 1);
  EXPECT_THROW(read_secret_file(), usage_error);
}

}  // namespace
}  // namespace imbrex
