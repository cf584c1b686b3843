// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/process/temporary_folder.hpp>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include <imbrex/base/error.hpp>

namespace imbrex::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_of_names = "imbrex-trials-";

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw error("cannot make a folder for temporary files, " + name + ": " + why +
              "; set TMPDIR to a folder with room");
}

/// Opens and locks a folder of this user. Empty if it belongs to another user, or cannot be opened, or if
/// `how` is LOCK_NB and the lock is taken.
descriptor locked(const fs::path& folder, int how) {
  descriptor folder_descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct ::stat found{};
  if (!folder_descriptor || ::fstat(folder_descriptor.get(), &found) != 0 || found.st_uid != ::geteuid() ||
      ::flock(folder_descriptor.get(), LOCK_EX | how) != 0)
    return {};
  return folder_descriptor;
}

/// Removes folders that killed processes have left.
void remove_abandoned(const fs::path& among) {
  std::error_code ignored;
  for (const auto& one : fs::directory_iterator(among, ignored)) {
    if (!one.path().filename().string().starts_with(first_of_names)) continue;
    if (const descriptor abandoned = locked(one.path(), LOCK_NB)) fs::remove_all(one.path(), ignored);
  }
}

}  // namespace

temporary_folder::temporary_folder() {
  std::error_code problem;
  const fs::path among = fs::temp_directory_path(problem);
  std::string pattern = among / (std::string(first_of_names) + "XXXXXX");
  if (problem) refuse(pattern, problem.message());
  remove_abandoned(among);
  do {
    std::string name = pattern;
    if (::mkdtemp(name.data()) == nullptr) refuse(name, std::strerror(errno));
    path_ = name;
    lock_ = locked(path_, 0);
  } while (!fs::exists(path_, problem));  // another process removed the folder before it was locked
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void temporary_folder::clear() const {
  std::error_code ignored;
  for (const auto& one : fs::directory_iterator(path_, ignored)) fs::remove_all(one.path(), ignored);
}

}  // namespace imbrex::tools
