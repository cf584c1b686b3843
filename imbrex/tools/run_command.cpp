// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/run_command.hpp>

#include <sys/personality.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/topology.hpp>
#include <imbrex/base/lost_process.hpp>
#include <imbrex/base/max_processes.hpp>
#include <imbrex/base/options/command.hpp>
#include <imbrex/base/options/command_words.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/options/options_file.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/core/options/environment_options.hpp>
#include <imbrex/core/options/options.hpp>
#include <imbrex/mpi/image/program_number.hpp>
#include <imbrex/net/ucx/library.hpp>
#include <imbrex/tools/foreign_launcher.hpp>
#include <imbrex/tools/hosts_file.hpp>
#include <imbrex/tools/job_environment.hpp>
#include <imbrex/tools/mpi_program.hpp>
#include <imbrex/tools/program_list.hpp>

namespace imbrex::tools {
namespace {

int processes_of(const std::string& text) {
  const auto number = parse_number<int>(text);
  if (!number || *number < 1 || *number > max_processes)
    throw usage_error("-n " + text + ": the number of processes must be a whole number from 1 to " +
                      std::to_string(max_processes) + ", such as -n 4");
  return *number;
}

void check_pes(const std::string& text) {
  const auto number = parse_number<int>(text);
  if (!number || *number < 1 || *number > detail::max_pes)
    throw usage_error(
        "--pes " + text + ": the number of PEs of each process must be a whole number from 1 to " +
        std::to_string(detail::max_pes) + ", such as --pes 2; leave --pes out to share the processors");
}

std::chrono::milliseconds timeout_of(const std::string& text) {
  constexpr double most = 1e9;
  const auto seconds = parse_number<double>(text);
  if (!seconds || !(*seconds >= 0.001 && *seconds <= most))
    throw usage_error(
        "--timeout " + text +
        ": the time must be seconds from 0.001 to 1e9, such as --timeout 60; leave it out to let "
        "the job run as long as it wants");
  return std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
}

int ranks_of(const std::string& text) {
  constexpr int most_ranks = 1'000'000;
  const auto number = parse_number<int>(text);
  if (!number || *number < 1 || *number > most_ranks)
    throw usage_error("-n " + text + ": the number of ranks must be a whole number from 1 to " +
                      std::to_string(most_ranks) + ", such as -n 4");
  return *number;
}

/// The options of `imbrex run` or `imbrex mpiexec` as written.
struct run_options {
  std::optional<std::string> processes, timeout, file, restarts, checkpoint_memory, metrics;
  bool prefix = false, preload = false, oversubscribe = false;
  environment_variables own_variables;     ///< `-x` and `-env`: of the first program
  environment_variables shared_variables;  ///< `-genv`: of all programs
  std::map<std::string, std::optional<std::string>> with_value{{"--ranks", {}}};  ///< options for the program
  std::map<std::string, bool> flags;
  std::vector<std::string> program;

