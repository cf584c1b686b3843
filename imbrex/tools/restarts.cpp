// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/restarts.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/tools/resize_request.hpp>

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

/// Adds option words to the program's, before a word "--".
void add_words(std::vector<std::string>& command, const std::vector<std::string>& words) {
  command.insert(std::find(command.begin() + 1, command.end(), "--"), words.begin(), words.end());
}

void say(const std::string& text) {
  std::fputs(("imbrex run: " + printable_lines(text) + "\n").c_str(), stderr);
}

}  // namespace

int run_with_restarts(const job_settings& settings) {
  const restart_settings& restarts = settings.restarts;
  const launcher own{.clean = cleaner(restarts.is_in_memory ? restarts.folder : std::string())};
  const folder_in_memory removed_at_end(restarts);
  if (restarts.folder.empty()) return run_job(settings, own).status;
  const time_limit limit(settings.timeout);
  // Checkpoints of an earlier job are none of this one.
  const std::uint64_t at_start = checkpoints::newest_checkpoint(restarts.folder);
  std::uint64_t before = at_start;
  job_settings next = settings;
  for (int begun = 0, deaths = 0;;) {
    next.timeout = limit.left();
    const job_end end = run_job(next, own);
    if (!end.is_for_resize && (!end.is_by_death || begun == restarts.most)) return end.status;
    const std::uint64_t newest = checkpoints::newest_checkpoint(restarts.folder);
    deaths = end.is_for_resize ? 0 : newest == before ? deaths + 1 : 1;
    before = newest;
    if (deaths == most_deaths_in_a_row) {
      say("no new checkpoint has come between " + std::to_string(deaths) + " deaths; the job is given up");
      return end.status;
    }
    if (end.next_processes > 0) next.processes = end.next_processes;
    next.command = settings.command;
    const bool has_checkpoint = newest > at_start;
    if (has_checkpoint) add_words(next.command, {"--restart", restarts.folder});
    if (end.is_for_resize) continue;
    say("restart " + std::to_string(++begun) + " of " + std::to_string(restarts.most) +
        (has_checkpoint ? ", from " + checkpoints::checkpoint_folder(restarts.folder).path_of(newest)
                        : ", from the beginning: there is no checkpoint yet"));
  }
}

}  // namespace imbrex::tools
