// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/mpi_program.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/mpi/image/elf_file.hpp>
#include <imbrex/mpi/image/heap_library.hpp>
#include <imbrex/tools/process/needed_libraries.hpp>
#include <imbrex/tools/python_command.hpp>

namespace imbrex::tools {

namespace {

/// The file that the system would execute.
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

way_to_mpi way_to_mpi_of(std::span<const std::string> command) try {
  const std::string file = file_of(command.front());
  const mpi::elf_file program(file);
  if (std::ranges::any_of(program.needed(), is_library_of_mpi)) return way_to_mpi::linked;
  if (is_python(command.front()) && imports_mpi4py(command.subspan(1))) return way_to_mpi::through_python;
  const std::optional<std::string> loader = program.loader();
  const bool is_needed = loader && std::ranges::any_of(needed_libraries(*loader, file), is_library_of_mpi);
  return is_needed ? way_to_mpi::through_library : way_to_mpi::none;
} catch (const error&) {
  return way_to_mpi::none;
}

bool is_python(const std::string& program) try {
  if (!std::filesystem::path(program).filename().string().starts_with("python")) return false;
  const mpi::elf_file binary(file_of(program));
  return true;
} catch (const error&) {
  return false;
}

void check_preload(const std::string& program) {
  const std::string file = file_of(program);
  if (::access(file.c_str(), R_OK) != 0) return;  // the start reports the error, as for any program
  try {
    const mpi::elf_file binary(file);
  } catch (const error&) {
    throw usage_error("--preload: " + printable(file) +
                      " is a script, or no program of this machine: name the program that it starts, such as "
                      "/usr/bin/python3");
  }
}

std::string sanitizer_of(const std::string& program) try {
  struct sanitizer {
    const char* name;
    const char* function;  ///< defined in a program that holds it
    std::array<std::string_view, 2> libraries;
  };
  constexpr std::array<sanitizer, 4> all{
      {{"AddressSanitizer", "__asan_init", {"libasan.so", "libclang_rt.asan"}},
       {"ThreadSanitizer", "__tsan_init", {"libtsan.so", "libclang_rt.tsan"}},
       {"MemorySanitizer", "__msan_init", {"libmsan.so", "libclang_rt.msan"}},
       {"LeakSanitizer", "__lsan_init", {"liblsan.so", "libclang_rt.lsan"}}}};
  const std::string file = file_of(program);
  const mpi::elf_file binary(file);
  const std::optional<std::string> loader = binary.loader();
  const std::vector<std::string> libraries =
      loader ? needed_libraries(*loader, file) : std::vector<std::string>();
  for (const sanitizer& each : all) {
    const auto is_its_library = [&](std::string_view library) {
      return std::ranges::any_of(each.libraries, [&](std::string_view l) { return library.starts_with(l); });
    };
    if (binary.defined(each.function) != nullptr || std::ranges::any_of(libraries, is_its_library))
      return each.name;
  }
  return "";
} catch (const error&) {
  return "";
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

std::string heap_library_of_mpi() {
  std::error_code problem;
  const std::string folder = mpich_folder();
  const auto file = std::filesystem::path(folder).parent_path() / mpi::file_of_heap_library;
  return !folder.empty() && std::filesystem::exists(file, problem) ? file.string() : "";
}

}  // namespace imbrex::tools
