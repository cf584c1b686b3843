// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/process_descriptors.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>

namespace imbrex::mpi {

namespace {

struct open_file {
  int descriptor = 0;
  dev_t device = 0;
  ino_t node = 0;
  bool is_epoll = false;
};

std::once_flag noted;
std::vector<open_file> files;  // noted once, in ascending order

std::vector<int> open_descriptors() {
  std::vector<int> all;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", problem)) {
    const std::string name = entry.path().filename();
    int number = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc())
      all.push_back(number);
  }
  std::ranges::sort(all);
  return all;
}

std::optional<open_file> file_at(int descriptor) {
  struct stat its{};
  if (::fstat(descriptor, &its) != 0) return std::nullopt;
  return open_file{descriptor, its.st_dev, its.st_ino, false};
}

bool is_epoll(int descriptor) {
  std::error_code problem;
  const auto target = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), problem);
  return target == "anon_inode:[eventpoll]";
}

bool is_still_open(const open_file& noted_file) {
  const auto now = file_at(noted_file.descriptor);
  return now && now->device == noted_file.device && now->node == noted_file.node;
}

/// Adds the descriptors that an epoll instance waits for, from lines such as "tfd:       12 events: ...".
void add_awaited(int epoll, std::vector<int>& all) {
  std::ifstream info("/proc/self/fdinfo/" + std::to_string(epoll));
  for (std::string word; info >> word;)
    if (int number = 0; word == "tfd:" && info >> number) all.push_back(number);
}

/// False for files and folders: epoll does not wait for them.
bool can_be_awaited(int descriptor) {
  struct stat its{};
  return ::fstat(descriptor, &its) == 0 && !S_ISREG(its.st_mode) && !S_ISDIR(its.st_mode);
}

}  // namespace

void process_descriptors::note() {
  std::call_once(noted, [] {
    for (const int number : open_descriptors()) {
      if (number <= STDERR_FILENO) continue;
      if (auto found = file_at(number)) {
        found->is_epoll = is_epoll(number);
        files.push_back(*found);
      }
    }
  });
}

bool process_descriptors::holds(int descriptor) {
  const auto at = std::ranges::lower_bound(files, descriptor, {}, &open_file::descriptor);
  if (at != files.end() && at->descriptor == descriptor && is_still_open(*at)) return true;
  return can_be_awaited(descriptor) && std::ranges::binary_search(all(), descriptor);
}

int process_descriptors::close_others(int (*close_range)(unsigned, unsigned, int), unsigned first,
                                      unsigned last, int flags) {
  for (const int kept : all()) {
    const auto number = static_cast<unsigned>(kept);
    if (number < first || number > last) continue;
    if (number > first && close_range(first, number - 1, flags) != 0) return -1;
    if (number == last) return 0;
    first = number + 1;
  }
  return close_range(first, last, flags);
}

std::vector<int> process_descriptors::all() {
  std::vector<int> found;
  for (const open_file& each : files) {
    if (!is_still_open(each)) continue;
    found.push_back(each.descriptor);
    if (each.is_epoll) add_awaited(each.descriptor, found);
  }
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  std::erase_if(found, [](int number) { return number <= STDERR_FILENO; });
  return found;
}

}  // namespace imbrex::mpi