  bool has(const char* name) const { return with_value.at(name).has_value(); }
  std::vector<std::string> of_program() const {
    std::vector<std::string> words;
    for (const auto& [name, value] : with_value)
      if (value) words.insert(words.end(), {name, *value});
    for (const auto& [name, input] : flags)
      if (input) words.push_back(name);
    return words;
  }
};

/// Options by which other launchers are called.
void add_options_of_others(command& run, run_options& input) {
  run.option(
         "-x", "NAME[=VALUE]",
         [&input](const std::string& text) { add_written_variable(input.own_variables, "-x", text); },
         "set a variable of the program's environment; without VALUE the program inherits it")
      .option(
          "-env", "NAME VALUE",
          [&input](const std::string& name, const std::string& value) {
            add_written_variable(input.own_variables, "-env", name, value);
          },
          "the same as -x NAME=VALUE")
      .option(
          "-genv", "NAME VALUE",
          [&input](const std::string& name, const std::string& value) {
            add_written_variable(input.shared_variables, "-genv", name, value);
          },
          "set a variable of the environment of all programs")
      .flag("--oversubscribe", input.oversubscribe,
            "allow more PEs than processors, as is always allowed: no effect");
  const auto hosts_of = [](const char* option) {
    return [option](const std::string& file) { check_hosts_file(option, file); };
  };
  constexpr const char* same = "the same as --hostfile";
  run.option("--hostfile", "FILE", hosts_of("--hostfile"), "a file of hosts, which may name this host alone")
      .option("-hostfile", "FILE", hosts_of("-hostfile"), same)
      .option("--machinefile", "FILE", hosts_of("--machinefile"), same)
      .option("-machinefile", "FILE", hosts_of("-machinefile"), same);
}

void add_common_options(command& run, run_options& input) {
  run.flag("--prefix", input.prefix, "put \"[rank] \" before each line of output")
      .option("--timeout", "SECONDS", input.timeout, "end the job after this time, with status 124")
      .option("--restarts", "N", input.restarts,
              "start the job anew after the death of a process, from its newest checkpoint, at most N times")
      .option("--checkpoint-memory", "PERIOD", input.checkpoint_memory,
              "keep checkpoints in memory for --restarts: a time, or a number of balance points")
      .option("--metrics", "HOST:PORT", input.metrics,
              "answer requests of HTTP for figures of the processes, as `imbrex metrics` prints them, there; "
              "only "
              "who sends the secret in a file that is named at the start gets them")
      .option("--options", "FILE", input.file,
              "pass the options in this file to the program, and take -n from it")
      .option("--rank-stack", "SIZE", input.with_value["--rank-stack"],
              "bytes of each rank's stack (default 8 MiB)")
      .flag("--mpi-check", input.flags["--mpi-check"],
            "report what MPI ranks have not freed or received when they end")
      .flag("--migratable", input.flags["--migratable"],
            "let MPI ranks go to other processes: fixed addresses, and a heap for each rank")
      .option("--privatise", "LIST", input.with_value["--privatise"],
              "shared libraries with separate variables in each rank: libfoo,libbar")
      .flag("--preload", input.preload,
            "load the MPI library at the start of a program that loads it later, such as Python with mpi4py");
  add_options_of_others(run, input);
  for (const option_words& known : runtime_options()) {
    const std::string name(known.name);
    if (known.value.empty())
      run.flag(known.name, input.flags[name], known.help);
    else
      run.option(known.name, known.value, input.with_value[name], known.help);
  }
  run.program(input.program);
}

std::optional<std::string> read_run_options(run_options& input, std::span<const std::string> words) {
  command run("imbrex run", "-n N [OPTIONS] PROGRAM [ARGUMENTS...] [: -n N PROGRAM [ARGUMENTS...]]...",
              "Runs a program as several processes on this host. Standard input goes to rank 0. The lines of "
              "standard output and standard error are passed on whole. An error that all processes report at "
              "their start is printed once, unless --prefix is given. With --restarts and without -n, the "
              "program may be a launcher that starts the processes itself: imbrex run --restarts 5 "
              "--checkpoint DIR -- srun -n 64 ./app.");
  run.option("-n", "N", input.processes, "number of processes (default 1 for an MPI program)")
      .option("-np", "N", input.processes, "the same")
      .option("--ranks", "N", input.with_value["--ranks"],
              "number of MPI ranks in all processes together (default one in each)");
  add_common_options(run, input);
  return run
      .note(
          "The status is 0, or that of the first process that failed (128 + signal if a signal killed it). "
          "Arguments after PROGRAM belong to the program, also options such as --pes. --ranks, those from "
          "--rank-stack to --privatise and those of the runtime are passed to the program: after its "
          "arguments, or to an MPI program in IMBREX_OPTIONS. A word ':' begins a further program of MPI, "
          "with "
          "-n, -x and -env of its own.")
      .read(words);
}

std::optional<std::string> read_mpiexec_options(run_options& input, std::span<const std::string> words) {
  command mpiexec("imbrex mpiexec",
                  "-n RANKS [OPTIONS] PROGRAM [ARGUMENTS...] [: -n RANKS PROGRAM [ARGUMENTS...]]...",
                  "Runs the ranks of an MPI program in one process, on all processors. A program that loads "
                  "MPI later, such as Python with mpi4py, gets a process for each rank. Several processes "
                  "with several ranks each are started by `imbrex run`. Several programs run in as few "
                  "processes as can have equally many ranks each.");
  mpiexec.option("-n", "RANKS", input.processes, "number of ranks (default 1)");
  for (const char* const other : {"-np", "--n", "--np"})
    mpiexec.option(other, "RANKS", input.processes, "the same");
  add_common_options(mpiexec, input);
  return mpiexec
      .note(
          "Arguments after PROGRAM belong to the program. The options from --rank-stack to --privatise and "
          "those of the runtime are passed to it in IMBREX_OPTIONS. A word ':' begins a further program, "
          "with "
          "-n, -x and -env of its own.")
      .read(words);
}

int restarts_of(const std::string& text) {
  constexpr int most = 1'000'000;
  const auto number = parse_number<int>(text);
  if (!number || *number < 1 || *number > most)
    throw usage_error("--restarts " + text + ": the number of restarts must be a whole number from 1 to " +
                      std::to_string(most) + ", such as --restarts 5");
  return *number;
}

/// The value of an option in these words: of the last one, if there are several; empty if there is none.
std::string value_in(const std::vector<std::string>& words, const std::string& name) {
  std::string value;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == name && i + 1 < words.size()) value = words[i + 1];
    if (words[i].starts_with(name + "=")) value = words[i].substr(name.size() + 1);
  }
  return value;
}

