// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace imbrex::tools {

/// The variable from which programs take options of the runtime.
inline constexpr const char* variable_of_options = "IMBREX_OPTIONS";

/// The file name of a program that starts the processes of a job itself, such as "srun" or "mpirun"; empty
/// for another program.
std::string name_of_foreign_launcher(const std::string& program);

/// True if a foreign launcher ends with this status because a process has been killed or lost.
bool is_status_of_death(int status);

/// The number of processes in a foreign launcher's words: "-n 4", "-n4", "-np 4", "--ntasks=4"; empty if they
/// give none.
std::optional<int> processes_in(std::span<const std::string> launcher);
/// Replaces the number of processes in a foreign launcher's words, or adds it.
void set_processes(std::vector<std::string>& launcher, int processes);
/// Replaces the number of nodes in srun's words: "-N 2", "--nodes=2". Adds none.
void set_nodes(std::vector<std::string>& launcher, int nodes);

/// Adds option words for the programs of a job to IMBREX_OPTIONS in these variables, after the words that
/// they, or this process's environment, have there. Returns all its words as text.
std::string add_options(std::vector<std::pair<std::string, std::string>>& variables,
                        const std::vector<std::string>& words);

/// The nodes of a job of Slurm.
struct slurm_nodes {
  int count = 0;
  std::string list;  ///< "n[1-4]"
};
/// Reads a line of `scontrol show job --oneliner`. Throws `error` if it names no nodes.
slurm_nodes parse_slurm_job(std::string_view line);
/// Asks `scontrol` for the nodes of the job to which this process belongs. Throws `error` if there is none.
slurm_nodes slurm_nodes_now();
/// The number of nodes that this process's environment has; empty outside of Slurm.
std::optional<int> slurm_nodes_before();
/// The number of processes on other nodes than before, with as many on each node; srun's words give it.
int processes_on(const slurm_nodes& nodes, std::span<const std::string> launcher);
/// Lets steps that this process starts use these nodes, as the script does that `scontrol update` writes.
void use_slurm_nodes(const slurm_nodes& nodes);

}  // namespace imbrex::tools
