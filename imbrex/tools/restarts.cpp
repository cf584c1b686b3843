// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/restarts.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/tools/foreign_launcher.hpp>
#include <imbrex/tools/metrics/metrics_secret.hpp>
#include <imbrex/tools/metrics/metrics_server.hpp>
#include <imbrex/tools/report_client.hpp>
#include <imbrex/tools/report_metrics.hpp>

namespace imbrex::tools {

namespace {

/// Deaths in a row without a new checkpoint after which the job is given up.
constexpr int most_deaths_in_a_row = 3;

/// Locks a folder as long as the result is open; empty if another process has it.
descriptor lock(const std::string& folder) {
  descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return {};
  return file;
}

/// Removes the folders of launchers that were killed, and so could not remove them: nobody locks them.
void remove_abandoned_folders() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path beginning = checkpoints_in_memory;
  for (const auto& each : fs::directory_iterator(beginning.parent_path(), ignored))
    if (each.path().filename().string().starts_with(beginning.filename().string()))
      if (const descriptor held = lock(each.path()); held) fs::remove_all(each.path(), ignored);
}

/// The folder of a job's checkpoints in memory. Its end removes the folder.
class folder_in_memory {
 public:
  /// Makes the folder, if the checkpoints are in memory. Throws imbrex::error if that is not possible.
  explicit folder_in_memory(const restart_settings& settings)
      : path_(settings.is_in_memory ? settings.folder : std::string()) {
    if (path_.empty()) return;
    remove_abandoned_folders();
    // Another launcher may see the folder before it is locked, and remove it.
    while (!held_) {
      constexpr mode_t only_by_its_user = 0700;
      if (::mkdir(path_.c_str(), only_by_its_user) != 0)
        throw error("--checkpoint-memory: " + path_ + " cannot be made: " + std::strerror(errno) +
                    "; give --checkpoint DIR instead");
      descriptor held = lock(path_);
      if (held && std::filesystem::exists(path_)) held_ = std::move(held);
    }
  }
  folder_in_memory(const folder_in_memory&) = delete;
  folder_in_memory& operator=(const folder_in_memory&) = delete;
  ~folder_in_memory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

 private:
  const std::string path_;
  descriptor held_;
};

/// The time that a job has left of its --timeout.
class time_limit {
 public:
  explicit time_limit(std::optional<std::chrono::milliseconds> most) {
    if (most) end_ = std::chrono::steady_clock::now() + *most;
  }
  /// At least a millisecond; empty without a limit.
  std::optional<std::chrono::milliseconds> left() const {
    using std::chrono::milliseconds;
    if (!end_) return std::nullopt;
    const auto left = std::chrono::ceil<milliseconds>(*end_ - std::chrono::steady_clock::now());
    return std::max(left, milliseconds(1));
  }

 private:
  std::optional<std::chrono::steady_clock::time_point> end_;
};

/// Lets the program begin from this folder: by words before a word "--", or by the environment of an MPI
/// program, or of one that another launcher starts.
void restart_from(const std::string& folder, job_settings& job) {
  const std::string option = "--restart";
  auto& words = job.command;
  if (!job.is_foreign() && job.ranks == 0) {
    words.insert(std::find(words.begin() + 1, words.end(), "--"), {option, folder});
    return;
  }
  // Words of a program with chares win over its environment's.
  for (std::size_t i = 1; job.is_foreign() && i < words.size(); ++i) {
    if (words[i] == option && i + 1 < words.size()) words[i + 1] = folder;
    if (words[i].starts_with(option + "=")) words[i] = option + "=" + folder;
  }
  add_options(job.environment, {option, folder});
}

/// Lets the next start have other numbers.
void resize(job_settings& base, const job_end& request) {
  if (request.next_nodes) {
    use_slurm_nodes(*request.next_nodes);
    set_nodes(base.command, request.next_nodes->count);
  }
  if (request.next_processes == 0) return;
  if (base.is_foreign())
    set_processes(base.command, request.next_processes);
  else
    base.processes = request.next_processes;
}

void say(const std::string& text) {
  std::fputs(("imbrex run: " + printable_lines(text) + "\n").c_str(), stderr);
}

/// Lets the next start have the nodes that a job of Slurm still has after a death.
void follow_slurm(job_settings& base) {
  const auto before = slurm_nodes_before();
  if (base.foreign_launcher != "srun" || !before) return;
  try {
    const slurm_nodes nodes = slurm_nodes_now();
    if (nodes.count == *before) return;
    resize(base, {.next_processes = processes_on(nodes, base.command), .next_nodes = nodes});
  } catch (const error&) {  // srun will say what it cannot do
  }
}

/// Figures of all processes of this launcher by HTTP, as long as it lives.
struct figures_server {
  explicit figures_server(const metrics_address& where) : server(where), secret(server.port()) {
    server.start(secret.text(), [] { return figures_of_processes(::getpid()); });
  }

