// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/abandoned_segments.hpp>

#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace imbrex::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_of_files = "ucx_shm_posix_";

/// Identifies a file: its device and inode.
using identity = std::pair<dev_t, ino_t>;

std::map<identity, fs::path> own_files(const fs::path& folder, std::time_t since) {
  std::map<identity, fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    struct stat file{};
    if (!entry.path().filename().string().starts_with(name_of_files)) continue;
    if (::lstat(entry.path().c_str(), &file) != 0 || !S_ISREG(file.st_mode)) continue;
    if (file.st_uid == ::geteuid() && file.st_ctime >= since)
      found.emplace(identity(file.st_dev, file.st_ino), entry.path());
  }
  return found;
}

/// Removes the files that a process has mapped from `files`. Lines of `maps` are "addresses permissions
/// offset major:minor inode path".
void leave_out_mapped(std::map<identity, fs::path>& files, const fs::path& process) {
  std::ifstream maps(process / "maps");
  std::string line;
  while (std::getline(maps, line)) {
    std::istringstream fields(line);
    std::string skipped;
    unsigned major = 0;
    unsigned minor = 0;
    char colon = 0;
    ino_t inode = 0;
    if (fields >> skipped >> skipped >> skipped >> std::hex >> major >> colon >> minor >> std::dec >> inode)
      files.erase({makedev(major, minor), inode});
  }
}

void leave_out_open(std::map<identity, fs::path>& files, const fs::path& process) {
  std::error_code none;
  for (const auto& link : fs::directory_iterator(process / "fd", none)) {
    struct stat file{};
    if (::stat(link.path().c_str(), &file) == 0) files.erase({file.st_dev, file.st_ino});
  }
}

/// Removes the files that any process has open or mapped from `files`.
void leave_out_used(std::map<identity, fs::path>& files) {
  std::error_code none;
  for (const auto& process : fs::directory_iterator("/proc", none)) {
    if (process.path().filename().string().find_first_not_of("0123456789") != std::string::npos) continue;
    leave_out_open(files, process);
    leave_out_mapped(files, process);
  }
}

void remove_system_v_segments(const std::set<pid_t>& ended) {
  std::ifstream table("/proc/sysvipc/shm");
  std::string line;
  std::getline(table, line);  // the headings
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    std::string key;
    std::string permissions;
    std::string size;
    int id = 0;
    pid_t creator = 0;
    pid_t last_user = 0;
    int attached = 1;
    if (!(fields >> key >> id >> permissions >> size >> creator >> last_user >> attached)) continue;
    if (attached == 0 && ended.contains(creator)) ::shmctl(id, IPC_RMID, nullptr);
  }
}

}  // namespace

fs::path segment_folder() {
  const char* const chosen = std::getenv("UCX_POSIX_DIR");
  return chosen != nullptr ? chosen : "/dev/shm";
}

void remove_abandoned_segments(const fs::path& folder, std::time_t since,
                               const std::set<pid_t>& ended) noexcept {
  try {
    auto files = own_files(folder, since);
    if (!files.empty()) leave_out_used(files);
    for (const auto& [id, path] : files) ::unlink(path.c_str());
    remove_system_v_segments(ended);
  } catch (const std::exception&) {  // out of memory: the files stay
  }
}

}  // namespace imbrex::tools