/// The words by which an MPI program gets options of the runtime in a variable.
std::vector<std::string> words_of_variable(const std::string& text) {
  return command_words(text).value_or(std::vector<std::string>());
}
/// The variables that the user sets for the program.
environment_variables variables_of(const run_options& input) {
  environment_variables all = input.shared_variables;
  for (const auto& [name, value] : input.own_variables) set_variable(all, name, value);
  return all;
}
std::vector<std::string> words_of_variable(const environment_variables& of_program) {
  return words_of_variable(variable_of_programs(of_program, variable_of_options));
}

/// The value of an option of the runtime, wherever it is written.
std::string value_in_all(const run_options& input, bool is_mpi, const std::string& name) {
  const auto at = input.with_value.find(name);
  if (at != input.with_value.end() && at->second) return *at->second;
  return value_in(is_mpi ? words_of_variable(variables_of(input)) : input.program, name);
}

/// The PEs of each process: those of --pes, or the one of a process of Python; 0: their share of the
/// processors.
int pes_of_process(const run_options& input, const options_file& from_file, bool is_mpi) {
  std::string text = value_in_all(input, is_mpi, "--pes");
  if (text.empty()) text = value_in(from_file.words, "--pes");
  if (text.empty()) text = value_in(words_of_variable(variables_of(input)), "--pes");
  if (text.empty() && !is_mpi && is_python(input.program.front())) return 1;
  return parse_number<int>(text).value_or(0);
}

/// A folder for the checkpoints of one job, in memory.
std::string folder_in_memory() { return checkpoints_in_memory + std::to_string(::getpid()); }

/// A folder with an equal name on each host of a job.
std::string folder_on_hosts() {
  std::random_device chance;
  return checkpoints::folders_in_host_memory + std::to_string(::getuid()) + "-" + std::to_string(chance());
}

/// Prepends `more` to a variable in the program's environment.
void put_before(job_settings& request, const char* variable, const std::string& more) {
  const std::string others = variable_of_programs(request.environment, variable);
  set_variable(request.environment, variable, others.empty() ? more : more + ":" + others);
}

/// The number of ranks in these option words; without --ranks, one for each process.
int ranks_in(const std::vector<std::string>& words, int processes) {
  constexpr std::string_view name = "--ranks";
  std::optional<int> ranks;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == name && i + 1 < words.size()) ranks = parse_number<int>(words[i + 1]);
    if (words[i].starts_with(std::string(name) + "="))
      ranks = parse_number<int>(words[i].substr(name.size() + 1));
  }
  return ranks && *ranks > 0 ? *ranks : processes;
}

/// Passes option words to an MPI program in a variable, as it interprets its command line itself.
/// `keeps_ranks`: the job may go on with another number of processes, and has as many ranks then.
void give_words(job_settings& request, std::vector<std::string> words, bool keeps_ranks) {
  std::vector<std::string> all = words_of_variable(request.environment);
  all.insert(all.end(), words.begin(), words.end());
  request.ranks = ranks_in(all, request.processes);
  if (keeps_ranks) words.insert(words.end(), {"--ranks", std::to_string(request.ranks)});
  add_options(request.environment, words);
}

/// Makes the program load our library instead of MPICH's.
void show_library_of_mpi(job_settings& request) {
  if (const std::string folder = mpich_folder(); !folder.empty())
    put_before(request, "LD_LIBRARY_PATH", folder);
}