  metrics_server server;
  metrics_secret secret;
};

/// Serves figures there. If that is not possible, it says so, and the job runs without.
std::unique_ptr<figures_server> serve_figures(const metrics_address& where) {
  try {
    auto figures = std::make_unique<figures_server>(where);
    const metrics_address found{where.host, figures->server.port()};
    say("figures at http://" + found.text() + "/metrics for who sends the secret in " +
        figures->secret.file());
    return figures;
  } catch (const error& e) {
    say(std::string(e.what()) + "; the job runs without figures");
    return nullptr;
  }
}

/// Runs the job. If its processes cannot be started after a resize, it ends with a status, not an exception.
job_end run_resized(const job_settings& settings, const launcher& by, bool is_resized) {
  try {
    return run_job(settings, by);
  } catch (const error& e) {
    if (!is_resized) throw;
    say(e.what());
    return {.status = 1};
  }
}

}  // namespace

int run_with_restarts(const job_settings& settings) {
  const restart_settings& restarts = settings.restarts;
  const launcher own{.clean = cleaner(restarts.is_in_memory ? restarts.folder : std::string())};
  const auto figures = settings.metrics ? serve_figures(*settings.metrics) : nullptr;
  const folder_in_memory removed_at_end(restarts);
  if (restarts.folder.empty()) return run_job(settings, own).status;
  const time_limit limit(settings.timeout);
  // Checkpoints of an earlier job are none of this one.
  const std::uint64_t at_start = newest_checkpoint(restarts);
  std::uint64_t before = at_start;
  job_settings base = settings;        // as the next start has them, but for its --restart
  std::optional<job_settings> former;  // the settings before a resize whose processes have not met yet
  for (int begun = 0, deaths = 0;;) {
    job_settings next = base;
    next.timeout = limit.left();
    const bool has_checkpoint = before > at_start;
    if (has_checkpoint) restart_from(restarts.folder, next);
    const job_end end = run_resized(next, own, former.has_value());
    const std::uint64_t newest = newest_checkpoint(restarts);
    const bool has_failed = end.status != 0 && !end.is_by_death && !end.is_by_request && !end.is_for_resize;
    if (former && has_failed && newest == before) {
      say("the job cannot go on with other numbers of processes; it goes on with those before");
      base = *std::exchange(former, std::nullopt);
      continue;
    }
    former.reset();
    if (!end.is_for_resize && (!end.is_by_death || begun == restarts.most)) return end.status;
    deaths = end.is_for_resize ? 0 : newest == before ? deaths + 1 : 1;
    before = newest;
    if (deaths == most_deaths_in_a_row) {
      say("no new checkpoint has come between " + std::to_string(deaths) + " deaths; the job is given up");
      return end.status;
    }
    if (end.next_processes > 0) {
      former = base;
      resize(base, end);
    }
    if (end.is_for_resize) continue;
    follow_slurm(base);
    say("restart " + std::to_string(++begun) + " of " + std::to_string(restarts.most) +
        (newest > at_start ? ", from " + checkpoints::checkpoint_folder(restarts.folder).path_of(newest)
                           : ", from the beginning: there is no checkpoint yet"));
  }
}

}  // namespace imbrex::tools
