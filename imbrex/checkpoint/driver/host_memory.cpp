// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/driver/host_memory.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include <imbrex/checkpoint/folder.hpp>

namespace imbrex::checkpoints::detail {

namespace {

namespace fs = std::filesystem;

/// A job that goes on after a death leaves its folder alone for a shorter time.
constexpr auto longest_gap = std::chrono::minutes(10);

/// Locks a folder as long as the result is open; empty if that is not possible at once.
descriptor lock(const fs::path& folder, int how) {
  descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file || ::flock(file.get(), how | LOCK_NB) != 0) return {};
  return file;
}

void remove_abandoned(const std::string& own) {
  std::error_code none;
  const fs::path beginning = folders_in_host_memory;
  const std::string prefix = beginning.filename().string() + std::to_string(::getuid()) + "-";
  for (const auto& each : fs::directory_iterator(beginning.parent_path(), none)) {
    const bool is_other = each.path().filename().string().starts_with(prefix) && each.path() != own;
    if (!is_other || fs::file_time_type::clock::now() - each.last_write_time(none) < longest_gap) continue;
    if (const descriptor held = lock(each.path(), LOCK_EX); held) fs::remove_all(each.path(), none);
  }
}

}  // namespace

host_memory::host_memory(std::string folder, bool is_first)
    : folder_(folder.starts_with(folders_in_host_memory) ? std::move(folder) : std::string()),
      is_first_(is_first) {
  if (folder_.empty()) return;
  std::error_code none;
  if (is_first_) remove_abandoned(folder_);
  if (fs::create_directory(folder_, none)) fs::permissions(folder_, fs::perms::owner_all, none);
  lock_ = lock(folder_, LOCK_SH);
}

void host_memory::end(bool is_restarted) {
  std::error_code none;
  if (is_first_ && !folder_.empty() && !is_restarted) fs::remove_all(folder_, none);
}

}  // namespace imbrex::checkpoints::detail