/// Python may import mpi4py in a way that was not foreseen. Then our library cannot be loaded any more, and
/// mpi4py reports an error. Without this variable mpi4py would load another MPI, which would make each
/// process a separate job.
void keep_mpi4py_from_others(job_settings& request) {
  const std::string folder = mpich_folder();
  if (!folder.empty() && variable_of_programs(request.environment, "MPI4PY_LIBMPI").empty())
    set_variable(request.environment, "MPI4PY_LIBMPI", folder + "/libmpi.so.12");
}

/// `is_requested`: the user has set --preload.
void preload_library_of_mpi(job_settings& request, bool is_requested) {
  const std::string folder = mpich_folder();
  if (folder.empty())
    throw usage_error(
        std::string(is_requested ? "--preload" : "the program loads MPI by a library or by mpi4py") +
        ": this Imbrex has no library of MPI; wheels have none, nor has what was built without "
        "Boost.Context");
  put_before(request, "LD_PRELOAD", folder + "/libmpi.so.12");
}

/// Lets the ranks of a program go to other processes: their processes have equal addresses, and load the
/// library of the ranks' heaps first.
void make_migratable(job_settings& request) {
  const std::string& program = request.command.front();
  if (const std::string sanitizer = sanitizer_of(program); !sanitizer.empty())
    throw usage_error("--migratable: " + printable(program) + " is built with " + sanitizer +
                      ", which has a malloc of its own, and ranks need heaps of their own; build it without, "
                      "or leave out --migratable");
  const int now = ::personality(0xffffffff);
  if (now < 0 || ::personality(static_cast<unsigned>(now) | ADDR_NO_RANDOMIZE) < 0)
    throw usage_error(
        "--migratable: the system does not allow processes without random addresses (personality "
        "ADDR_NO_RANDOMIZE); in a container of Docker or Podman, start that with --security-opt "
        "seccomp=unconfined");
  const std::string library = heap_library_of_mpi();
  if (library.empty())
    throw usage_error(
        "--migratable: this Imbrex has no library of MPI; wheels have none, nor has what was built "
        "without Boost.Context");
  put_before(request, "LD_PRELOAD", library);
}

void require_program(const std::vector<std::string>& command, const char* name, const char* usage) {
  if (command.empty())
    throw usage_error("no program to run; write imbrex " + std::string(name) + " " + usage +
                      " PROGRAM [ARGUMENTS...]");
  if (command.front().empty()) throw usage_error("the name of the program is empty");
}

bool is_of_mpi(const run_options& input, way_to_mpi way) {
  return input.preload || input.has("--ranks") || way != way_to_mpi::none;
}

/// The common part of `imbrex run` and `imbrex mpiexec`, after the numbers are known.
job_settings job_of(run_options input, const options_file& from_file, int processes, way_to_mpi way) {
  job_settings request;
  request.environment = variables_of(input);
  if (const std::string folder = ucx::bundled_folder();
      !folder.empty() && variable_of_programs(request.environment, "IMBREX_BUNDLED_UCX").empty())
    set_variable(request.environment, "IMBREX_BUNDLED_UCX",
                 folder);  // for programs without a UCX of their own
  const bool is_mpi = is_of_mpi(input, way);
  request.pes = pes_of_process(input, from_file, is_mpi);
  request.command = std::move(input.program);
  request.processes = processes;
  if (input.timeout) request.timeout = timeout_of(*input.timeout);
  if (input.metrics) request.metrics = parse_metrics_address(*input.metrics);
  if (input.has("--pes")) check_pes(*input.with_value.at("--pes"));
  std::vector<std::string> words = from_file.words;
  const std::vector<std::string> more = input.of_program();
  words.insert(words.end(), more.begin(), more.end());
  if (is_mpi && input.prefix)
    words.emplace_back("--prefix");  // the program knows which rank writes a line
  else
    request.prefix = input.prefix;
  // These words come last, so they win over repeated options, as in `PROGRAM ARGUMENTS --options FILE --pes
  // N`.
  if (!is_mpi && input.flags.at("--migratable"))
    throw usage_error("--migratable: " + printable(request.command.front()) +
                      " is no program of MPI; chares with serialize migrate without this option");
  if (!is_mpi) {
    request.command.insert(std::find(request.command.begin() + 1, request.command.end(), "--"), words.begin(),
                           words.end());
    if (is_python(request.command.front())) keep_mpi4py_from_others(request);
    return request;
  }
  if (input.restarts && !input.flags.at("--migratable"))
    throw usage_error("--restarts " + *input.restarts +
                      ": ranks of MPI go on from checkpoints in jobs of imbrex run --migratable alone; add "
                      "that option");
  give_words(request, std::move(words), input.restarts.has_value());
  show_library_of_mpi(request);
  if (input.preload) check_preload(request.command.front());
  if (input.preload || way == way_to_mpi::through_library || way == way_to_mpi::through_python)
    preload_library_of_mpi(request, input.preload);
  if (input.flags.at("--migratable")) make_migratable(request);  // the last library comes first
  return request;
}

