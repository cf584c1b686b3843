// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/process/temporary_folder.hpp>

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include <imbrex/base/error.hpp>

namespace imbrex::tools {

temporary_folder::temporary_folder() {
  std::error_code problem;
  const auto among = std::filesystem::temp_directory_path(problem);
  std::string name = among / "imbrex-XXXXXX";
  if (problem || ::mkdtemp(name.data()) == nullptr)
    throw error("cannot make a folder for temporary files, " + name + ": " +
                (problem ? problem.message() : std::strerror(errno)) + "; set TMPDIR to a folder with room");
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void temporary_folder::clear() const {
  std::error_code ignored;
  for (const auto& one : std::filesystem::directory_iterator(path_, ignored))
    std::filesystem::remove_all(one.path(), ignored);
}

}  // namespace imbrex::tools
