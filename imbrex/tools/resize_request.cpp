// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/resize_request.hpp>

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <imbrex/base/error.hpp>
#include <imbrex/checkpoint/folder.hpp>

namespace imbrex::tools {

namespace {

/// The signal whose value is a number of processes.
constexpr int resize_signal = SIGUSR2;
/// The interval between requests for a checkpoint that does not come.
constexpr std::chrono::seconds asking_interval{1};

/// The words of a process's command line, with spaces between them.
std::string words_of_process(int pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/cmdline");
  std::string words((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::ranges::replace(words, '\0', ' ');
  return words;
}

}  // namespace

std::uint64_t newest_checkpoint(const restart_settings& job) {
  return job.have_hosts_own_folders ? checkpoints::newest_manifest(job.folder)
                                    : checkpoints::newest_checkpoint(job.folder);
}

std::string resize_request::begin(const restart_settings& job, int processes) {
  if (job.folder.empty())
    return "the job cannot be resized: start it with --restarts N, and with --checkpoint DIR or "
           "--checkpoint-memory PERIOD";
  if (is_pending()) return "the job is being resized already";
  job_ = job;
  before_ = newest_checkpoint(job_);
  processes_ = processes;
  next_ask_ = {};
  return "going on with " + std::to_string(processes) + (processes == 1 ? " process " : " processes ") +
         (has_lost_nodes_ ? "from the newest checkpoint" : "after the next checkpoint");
}

std::string resize_request::begin_on_slurm_nodes(const restart_settings& job,
                                                 std::span<const std::string> launcher) {
  if (is_pending()) return "the job is being resized already";
  try {
    const slurm_nodes nodes = slurm_nodes_now();
    const int before = slurm_nodes_before().value_or(nodes.count);
    if (nodes.count == before) return "the job has " + std::to_string(before) + " nodes as before";
    has_lost_nodes_ = nodes.count < before;
    nodes_ = nodes;
    return begin(job, processes_on(nodes, launcher));
  } catch (const error& e) {
    return std::string("the job cannot be resized: ") + e.what();
  }
}

bool resize_request::has_checkpoint() {
  is_done_ = has_lost_nodes_ || newest_checkpoint(job_) > before_;
  return is_done_;
}

bool resize_request::asks_at(std::chrono::steady_clock::time_point now) {
  if (now < next_ask_) return false;
  next_ask_ = now + asking_interval;
  return true;
}

bool has_slurm_nodes(const restart_settings& job) {
  return !job.folder.empty() && job.signal != resize_signal && slurm_nodes_before().has_value();
}

bool is_resize_request(const signalfd_siginfo& info) {
  return static_cast<int>(info.ssi_signo) == resize_signal && info.ssi_code == SI_QUEUE && info.ssi_int > 0;
}

int send_resize(const resize_settings& settings) {
  const std::string pid = std::to_string(settings.launcher);
  if (words_of_process(settings.launcher).find(" run ") == std::string::npos)
    throw error("process " + pid + " is no `imbrex run`; give the process id of the launcher");
  sigval number{};
  number.sival_int = settings.processes;
  if (::sigqueue(settings.launcher, resize_signal, number) != 0)
    throw error("process " + pid + " cannot be signalled: " + std::strerror(errno));
  return 0;
}

}  // namespace imbrex::tools
