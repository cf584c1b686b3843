// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/project/new_command.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/command.hpp>
#include <imbrex/base/options/nearest.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/project/project_files.hpp>

namespace imbrex::tools {
namespace {

namespace files = std::filesystem;

constexpr std::size_t longest_name = 60;
/// Names of CMake's targets, folders of a build next to the program, and the package that it searches.
constexpr std::array<std::string_view, 14> names_in_use{
    "all",           "clean",   "depend",         "edit_cache", "help", "imbrex",     "install",
    "rebuild_cache", "package", "package_source", "preinstall", "test", "CMakeFiles", "Testing"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool may_stand_in_name(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; }

void check_name(const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    throw usage_error(printable(name.empty() ? "an empty name" : name) +
                      " cannot be the name of a project: " + why);
  };
  if (name.empty() || !is_letter(name.front())) refuse("it must begin with a letter, as in heat");
  if (!std::ranges::all_of(name, may_stand_in_name))
    refuse("it may have letters, digits, _ and -; the project is made in the folder where the command runs");
  if (name.size() > longest_name)
    refuse("it has " + std::to_string(name.size()) + " characters, and may have " +
           std::to_string(longest_name));
  if (std::ranges::find(names_in_use, name) != names_in_use.end())
    refuse("CMake, or Imbrex itself, uses it; choose another");
}

std::string with_replaced(std::string_view text, std::string_view place, std::string_view by) {
  std::string result;
  for (std::size_t at = text.find(place); at != text.npos; at = text.find(place)) {
    result.append(text.substr(0, at)).append(by);
    text.remove_prefix(at + place.size());
  }
  return result.append(text);
}

/// "0.1" for "0.1.0", so that CMake accepts no other version of the interface.
std::string_view interface_of(std::string_view version) { return version.substr(0, version.rfind('.')); }

void write(const files::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw error(printable(file.string()) + " cannot be written; is there room, and may you write there?");
}

void check_kind(const std::string& kind) {
  std::vector<std::string_view> kinds;
  for (const project_file& file : project_files())
    if (kinds.empty() || kinds.back() != file.kind) kinds.push_back(file.kind);
  if (std::ranges::find(kinds, kind) != kinds.end()) return;
  std::string there_are;
  for (const std::string_view each : kinds) there_are += (there_are.empty() ? "" : ", ") + std::string(each);
  throw usage_error("--kind " + printable(kind) + ": there is no such kind of project" +
                    question_of(kind, kinds, "; there are: " + there_are));
}

}  // namespace

std::variant<project_settings, std::string> parse_new(std::span<const std::string> words) {
  std::vector<std::string> names;
  project_settings request;
  auto help =
      command(
          "imbrex new", "NAME [--kind KIND]",
          "Makes a folder NAME with a project: a program, and a test of it on the deterministic machine. Its "
          "README.md says how to build it.")
          .option(
              "--kind", "KIND", [&](const std::string& kind) { request.kind = kind; },
              "chares: a program of C++ with a chare (default); grid: fields on a grid in blocks; gpu: "
              "chares that compute on GPUs; python: a program of Python; python-cpp: chares of C++ for a "
              "program of Python; mpi: a program of MPI in C")
          .arguments(names)
          .read(words);
  if (help) return *std::move(help);
  if (names.empty()) throw usage_error("the project needs a name, as in: imbrex new heat");
  if (names.size() > 1)
    throw usage_error("one project at a time: " + std::to_string(names.size()) + " names are given");
  check_name(names.front());
  check_kind(request.kind);
  request.name = names.front();
  return request;
}

void make_project(const project_settings& request, std::string_view version) {
  const files::path folder = request.name;
  std::error_code problem;
  // Also refuses files and links without a target.
  if (files::exists(files::symlink_status(folder, problem)))
    throw usage_error("there is something of the name " + request.name +
                      " here already; choose another name, or remove it");
  if (!files::create_directory(folder, problem) || problem)
    throw error("the folder " + request.name + " cannot be made here: " + problem.message());
  try {
    for (const project_file& file : project_files()) {
      if (file.kind != request.kind) continue;
      const std::string text = with_replaced(file.text, "@VERSION@", interface_of(version));
      write(folder / file.name, with_replaced(text, "@NAME@", request.name));
    }
  } catch (const error&) {
    files::remove_all(folder, problem);
    throw;
  }
}

}  // namespace imbrex::tools
