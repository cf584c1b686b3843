// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/run_command.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/temporary_file.test.hpp>
#include <imbrex/testing/error_of.hpp>

namespace {

using namespace std::chrono_literals;
using imbrex::testing::error_of;
using imbrex::tools::job_settings;
using words = std::vector<std::string>;

job_settings settings(const words& line) { return std::get<job_settings>(imbrex::tools::parse_run(line)); }

std::string complaint(const words& line) {
  return error_of<imbrex::usage_error>([&] { imbrex::tools::parse_run(line); });
}

/// The value of a variable in a job's environment; "none" if it is not set.
std::string variable(const job_settings& request, const std::string& name) {
  for (const auto& [variable_name, value] : request.environment)
    if (variable_name == name) return value;
  return "none";
}

TEST(run_command, leaves_the_program_its_options) {
  const job_settings request = settings({"-n", "4", "--prefix", "--timeout", "1.5", "./app", "--pes", "1",
                                         "-n", "9", "--prefix", "--", "--help", "run"});
  EXPECT_EQ(request.processes, 4);
  EXPECT_TRUE(request.prefix);
  EXPECT_EQ(request.timeout, 1500ms);
  EXPECT_EQ(request.command,
            (std::vector<std::string>{"./app", "--pes", "1", "-n", "9", "--prefix", "--", "--help", "run"}));
}

TEST(run_command, needs_no_more_than_a_number_and_a_program) {
  for (const words& line : {words{"-n", "2", "app"}, words{"-n2", "app"}, words{"-n", "2", "--", "app"}}) {
    const job_settings request = settings(line);
    EXPECT_EQ(request.processes, 2);
    EXPECT_FALSE(request.prefix);
    EXPECT_FALSE(request.timeout);
    EXPECT_EQ(request.command, std::vector<std::string>{"app"});
  }
}

TEST(run_command, starts_a_job_of_another_launcher_anew) {
  const auto own =
      settings({"--restarts", "5", "--checkpoint", "saved", "--", "srun", "-n", "4", "./app", "8"});
  EXPECT_EQ(own.foreign_launcher, "srun");
  EXPECT_EQ(own.command, (words{"srun", "-n", "4", "./app", "8"}));
  EXPECT_EQ(own.restarts.most, 5);
  EXPECT_EQ(own.restarts.folder, "saved");
  EXPECT_EQ(variable(own, "IMBREX_OPTIONS"), "--checkpoint saved --checkpoint-on USR1");
  EXPECT_EQ(variable(own, "IMBREX_LOSS_STATUS"), "75");
  const auto of_program = settings({"--restarts", "5", "mpirun", "-n", "4", "./app", "--checkpoint", "here"});
  EXPECT_EQ(of_program.foreign_launcher, "mpirun");
  EXPECT_EQ(of_program.restarts.folder, "here");
  EXPECT_EQ(settings({"-n", "2", "srun"}).foreign_launcher, "");
  EXPECT_FALSE(own.restarts.have_hosts_own_folders);
  const auto in_memory = settings({"--restarts", "5", "--checkpoint-memory", "30s", "--", "srun", "./app"});
  EXPECT_TRUE(in_memory.restarts.have_hosts_own_folders);
  EXPECT_EQ(in_memory.restarts.folder.find("/dev/shm/imbrex-hosts-"), 0U);
  EXPECT_EQ(variable(in_memory, "IMBREX_OPTIONS"),
            "--checkpoint " + in_memory.restarts.folder +
                " --checkpoint-every 30s --checkpoint-hosts partner --checkpoint-on USR1");
  EXPECT_NE(complaint({"srun", "-n", "4", "./app"}).find("give --restarts N"), std::string::npos);
  EXPECT_NE(complaint({"--restarts", "5", "srun", "./app"}).find("give --checkpoint DIR"), std::string::npos);
  for (const char* const option : {"--prefix", "--preload", "--migratable"})
    EXPECT_EQ(complaint({"--restarts", "5", "--checkpoint", "saved", option, "srun", "./app"}).find(option),
              0U);
}

TEST(run_command, starts_jobs_anew) {
  EXPECT_EQ(settings({"-n", "2", "app"}).restarts.folder, "");
  const auto own = settings({"-n", "2", "--restarts", "5", "app", "--checkpoint=saved", "--pes", "1"});
  EXPECT_EQ(own.restarts.most, 5);
  EXPECT_EQ(own.restarts.folder, "saved");
  EXPECT_FALSE(own.restarts.is_in_memory);
  EXPECT_EQ(own.command, (words{"app", "--checkpoint=saved", "--pes", "1", "--checkpoint-on", "USR1"}));
  const auto in_memory = settings({"-n", "2", "--restarts=3", "--checkpoint-memory", "30s", "app"});
  EXPECT_TRUE(in_memory.restarts.is_in_memory);
  const std::string folder = in_memory.restarts.folder;
  EXPECT_EQ(folder.find("/dev/shm/"), 0U);
  EXPECT_EQ(in_memory.command,
            (words{"app", "--checkpoint", folder, "--checkpoint-every", "30s", "--checkpoint-on", "USR1"}));
  EXPECT_NE(complaint({"-n", "2", "--restarts", "5", "app"}).find("give --checkpoint DIR"),
            std::string::npos);
  EXPECT_NE(complaint({"-n", "2", "--checkpoint-memory", "5s", "app"}).find("give --restarts N"),
            std::string::npos);
  for (const char* const wrong : {"0", "-1", "often"})
    EXPECT_NE(complaint({"-n", "2", "--restarts", wrong, "--checkpoint", "d", "app"}).find("from 1 to"),
              std::string::npos)
        << wrong;
}

TEST(run_command, resizes_jobs) {
  const auto resized = [](const words& line) {
    return std::get<imbrex::tools::resize_settings>(imbrex::tools::parse_resize(line));
  };
  EXPECT_EQ(resized({"4711", "-n", "12"}).launcher, 4711);
  EXPECT_EQ(resized({"4711", "-n", "12"}).processes, 12);
  for (const words& wrong : {words{"-n", "12"}, words{"x", "-n", "12"}, words{"4711"},
                             words{"1", "2", "-n", "3"}, words{"4711", "-n", "0"}})
    EXPECT_NE(error_of<imbrex::usage_error>([&] { imbrex::tools::parse_resize(wrong); }), "");
}

TEST(run_command, takes_options_from_a_file) {
  const imbrex::test::temporary_file file("-n 3\n--pes 2\n--odf=4\n");
  const std::string option = "--options=" + file.name();
  const job_settings request = settings({option, "app", "--grid", "8"});
  EXPECT_EQ(request.processes, 3);
  EXPECT_EQ(request.command, (std::vector<std::string>{"app", "--grid", "8", "--pes", "2", "--odf=4"}));
  EXPECT_EQ(settings({option, "app", "--pes", "1", "--", "--pes"}).command,
            (std::vector<std::string>{"app", "--pes", "1", "--pes", "2", "--odf=4", "--", "--pes"}));
  EXPECT_EQ(settings({option, "-n", "5", "app"}).processes, 5);
  EXPECT_EQ(
      settings({"--pes", "5", option, "app", "--pes", "1", "--", "x"}).command,
      (std::vector<std::string>{"app", "--pes", "1", "--pes", "2", "--odf=4", "--pes", "5", "--", "x"}));
  EXPECT_EQ(settings({"-n", "2", "--pes=3", "python3", "app.py"}).command,
            (std::vector<std::string>{"python3", "app.py", "--pes", "3"}));

  const imbrex::test::temporary_file none("--pes 2\n");
  EXPECT_NE(complaint({"--options", none.name(), "app"}).find("-n is missing"), std::string::npos);
  EXPECT_NE(complaint({"--options", "/no/such/file", "app"}).find("cannot be read"), std::string::npos);
}

TEST(run_command, says_what_is_wrong_and_what_to_write) {
  const std::vector<std::pair<words, const char*>> wrong{
      {{"-n", "0", "app"}, "-n 0: the number of processes"},
      {{"-n", "-1", "app"}, "-n -1: the number of processes"},
      {{"-n", "x", "app"}, "-n x: the number of processes"},
      {{"-n", "2x", "app"}, "-n 2x: the number of processes"},
      {{"-n", "99999999999", "app"}, "from 1 to 65536"},
      {{"app"}, "-n is missing"},
      {{"-n", "2"}, "no program to run"},
      {{"-n", "2", ""}, "name of the program is empty"},
      {{"-n", "2", "--prefx", "app"}, "did you mean --prefix?"},
      {{"-n", "2", "--timeout", "0", "app"}, "--timeout 0"},
      {{"-n", "2", "--timeout", "soon", "app"}, "--timeout soon"},
      {{"-n", "2", "--verbose", "app"}, "unknown option --verbose"},
      {{"-n", "2", "--pse", "1", "app"}, "did you mean --pes?"},
      {{"-n", "2", "--pes", "0", "app"}, "--pes 0: the number of PEs of each process"},
      {{"-n", "2", "--pes", "two", "app"}, "--pes two: the number of PEs of each process"},
      {{"-n", "2", "--pes", "65537", "app"}, "from 1 to 65536"},
  };
  for (const auto& [line, expected] : wrong)
    EXPECT_NE(complaint(line).find(expected), std::string::npos) << expected << ", got: " << complaint(line);
}

TEST(run_command, gives_options_of_the_runtime_to_the_program) {
  const job_settings request =
      settings({"-n", "2", "--trace", "a file", "--serialize-always", "app", "in.txt"});
  EXPECT_EQ(request.command,
            (std::vector<std::string>{"app", "in.txt", "--trace", "a file", "--serialize-always"}));
  EXPECT_EQ(variable(request, "IMBREX_OPTIONS"), "none");
}

TEST(run_command, gives_programs_of_mpi_their_options_by_the_environment) {
  setenv("IMBREX_OPTIONS", "--stats", 1);
  const job_settings request =
      settings({"--pes", "2", "--ranks", "8", "--prefix", "--trace", "a file", "app", "--ranks", "4"});
  unsetenv("IMBREX_OPTIONS");
  EXPECT_EQ(request.processes, 1);
  EXPECT_FALSE(request.prefix);
  EXPECT_EQ(request.command, (std::vector<std::string>{"app", "--ranks", "4"}));
  EXPECT_EQ(variable(request, "IMBREX_OPTIONS"), "--stats --pes 2 --ranks 8 --trace 'a file' --prefix");
}

/// Names of processes depend on the number of ranks.
TEST(run_command, knows_how_many_ranks_a_program_of_mpi_has) {
  EXPECT_EQ(settings({"-n", "2", "app"}).ranks, 0);
  EXPECT_EQ(settings({"-n", "2", "--ranks", "8", "app"}).ranks, 8);
  const imbrex::test::temporary_file file("-n 3\n--ranks=5\n");
  EXPECT_EQ(settings({"--options", file.name(), "--ranks", "7", "app"}).ranks, 7);
}

TEST(run_command, starts_ranks_anew_in_migratable_jobs_alone) {
  const std::string refusal =
      "--restarts 5: ranks of MPI go on from checkpoints in jobs of imbrex run --migratable alone; add that "
      "option";
  EXPECT_EQ(complaint({"--ranks", "8", "--restarts", "5", "--checkpoint", "d", "app"}), refusal);
  EXPECT_EQ(complaint({"--ranks", "8", "--restarts", "5", "--checkpoint-memory", "9s", "app"}), refusal);
  EXPECT_THROW(imbrex::tools::parse_mpiexec(words{"-n", "3", "--restarts", "5", "--checkpoint", "d", "app"}),
               imbrex::usage_error);
}

TEST(run_command, takes_a_number_of_ranks_by_mpiexec) {
  for (const words& line : {words{"-n", "3", "--rank-stack", "64MB", "app", "-n", "4"},
                            words{"--rank-stack", "64MB", "-n", "3", "app", "-n", "4"},
                            words{"--rank-stack=64MB", "-np", "3", "app", "-n", "4"},
                            words{"--np=3", "--rank-stack=64MB", "app", "-n", "4"}}) {
    const auto request = std::get<job_settings>(imbrex::tools::parse_mpiexec(line));
    EXPECT_EQ(request.processes, 1);
    EXPECT_EQ(request.ranks, 3);
    EXPECT_EQ(request.command, (std::vector<std::string>{"app", "-n", "4"}));
    EXPECT_EQ(variable(request, "IMBREX_OPTIONS"), "--rank-stack 64MB --ranks 3");
  }
  EXPECT_EQ(std::get<job_settings>(imbrex::tools::parse_mpiexec(words{"app"})).ranks, 1);
  EXPECT_THROW(imbrex::tools::parse_mpiexec(words{"-n", "0", "app"}), imbrex::usage_error);
  EXPECT_THROW(imbrex::tools::parse_mpiexec(words{"-n", "2"}), imbrex::usage_error);
}

/// The numbers of processes and the commands of a job's programs.
std::vector<std::pair<int, words>> programs_of(const job_settings& request) {
  std::vector<std::pair<int, words>> all;
  for (const auto& each : request.programs) all.emplace_back(each.processes, each.command);
  return all;
}

TEST(run_command, runs_several_programs) {
  const job_settings request = settings(
      {"-n", "2", "--ranks", "12", "--pes", "1", "a", "x", ":", "-np", "4", "-x", "OWN=1", "b", "y"});
  EXPECT_EQ(request.processes, 6);
  EXPECT_EQ(request.ranks, 12);
  EXPECT_EQ(programs_of(request), (std::vector<std::pair<int, words>>{{2, {"a", "x"}}, {4, {"b", "y"}}}));
  for (const auto& [name, value] : request.programs[0].environment) EXPECT_NE(name, "OWN");
  EXPECT_EQ(request.programs[1].environment.front(), (std::pair<std::string, std::string>("OWN", "1")));
  EXPECT_EQ(request.programs[1].environment.back(),
            (std::pair<std::string, std::string>("IMBREX_PROGRAM", "1")));
}

TEST(run_command, gives_processes_of_several_programs_equally_many_ranks) {
  const auto counts = [](const words& line) {
    const auto request = std::get<job_settings>(imbrex::tools::parse_mpiexec(line));
    std::vector<int> all{request.ranks};
    for (const auto& each : request.programs) all.push_back(each.processes);
    return all;
  };
  EXPECT_EQ(counts({"-n", "8", "a", ":", "-n", "4", "b"}), (std::vector<int>{12, 2, 1}));
  EXPECT_EQ(counts({"-n", "3", "a", ":", "-n", "3", "b", ":", "c"}), (std::vector<int>{7, 3, 3, 1}));
  EXPECT_NE(complaint({"-n", "2", "--ranks", "7", "a", ":", "-n", "1", "b"}).find("give a multiple of"),
            std::string::npos);
}

TEST(run_command, says_what_is_wrong_with_several_programs) {
  const std::vector<std::pair<words, const char*>> wrong{
      {{"-n", "2", "a", ":"}, "no program follows a word ':'"},
      {{"-n", "2", "a", ":", ":", "-n", "2", "b"}, "no program follows a word ':'"},
      {{"-n", "2", "a", ":", "-n", "2"}, "no program follows a word ':'"},
      {{"-n", "2", ":", "-n", "2", "b"}, "no program stands before the word ':'"},
      {{"-n", "2", "a", ":", "b"}, "-n is missing: give the number of processes of b"},
      {{"a", ":", "-n", "2", "b"}, "-n is missing: give the number of processes of each program"},
      {{"-n", "2", "a", ":", "-n", "0", "b"}, "-n 0: the number of processes"},
      {{"-n", "2", "a", ":", "-n"}, "-n needs a value"},
      {{"-n", "2", "a", ":", "-n", "2", "--pes", "2", "b"}, "stand before the first one"},
      {{"-n", "2", "--ranks", "4", "--migratable", "a", ":", "-n", "2", "b"},
       "--migratable: ranks go to other"},
      {{"-n", "2", "a", ":", "-n", "2", "b"}, "a has no ranks of MPI"},
  };
  for (const auto& [line, expected] : wrong)
    EXPECT_NE(complaint(line).find(expected), std::string::npos) << expected << ", got: " << complaint(line);
  EXPECT_THROW(imbrex::tools::parse_mpiexec(words{"-n", "2", "a", ":"}), imbrex::usage_error);
}

TEST(run_command, takes_options_of_other_launchers) {
  const job_settings request =
      settings({"-np", "2", "--oversubscribe", "-x", "FIRST=a=b", "-x", "HOME", "-env", "SECOND", "", "-genv",
                "THIRD", ":", "-genv", "FIRST", "hidden", "app", "-x"});
  EXPECT_EQ(request.processes, 2);
  EXPECT_EQ(request.command, (words{"app", "-x"}));
  EXPECT_EQ(variable(request, "FIRST"), "a=b");
  EXPECT_EQ(variable(request, "SECOND"), "");
  EXPECT_EQ(variable(request, "THIRD"), ":");
  EXPECT_EQ(variable(request, "HOME"), "none");
  const job_settings of_ranks =
      settings({"-n", "1", "--ranks", "4", "-x", "IMBREX_OPTIONS=--stats --ranks 6", "app"});
  EXPECT_EQ(variable(of_ranks, "IMBREX_OPTIONS"), "--stats --ranks 6 --ranks 4");
  const std::vector<std::pair<words, const char*>> wrong{
      {{"-n", "2", "-x"}, "-x needs a value"},
      {{"-n", "2", "-x", "", "app"}, "-x '': the name of the variable is missing; write -x NAME=VALUE"},
      {{"-n", "2", "-x", "=1", "app"}, "-x '=1': the name of the variable is missing"},
      {{"-n", "2", "-genv", "A"}, "-genv needs two words after it, NAME VALUE"},
      {{"-n", "2", "-env", "A=1", "app", "b"}, "-env A=1: the name of a variable has no '='"},
      {{"-n", "2", "--hostfile", "/no/such/file", "app"},
       "--hostfile /no/such/file: the file cannot be read"},
      {{"-n", "2", "-machinefile", "/", "app"}, "-machinefile /: the file cannot be read"},
  };
  for (const auto& [line, expected] : wrong)
    EXPECT_NE(complaint(line).find(expected), std::string::npos) << expected << ", got: " << complaint(line);
}

TEST(run_command, starts_processes_on_the_hosts_of_a_file_if_that_is_this_host) {
  const imbrex::test::temporary_file own("# ours\n\n  localhost slots=4\nlocalhost:2\n127.0.0.1");
  EXPECT_EQ(settings({"-n", "2", "--hostfile", own.name(), "app"}).processes, 2);
  const imbrex::test::temporary_file another("localhost\nnode17 slots=4\n");
  EXPECT_EQ(complaint({"-n", "2", "--machinefile", another.name(), "app"})
                .find("--machinefile " + another.name() + " names the host node17, and imbrex run starts"),
            0U);
}

TEST(run_command, gives_each_process_one_rank_where_mpi_is_loaded_later) {
  EXPECT_EQ(complaint({"--ranks", "4", "--preload", "python3"}),
            "--preload --ranks 4: a program that loads MPI later has one rank in each process; give -n "
            "instead of --ranks");
}

TEST(run_command, loads_no_library_before_a_script) {
  const imbrex::test::temporary_file script("#!/bin/sh\nexec python3\n");
  EXPECT_EQ(complaint({"-n", "2", "--preload", script.name()}),
            "--preload: " + script.name() +
                " is a script, or no program of this machine: name the program that it starts, such as "
                "/usr/bin/python3");
}

TEST(run_command, gives_help) {
  for (const char* const ask : {"--help", "-h"})
    EXPECT_NE(std::get<std::string>(imbrex::tools::parse_run(words{"-n", "2", ask, "app"}))
                  .find("\n  --timeout SECONDS"),
              std::string::npos);
}

}  // namespace
