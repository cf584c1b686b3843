// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/restarts.hpp>

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include <imbrex/base/options/number.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/tools/resize_request.hpp>

namespace imbrex::tools {

namespace {

/// Deaths in a row without a new checkpoint after which the job is given up.
constexpr int most_deaths_in_a_row = 3;

/// Removes a folder of checkpoints in memory.
class folder_in_memory {
 public:
  explicit folder_in_memory(const restart_settings& settings)
      : path_(settings.is_in_memory ? settings.folder : std::string()) {}
  folder_in_memory(const folder_in_memory&) = delete;
  folder_in_memory& operator=(const folder_in_memory&) = delete;
  ~folder_in_memory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

 private:
  const std::string path_;
};

/// Removes the folders of launchers that were killed, and so could not remove them.
void remove_abandoned_folders() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path beginning = checkpoints_in_memory;
  for (const auto& each : fs::directory_iterator(beginning.parent_path(), ignored)) {
    const std::string name = each.path().filename().string();
    if (!name.starts_with(beginning.filename().string())) continue;
    const auto pid = parse_number<int>(name.substr(beginning.filename().string().size()));
    const bool is_abandoned = pid && *pid > 0 && ::kill(*pid, 0) != 0 && errno == ESRCH;
    if (is_abandoned) fs::remove_all(each.path(), ignored);
  }
}

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
  if (restarts.folder.empty()) return run_job(settings).status;
  if (restarts.is_in_memory) remove_abandoned_folders();
  const folder_in_memory removed_at_end(restarts);
  std::uint64_t before = checkpoints::newest_checkpoint(restarts.folder);
  job_settings next = settings;
  for (int begun = 0, deaths = 0;; ++begun) {
    const job_end end = run_job(next);
    if (end.next_processes > 0) {
      next = settings;
      next.processes = end.next_processes;
      add_words(next.command, {"--restart", restarts.folder});
      before = checkpoints::newest_checkpoint(restarts.folder);
      deaths = 0;
      --begun;
      continue;
    }
    if (!end.is_by_death || begun == restarts.most) return end.status;
    const std::uint64_t newest = checkpoints::newest_checkpoint(restarts.folder);
    deaths = newest == before ? deaths + 1 : 1;
    before = newest;
    if (deaths == most_deaths_in_a_row) {
      say("no new checkpoint has come between " + std::to_string(deaths) + " deaths; the job is given up");
      return end.status;
    }
    next.command = settings.command;
    if (newest != 0) add_words(next.command, {"--restart", restarts.folder});
    say("restart " + std::to_string(begun + 1) + " of " + std::to_string(restarts.most) +
        (newest == 0 ? ", from the beginning: there is no checkpoint yet"
                     : ", from " + checkpoints::checkpoint_folder(restarts.folder).path_of(newest)));
  }
}

}  // namespace imbrex::tools
