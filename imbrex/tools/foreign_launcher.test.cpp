// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/foreign_launcher.hpp>

#include <gtest/gtest.h>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace {

using namespace imbrex::tools;
using words = std::vector<std::string>;

words with_processes(words line, int processes) {
  set_processes(line, processes);
  return line;
}

TEST(foreign_launcher, is_known_by_its_file_name) {
  EXPECT_EQ(name_of_foreign_launcher("srun"), "srun");
  EXPECT_EQ(name_of_foreign_launcher("/opt/mpi/bin/mpiexec"), "mpiexec");
  for (const char* const program : {"./app", "srun.sh", "imbrex-mpiexec", ""})
    EXPECT_EQ(name_of_foreign_launcher(program), "") << program;
}

TEST(foreign_launcher, gives_and_takes_the_number_of_processes) {
  EXPECT_EQ(processes_in(words{"srun", "-N", "2", "-n", "8", "./app", "-n", "3"}), 8);
  EXPECT_EQ(processes_in(words{"srun", "-n8", "./app"}), 8);
  EXPECT_EQ(processes_in(words{"srun", "--ntasks=16", "./app"}), 16);
  EXPECT_EQ(processes_in(words{"mpirun", "-np", "4", "./app"}), 4);
  EXPECT_EQ(processes_in(words{"srun", "-nodes", "./app"}), std::nullopt);
  EXPECT_EQ(processes_in(words{"srun", "-n"}), std::nullopt);
  EXPECT_EQ(with_processes({"srun", "-n8", "./app", "-n", "3"}, 12),
            (words{"srun", "-n12", "./app", "-n", "3"}));
  EXPECT_EQ(with_processes({"srun", "--ntasks=8", "./app"}, 2), (words{"srun", "--ntasks=2", "./app"}));
  EXPECT_EQ(with_processes({"srun", "./app"}, 2), (words{"srun", "-n", "2", "./app"}));
  words nodes{"srun", "--nodes=4", "-n", "8", "./app", "-N", "9"};
  set_nodes(nodes, 2);
  EXPECT_EQ(nodes, (words{"srun", "--nodes=2", "-n", "8", "./app", "-N", "9"}));
}

TEST(foreign_launcher, passes_options_in_the_environment) {
  std::vector<std::pair<std::string, std::string>> variables{{"A", "b"}};
  EXPECT_EQ(add_options(variables, {}), "");
  EXPECT_EQ(variables.size(), 1U);
  EXPECT_EQ(add_options(variables, {"--checkpoint", "a folder"}), "--checkpoint 'a folder'");
  EXPECT_EQ(add_options(variables, {"--restart", "b"}), "--checkpoint 'a folder' --restart b");
  ASSERT_EQ(variables.size(), 2U);
  EXPECT_EQ(variables[1].second, "--checkpoint 'a folder' --restart b");
}

TEST(foreign_launcher, reads_the_nodes_of_a_job_of_slurm) {
  const auto nodes = parse_slurm_job(
      "JobId=7 JobName=a ReqNodeList=n9 NodeList=n[1-3,5] BatchHost=n1 NumNodes=4 NumCPUs=8 NumTasks=4\n");
  EXPECT_EQ(nodes.count, 4);
  EXPECT_EQ(nodes.list, "n[1-3,5]");
  for (const char* const line : {"", "NodeList=(null) NumNodes=1", "NodeList=n1", "NodeList=n1 NumNodes=x"})
    EXPECT_NE(imbrex::testing::error_of<imbrex::error>([&] { parse_slurm_job(line); }), "") << line;
}

TEST(foreign_launcher, ends_after_a_death_with_known_statuses) {
  for (const int status : {75, 137, 139, 143}) EXPECT_TRUE(is_status_of_death(status)) << status;
  for (const int status : {0, 1, 2, 124, 127, 128}) EXPECT_FALSE(is_status_of_death(status)) << status;
}

}  // namespace
