// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/foreign_launcher.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <imbrex/base/error.hpp>
#include <imbrex/base/lost_process.hpp>
#include <imbrex/base/options/command_words.hpp>
#include <imbrex/base/options/number.hpp>

namespace imbrex::tools {

namespace {

constexpr std::array<std::string_view, 10> launchers{
    "srun", "mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun", "prun", "aprun", "jsrun", "ibrun"};
constexpr std::array<std::string_view, 4> names_of_processes{"-n", "-np", "--ntasks", "--np"};
constexpr std::array<std::string_view, 2> names_of_nodes{"-N", "--nodes"};

/// A place in a command line that has the value of an option.
struct option_place {
  std::size_t word;
  std::size_t begin;  ///< the value's first character
};

/// The place of the first of these options: the launcher's own come before those of its program.
std::optional<option_place> find_option(std::span<const std::string> words,
                                        std::span<const std::string_view> names) {
  constexpr std::size_t short_name_size = 2;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    for (const std::string_view name : names) {
      if (word == name && i + 1 < words.size()) return option_place{i + 1, 0};
      if (word.starts_with(std::string(name) + "=")) return option_place{i, name.size() + 1};
      const bool is_joined = name.size() == short_name_size && word.starts_with(name) &&
                             word.find_first_not_of("0123456789", short_name_size) == word.npos &&
                             word.size() > short_name_size;
      if (is_joined) return option_place{i, short_name_size};
    }
  }
  return std::nullopt;
}

void replace(std::vector<std::string>& words, const option_place& at, int number) {
  words[at.word].replace(at.begin, std::string::npos, std::to_string(number));
}

std::string field_of(std::string_view line, const std::string& name) {
  const auto at = (" " + std::string(line)).find(" " + name + "=");
  if (at == std::string::npos) return {};
  const std::string_view value = line.substr(at + name.size() + 1);
  return std::string(value.substr(0, value.find_first_of(" \n")));
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

}  // namespace

std::string name_of_foreign_launcher(const std::string& program) {
  std::string name = std::filesystem::path(program).filename().string();
  return std::ranges::find(launchers, name) == launchers.end() ? std::string() : name;
}

bool is_status_of_death(int status) {
  constexpr int first_of_signals = 129;
  return status == restartable_status || status >= first_of_signals;
}

std::optional<int> processes_in(std::span<const std::string> launcher) {
  const auto at = find_option(launcher, names_of_processes);
  return at ? parse_number<int>(launcher[at->word].substr(at->begin)) : std::nullopt;
}

void set_processes(std::vector<std::string>& launcher, int processes) {
  if (const auto at = find_option(launcher, names_of_processes)) return replace(launcher, *at, processes);
  launcher.insert(launcher.begin() + 1, {"-n", std::to_string(processes)});
}

void set_nodes(std::vector<std::string>& launcher, int nodes) {
  if (const auto at = find_option(launcher, names_of_nodes)) replace(launcher, *at, nodes);
}

std::string add_options(std::vector<std::pair<std::string, std::string>>& variables,
                        const std::vector<std::string>& words) {
  const auto own =
      std::ranges::find(variables, variable_of_options, [](const auto& each) { return each.first; });
  const bool is_there = own != variables.end();
  std::string text = is_there ? own->second : variable(variable_of_options);
  if (words.empty()) return text;
  if (!text.empty()) text += " ";
  text += command_line_of(words);
  if (is_there)
    own->second = text;
  else
    variables.emplace_back(variable_of_options, text);
  return text;
}

slurm_nodes parse_slurm_job(std::string_view line) {
  const auto count = parse_number<int>(field_of(line, "NumNodes"));
  const std::string list = field_of(line, "NodeList");
  if (!count || *count < 1 || list.empty() || list == "(null)")
    throw error("scontrol shows no nodes of this job");
  return {*count, list};
}

slurm_nodes slurm_nodes_now() {
  const std::string job = variable("SLURM_JOB_ID");
  if (!parse_number<unsigned>(job)) throw error("SLURM_JOB_ID names no job of Slurm");
  const std::string command = "timeout 10 scontrol show job --oneliner " + job + " 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(::popen(command.c_str(), "r"), &::pclose);
  if (!output) throw error("scontrol cannot be run");
  std::string line;
  std::array<char, 4096> piece{};
  while (std::fgets(piece.data(), piece.size(), output.get()) != nullptr) line += piece.data();
  return parse_slurm_job(line);
}

std::optional<int> slurm_nodes_before() {
  for (const char* const name : {"SLURM_JOB_NUM_NODES", "SLURM_NNODES"})
    if (const auto count = parse_number<int>(variable(name))) return count;
  return std::nullopt;
}

int processes_on(const slurm_nodes& nodes, std::span<const std::string> launcher) {
  const int before = slurm_nodes_before().value_or(nodes.count);
  return std::max(1, processes_in(launcher).value_or(before) * nodes.count / before);
}

void use_slurm_nodes(const slurm_nodes& nodes) {
  for (const char* const name : {"SLURM_JOB_NUM_NODES", "SLURM_NNODES"})
    ::setenv(name, std::to_string(nodes.count).c_str(), 1);
  for (const char* const name : {"SLURM_JOB_NODELIST", "SLURM_NODELIST"})
    ::setenv(name, nodes.list.c_str(), 1);
  for (const char* const name :
       {"SLURM_NTASKS", "SLURM_NPROCS", "SLURM_TASKS_PER_NODE", "SLURM_JOB_CPUS_PER_NODE"})
    ::unsetenv(name);
}

}  // namespace imbrex::tools