/// The words with options that the program of a job gets.
std::vector<std::string> words_of(const job_settings& request) {
  if (request.ranks == 0) return request.command;
  for (const auto& [name, value] : request.environment)
    if (name == variable_of_options) return words_of_variable(value);
  return {};
}

/// `program`: the words that the program gets.
restart_settings restarts_of(const run_options& input, const std::vector<std::string>& program) {
  restart_settings restarts;
  if (input.checkpoint_memory && !input.restarts)
    throw usage_error("--checkpoint-memory " + *input.checkpoint_memory +
                      ": checkpoints in memory end with the job; give --restarts N, too");
  if (!input.restarts) return restarts;
  restarts.most = restarts_of(*input.restarts);
  restarts.is_in_memory = input.checkpoint_memory.has_value();
  const std::string hosts = value_in(program, "--checkpoint-hosts");
  restarts.have_hosts_own_folders = hosts == "partner" || hosts == "xor";
  restarts.signal = value_in(program, "--checkpoint-on") == "USR2" ? SIGUSR2 : SIGUSR1;
  restarts.folder = value_in(program, "--checkpoint");
  if (restarts.folder.empty())
    throw usage_error("--restarts " + *input.restarts +
                      ": the job writes no checkpoints; give --checkpoint DIR or --checkpoint-memory PERIOD");
  return restarts;
}

/// Chooses the folder of --checkpoint-memory, and the signal by which `imbrex resize` asks for a checkpoint.
void choose_checkpoints(run_options& input, bool is_foreign, bool is_mpi) {
  if (input.checkpoint_memory) {
    input.with_value["--checkpoint"] = is_foreign ? folder_on_hosts() : folder_in_memory();
    input.with_value["--checkpoint-every"] = *input.checkpoint_memory;
    auto& hosts = input.with_value["--checkpoint-hosts"];
    if (is_foreign && !hosts) hosts = "partner";
  }
  if (input.restarts && value_in_all(input, is_mpi, "--checkpoint-on").empty() &&
      !value_in_all(input, is_mpi, "--checkpoint").empty())
    input.with_value["--checkpoint-on"] = "USR1";
}

/// The job of a launcher that starts the processes itself.
job_settings job_of_foreign(run_options input, const options_file& from_file) {
  job_settings request;
  request.environment = variables_of(input);
  request.command = input.program;
  request.foreign_launcher = name_of_foreign_launcher(input.program.front());
  const std::string& name = request.foreign_launcher;
  if (!input.restarts)
    throw usage_error(name +
                      " starts processes itself, and needs no imbrex run; give --restarts N to start it "
                      "anew after the death of a process, or -n N to start " +
                      name + " N times");
  for (const auto& [option, is_set] :
       {std::pair("--prefix", input.prefix), std::pair("--preload", input.preload),
        std::pair("--migratable", input.flags.at("--migratable")),
        std::pair("--metrics", input.metrics.has_value())})
    if (is_set)
      throw usage_error(std::string(option) + ": the processes are those of " + name +
                        ", which this option does not reach");
  if (input.timeout) request.timeout = timeout_of(*input.timeout);
  choose_checkpoints(input, true, false);
  std::vector<std::string> words = from_file.words;
  const std::vector<std::string> more = input.of_program();
  words.insert(words.end(), more.begin(), more.end());
  add_options(request.environment, words);
  request.environment.emplace_back(variable_of_loss, std::to_string(restartable_status));
  // Open MPI passes on no others to other hosts.
  request.environment.emplace_back("OMPI_MCA_mca_base_env_list",
                                   "IMBREX_OPTIONS;" + std::string(variable_of_loss));
  words.insert(words.end(), request.command.begin(), request.command.end());
  request.restarts = restarts_of(input, words);
  return request;
}

