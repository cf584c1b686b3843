// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/mpi_program.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/mpi/image/elf_file.hpp>

namespace imbrex::tools {

namespace {

/// The file that the system would run.
std::string file_of(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const path = std::getenv("PATH");
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string file = std::string(rest.substr(0, end)) + "/" + program;
    if (::access(file.c_str(), X_OK) == 0) return file;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return program;
}

bool is_library_of_mpi(std::string_view name) {
  if (name.starts_with("libimbrex_mpi.so")) return true;
  for (const char* const of_mpich :
       {"libmpich.so.12", "libmpi.so.12", "libmpichfort.so.12", "libmpifort.so.12"})
    if (name == of_mpich) return true;
  return false;
}

}  // namespace

bool is_mpi_program(const std::string& program) try {
  const mpi::elf_file file(file_of(program));
  return std::ranges::any_of(file.needed(), is_library_of_mpi);
} catch (const error&) {
  return false;
}

void check_preload(const std::string& program) {
  const std::string file = file_of(program);
  if (::access(file.c_str(), R_OK) != 0) return;  // the start tells it, as of any program
  try {
    const mpi::elf_file opened(file);
  } catch (const error&) {
    throw usage_error("--preload: " + printable(file) +
                      " is a script, or no program of this machine: name the program that it starts, such as "
                      "/usr/bin/python3");
  }
}

std::string mpich_folder() {
  std::error_code problem;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", problem).parent_path().parent_path();
  for (const char* const libraries : {"lib", IMBREX_LIBRARIES}) {
    const auto folder = here / libraries / "imbrex" / "mpich";
    if (std::filesystem::exists(folder, problem)) return folder.string();
  }
  return "";
}

}  // namespace imbrex::tools
