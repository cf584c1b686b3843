// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/project/new_command.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/tools/project/project_files.hpp>

namespace imbrex::tools {
namespace {

namespace files = std::filesystem;

using words = std::vector<std::string>;

std::string complaint(const words& line) {
  return testing::error_of<usage_error>([&] { parse_new(line); });
}

TEST(new_command, takes_one_name) {
  EXPECT_EQ(std::get<project_settings>(parse_new(words{"heat"})).name, "heat");
  EXPECT_EQ(std::get<project_settings>(parse_new(words{"Heat_2-d"})).name, "Heat_2-d");
  EXPECT_TRUE(std::get<std::string>(parse_new(words{"--help"})).starts_with("imbrex new NAME"));
}

TEST(new_command, takes_a_kind) {
  EXPECT_EQ(std::get<project_settings>(parse_new(words{"heat"})).kind, "chares");
  for (const std::string kind : {"chares", "grid", "gpu", "python", "python-cpp", "mpi"})
    EXPECT_EQ(std::get<project_settings>(parse_new(words{"--kind", kind, "heat"})).kind, kind);
}

TEST(new_command, refuses_names_that_no_project_can_have) {
  const std::vector<std::pair<words, const char*>> wrong{
      {{}, "the project needs a name, as in: imbrex new heat"},
      {{"a", "b"}, "one project at a time: 2 names are given"},
      {{""}, "an empty name cannot be the name of a project: it must begin with a letter"},
      {{"2d"}, "2d cannot be the name of a project: it must begin with a letter"},
      {{"../heat"}, "it must begin with a letter"},
      {{"src/heat"}, "it may have letters, digits, _ and -; the project is made in the folder where"},
      {{"heat flow"}, "it may have letters, digits, _ and -"},
      {{"h\xc3\xa4t"}, "it may have letters, digits, _ and -"},
      {{"test"}, "test cannot be the name of a project: CMake, or Imbrex itself, uses it"},
      {{"imbrex"}, "CMake, or Imbrex itself, uses it"},
      {{std::string(61, 'a')}, "it has 61 characters, and may have 60"},
      {{"--nmae"}, "unknown option --nmae"},
      {{"heat", "--kind", "gird"}, "--kind gird: there is no such kind of project; did you mean grid?"},
      {{"heat", "--kind", "fortran"},
       "there is no such kind of project; there are: chares, grid, gpu, python"},
  };
  for (const auto& [line, expected] : wrong)
    EXPECT_NE(complaint(line).find(expected), std::string::npos) << expected << ", got: " << complaint(line);
}

/// A new working directory for each test.
class new_project : public ::testing::Test {
 protected:
  new_project() : before_(files::current_path()) {
    std::string name = files::temp_directory_path() / "imbrex-new-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    files::current_path(folder_);
  }
  ~new_project() override {
    files::current_path(before_);
    files::remove_all(folder_);
  }

  files::path folder_;

 private:
  files::path before_;
};

std::string content(const files::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(new_project, has_all_files_with_its_name_and_the_version_that_it_asks_for) {
  const std::vector<std::pair<std::string, std::set<std::string>>> kinds{
      {"chares", {".gitignore", "CMakeLists.txt", "README.md", "main.cpp", "test.cpp", "worker.hpp"}},
      {"grid", {".gitignore", "CMakeLists.txt", "README.md", "block.hpp", "main.cpp", "test.cpp"}},
      {"gpu",
       {".gitignore", "CMakeLists.txt", "README.md", "kernels.cu", "kernels.hpp", "main.cpp", "piece.hpp",
        "test.cpp"}},
      {"mpi", {".gitignore", "CMakeLists.txt", "README.md", "main.c"}}};
  for (const auto& [kind, expected] : kinds) {
    make_project({.name = kind, .kind = kind}, "2.7.1");
    std::set<std::string> names;
    for (const auto& file : files::directory_iterator(kind)) {
      names.insert(file.path().filename());
      EXPECT_EQ(content(file.path()).find('@'), std::string::npos) << file.path();
    }
    EXPECT_EQ(names, expected);
    const std::string cmake = content(kind + "/CMakeLists.txt");
    EXPECT_NE(cmake.find("project(" + kind + " LANGUAGES C"), std::string::npos);
    EXPECT_NE(cmake.find("find_package(imbrex 2.7 REQUIRED"), std::string::npos);
  }
}

TEST_F(new_project, may_be_one_of_python) {
  make_project({.name = "heat", .kind = "python"}, "2.7.1");
  std::set<std::string> names;
  for (const auto& file : files::directory_iterator("heat")) names.insert(file.path().filename());
  EXPECT_EQ(names,
            (std::set<std::string>{".gitignore", "README.md", "program.py", "test_worker.py", "worker.py"}));
  EXPECT_TRUE(content("heat/README.md").starts_with("# heat\n"));
}

TEST_F(new_project, replaces_nothing) {
  files::create_directory("folder");
  std::ofstream("file") << "precious";
  files::create_symlink("nowhere", "link");
  for (const std::string name : {"folder", "file", "link"}) {
    EXPECT_EQ(testing::error_of<usage_error>([&] { make_project({.name = name}, "0.1.0"); }),
              "there is something of the name " + name + " here already; choose another name, or remove it");
  }
  EXPECT_TRUE(files::is_empty("folder"));
  EXPECT_EQ(content("file"), "precious");
}

TEST_F(new_project, leaves_nothing_where_it_cannot_be_written) {
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit little{.rlim_cur = 20, .rlim_max = before.rlim_max};
  const auto action = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &little);
  EXPECT_THROW(make_project({.name = "heat"}, "0.1.0"), error);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, action);
  EXPECT_FALSE(files::exists("heat"));
}

}  // namespace
}  // namespace imbrex::tools