/// `has_ranks`: the user's options imply an MPI program.
way_to_mpi way_of(const std::vector<std::string>& program, bool has_ranks) {
  if (program.empty() || program.front().empty()) return way_to_mpi::none;
  const way_to_mpi found = way_to_mpi_of(program);
  return found == way_to_mpi::none && has_ranks && is_python(program.front()) ? way_to_mpi::through_python
                                                                              : found;
}

/// As `job_of`, with the settings of --restarts.
job_settings job_with_restarts(run_options input, const options_file& from_file, int processes,
                               way_to_mpi way) {
  choose_checkpoints(input, false, is_of_mpi(input, way));
  const run_options as_written = input;
  job_settings request = job_of(std::move(input), from_file, processes, way);
  request.restarts = restarts_of(as_written, words_of(request));
  return request;
}

/// The processes of a job with several programs, each with its number of them.
struct program_processes {
  std::vector<int> of_each;
  int all() const { return std::accumulate(of_each.begin(), of_each.end(), 0); }
};

/// Gives all processes equally many PEs, so that consecutive ranks on consecutive PEs are those of a program.
void give_equal_pes(job_settings& request) {
  request.pes = std::max(1, usable_processors() / request.processes);
  add_options(request.environment, {"--pes", std::to_string(request.pes)});
}

/// A job with the program of `input` and further ones, whose ranks of MPI are members of one MPI_COMM_WORLD.
job_settings job_of_programs(const run_options& input, const std::vector<listed_program>& others,
                             const options_file& from_file, const program_processes& processes) {
  if (input.flags.at("--migratable"))
    throw usage_error(
        "--migratable: ranks go to other processes, and those after the word ':' run another program; leave "
        "out --migratable, or start one program");
  job_settings whole;
  for (std::size_t i = 0; i < processes.of_each.size(); ++i) {
    run_options own = input;
    if (i > 0) {
      own.program = others[i - 1].command;
      own.own_variables = others[i - 1].environment;
    }
    require_program(own.program, "run", "-n N");
    const way_to_mpi way = way_of(own.program, own.has("--ranks"));
    if (!is_of_mpi(own, way))
      throw usage_error(printable(own.program.front()) +
                        " has no ranks of MPI: a job of several programs has ranks alone, as chares need the "
                        "same program in all processes. For a script that starts a program of MPI, give "
                        "--ranks N, the number of ranks of all programs");
    job_settings one = job_with_restarts(std::move(own), from_file, processes.all(), way);
    if (one.ranks % one.processes != 0)
      throw usage_error("--ranks " + std::to_string(one.ranks) + ": each of the " +
                        std::to_string(one.processes) +
                        " processes must have equally many ranks, since they run several programs; give a "
                        "multiple of their number");
    if (one.ranks > one.processes && one.pes == 0) give_equal_pes(one);
    set_variable(one.environment, mpi::variable_of_program, std::to_string(i));
    const job_program program{processes.of_each[i], one.command, one.environment};
    if (i == 0) whole = std::move(one);
    whole.programs.push_back(program);
  }
  return whole;
}

job_settings job_of_run(run_options input) {
  options_file from_file;
  if (input.file) from_file = read_options_file(*input.file);
  if (!input.processes && !input.program.empty() && !name_of_foreign_launcher(input.program.front()).empty())
    return job_of_foreign(std::move(input), from_file);
  if (const auto others = cut_at_colons(input.program, "imbrex run"); !others.empty()) {
    program_processes processes;
    if (!input.processes)
      throw usage_error(
          "-n is missing: give the number of processes of each program, such as imbrex run -n 2 "
          "./a : -n 2 ./b");
    processes.of_each.push_back(processes_of(*input.processes));
    for (const listed_program& each : others) {
      if (!each.number)
        throw usage_error("-n is missing: give the number of processes of " +
                          printable(each.command.front()) + ", such as : -n 2 " +
                          printable(each.command.front()));
      processes.of_each.push_back(processes_of(*each.number));
    }
    return job_of_programs(input, others, from_file, processes);
  }
  const way_to_mpi way = way_of(input.program, input.has("--ranks"));
  const bool is_mpi = is_of_mpi(input, way);
  if (!input.processes && from_file.processes == 0 && !is_mpi)
    throw usage_error("-n is missing: give the number of processes, such as imbrex run -n 4 PROGRAM");
  if ((input.preload || way == way_to_mpi::through_python) && input.has("--ranks"))
    throw usage_error(
        std::string(input.preload ? "--preload " : "") + "--ranks " + *input.with_value.at("--ranks") +
        ": a program that loads MPI later has one rank in each process; give -n instead of --ranks");
  const int processes = input.processes ? processes_of(*input.processes) : std::max(from_file.processes, 1);
  require_program(input.program, "run", "-n N");
  return job_with_restarts(std::move(input), from_file, processes, way);
}

