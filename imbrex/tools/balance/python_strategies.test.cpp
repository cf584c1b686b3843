// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/balance/snapshot.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/tools/balance/python_strategies.hpp>

namespace imbrex::tools::balance {
namespace {

namespace fs = std::filesystem;
using imbrex::balance::find_strategy;
using imbrex::testing::error_of;

/// Runs strategies by the sources of the Python package, in a package without the compiled module.
class python_files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "imbrex-python-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    const fs::path sources = fs::path(__FILE__).parent_path() / "../../python/imbrex";
    fs::create_directory(folder_ / "imbrex");
    for (const char* const file : {"_balance.py", "_strategy_server.py"})
      fs::copy_file(sources / file, folder_ / "imbrex" / file);
    write("imbrex/__init__.py", "from imbrex._balance import strategy\n");
    write("imbrex/_errors.py", "class Error(Exception): pass\nclass UsageError(Error): pass\n");
    write("imbrex/_core.py",
          "def strategy_names(): return ['segments']\ndef add_strategy(name, edges): pass\n");
    ::setenv("PYTHONPATH", folder_.c_str(), 1);
    path_ = std::getenv("PATH");
    if (std::system("python3 -c 'import numpy' 2>/dev/null") != 0) GTEST_SKIP() << "no python3 with numpy";
  }
  void TearDown() override {
    ::unsetenv("PYTHONPATH");
    ::setenv("PATH", path_.c_str(), 1);
    fs::remove_all(folder_);
  }

  std::string write(const std::string& file, const std::string& text) const {
    std::ofstream(folder_ / file) << text;
    return folder_ / file;
  }
  std::string refusal(const std::string& file) const {
    return error_of<usage_error>([&] { const python_strategies refused(file); });
  }

  fs::path folder_;
  std::string path_;
};

imbrex::balance::snapshot some_problem() {
  imbrex::balance::snapshot p;
  p.pes = 3;
  p.pe = {0, 0, 0, 1};
  p.load = {1, 2, 3, 4};
  p.movable = {1, 1, 1, 0};
  p.sent = {{10, 1}, {20, 2}, {30, 3}, {40, 4}};
  p.dimensions = 2;
  p.coordinates = {0, 5, 1, 6, 2, 7, 3, 8};
  p.node = {0, 0, 1};
  p.seed = 77;
  return p;
}

TEST_F(python_files, serve_their_strategies) {
  write("other.py", "def last(p): return p.pes - 1\n");
  const python_strategies file(write("mine.py", R"(
import imbrex, numpy, other
print("loaded")
@imbrex.strategy("by all")
def by_all(p):
    assert p.pe.tolist() == [0, 0, 0, 1] and p.load.tolist() == [1, 2, 3, 4], p
    assert p.movable.tolist() == [True, True, True, False] and p.node.tolist() == [0, 0, 1], p
    assert p.bytes.tolist() == [10, 20, 30, 40] and p.messages.tolist() == [1, 2, 3, 4], p
    assert p.coordinates.tolist() == [[0, 5], [1, 6], [2, 7], [3, 8]] and p.pes == 3 and p.seed == 77, p
    return numpy.array([2, 1, 2, 1])
@imbrex.strategy("to the last")
def to_the_last(p): return [other.last(p)] * len(p.pe)
if __name__ == "__main__": raise SystemExit("a program")
)"));
  EXPECT_EQ(file.names(), (std::vector<std::string>{"by all", "to the last"}));
  const auto p = some_problem();
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(find_strategy("by all").solve(p.view()), (std::vector<int>{2, 1, 2, 1}));
    EXPECT_EQ(find_strategy("to the last").solve(p.view()), (std::vector<int>{2, 2, 2, 1}));
  }
  imbrex::balance::snapshot bare;
  bare.pes = 2;
  bare.pe = {0, 0, 0};
  EXPECT_EQ(find_strategy("to the last").solve(bare.view()), (std::vector<int>{1, 1, 1}));
}

TEST_F(python_files, that_fail_are_named_with_the_reason) {
  const python_strategies file(write("mine.py", R"(
import imbrex, os
@imbrex.strategy("divides")
def divides(p): return 1 / 0
@imbrex.strategy("short")
def short(p): return [0]
@imbrex.strategy("text")
def text(p): return "PE 1"
@imbrex.strategy("ends")
def ends(p): os._exit(3)
)"));
  const auto p = some_problem();
  const std::vector<std::pair<const char*, const char*>> failures{
      {"divides",
       "mine.py: the strategy 'divides' raised ZeroDivisionError: division by zero (mine.py, line 4)"},
      {"short", "short"},
      {"text", "mine.py: the strategy 'text' returned"},
      {"ends", "mine.py: python3, which runs its strategies, has ended with status 3"}};
  for (const auto& [name, expected] : failures) {
    const std::string text = error_of<error>([&, n = name] { find_strategy(n).solve(p.view()); });
    EXPECT_NE(text.find(expected), std::string::npos) << text;
  }
}

TEST_F(python_files, without_strategies_are_refused) {
  const std::vector<std::pair<std::string, const char*>> files{
      {write("none.py", "import imbrex\n"), "none.py: the file has no strategies; give it a function with"},
      {write("wrong.py", "def:\n"), "wrong.py: SyntaxError: invalid syntax"},
      {write("exits.py", "raise SystemExit(4)\n"),
       "exits.py: python3 has ended with status 4 before it could run"},
      {folder_ / "missing.py", "missing.py: FileNotFoundError"},
      {write("taken.py", "import imbrex\n@imbrex.strategy('segments')\ndef f(p): pass\n"),
       "taken.py: imbrex._errors.UsageError: there is a strategy 'segments' already"}};
  for (const auto& [file, expected] : files) {
    const std::string text = refusal(file);
    EXPECT_NE(text.find(expected), std::string::npos) << text;
  }
}

TEST_F(python_files, need_python_and_its_package) {
  const std::string file = write("mine.py", "import imbrex\n");
  fs::remove(folder_ / "imbrex/_strategy_server.py");
  ::testing::internal::CaptureStderr();
  EXPECT_NE(refusal(file).find("before it could run the strategies; it needs the package imbrex"),
            std::string::npos);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("No module named imbrex._strategy_server"),
            std::string::npos);
  ::setenv("PATH", folder_.c_str(), 1);
  EXPECT_NE(refusal(file).find("cannot run 'python3'"), std::string::npos);
}

}  // namespace
}  // namespace imbrex::tools::balance