/// `imbrex mpiexec` with several programs. Programs that load MPI later have one rank in each process.
job_settings job_of_lists(run_options input, const std::vector<listed_program>& others,
                          const options_file& from_file) {
  std::vector<int> ranks{ranks_of(input.processes.value_or("1"))};
  bool has_one_rank = input.preload || way_of(input.program, true) == way_to_mpi::through_python;
  for (const listed_program& each : others) {
    ranks.push_back(ranks_of(each.number.value_or("1")));
    has_one_rank = has_one_rank || way_of(each.command, true) == way_to_mpi::through_python;
  }
  int in_process = has_one_rank ? 1 : 0;
  for (const int number : ranks) in_process = std::gcd(in_process, number);
  program_processes processes;
  for (const int number : ranks) processes.of_each.push_back(number / in_process);
  if (processes.all() > max_processes)
    throw usage_error("the programs would have " + std::to_string(processes.all()) + " processes, with " +
                      std::to_string(in_process) + " ranks in each; at most " +
                      std::to_string(max_processes) +
                      " are possible: give numbers of ranks with a common divisor");
  input.with_value["--ranks"] = std::to_string(processes.all() * in_process);
  return job_of_programs(input, others, from_file, processes);
}

job_settings job_of_mpiexec(run_options input) {
  options_file from_file;
  if (input.file) from_file = read_options_file(*input.file);
  if (const auto others = cut_at_colons(input.program, "imbrex mpiexec"); !others.empty())
    return job_of_lists(std::move(input), others, from_file);
  require_program(input.program, "mpiexec", "-n RANKS");
  const way_to_mpi way = way_of(input.program, true);
  const std::string ranks = input.processes.value_or(std::to_string(std::max(from_file.processes, 1)));
  if (input.preload || way == way_to_mpi::through_python)
    return job_with_restarts(std::move(input), from_file, processes_of(ranks), way);
  input.with_value["--ranks"] = std::to_string(ranks_of(ranks));
  return job_with_restarts(std::move(input), from_file, 1, way);
}

}  // namespace

std::variant<job_settings, std::string> parse_run(std::span<const std::string> words) {
  run_options input;
  if (auto help = read_run_options(input, words)) return *std::move(help);
  return job_of_run(std::move(input));
}

std::variant<resize_settings, std::string> parse_resize(std::span<const std::string> words) {
  std::optional<std::string> processes;
  std::vector<std::string> launchers;
  command resize(
      "imbrex resize", "PID -n N",
      "Lets a job that `imbrex run --restarts` has started go on with another number of processes: a "
      "checkpoint is made, the processes end, and others begin from it. PID is the launcher's process "
      "id.");
  resize.option("-n", "N", processes, "number of processes").arguments(launchers);
  if (auto help = resize.read(words)) return *std::move(help);
  if (!processes)
    throw usage_error("-n is missing: give the number of processes, such as imbrex resize 4711 -n 12");
  const auto launcher = launchers.size() == 1 ? parse_number<int>(launchers.front()) : std::nullopt;
  if (!launcher || *launcher < 1)
    throw usage_error(
        "imbrex resize: give one process id, that of the launcher, such as imbrex resize 4711 -n 12");
  return resize_settings{*launcher, processes_of(*processes)};
}

std::variant<job_settings, std::string> parse_mpiexec(std::span<const std::string> words) {
  run_options input;
  if (auto help = read_mpiexec_options(input, words)) return *std::move(help);
  return job_of_mpiexec(std::move(input));
}

}  // namespace imbrex::tools
