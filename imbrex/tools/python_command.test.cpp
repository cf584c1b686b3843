// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/python_command.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <imbrex/base/host/temporary_file.test.hpp>

namespace imbrex::tools {
namespace {

bool imports(const std::vector<std::string>& arguments) { return imports_mpi4py(arguments); }

TEST(python_command, knows_modules_of_mpi4py) {
  EXPECT_TRUE(imports({"-m", "mpi4py.bench", "helloworld"}));
  EXPECT_TRUE(imports({"-u", "-X", "dev", "-Wignore", "-Em", "mpi4py"}));
  EXPECT_TRUE(imports({"-mmpi4py.run", "x.py"}));
  EXPECT_FALSE(imports({"-m", "mpi4python"}));
  EXPECT_FALSE(imports({"-m", "timeit", "-m", "mpi4py"}));
}

TEST(python_command, looks_into_code_and_scripts) {
  EXPECT_TRUE(imports({"-c", "from mpi4py import MPI"}));
  EXPECT_FALSE(imports({"-c", "print(1)", "mpi4py"}));
  const test::temporary_file script("import sys\nfrom mpi4py import MPI\n");
  EXPECT_TRUE(imports({"-O", script.name(), "-m", "x"}));
  const test::temporary_file other("import sys\n");
  EXPECT_FALSE(imports({other.name(), "mpi4py"}));
  const test::temporary_file of_both("from mpi4py import MPI\nimport imbrex\n");
  EXPECT_FALSE(imports({of_both.name()}));
}

TEST(python_command, bears_what_names_no_code) {
  EXPECT_FALSE(imports({}));
  EXPECT_FALSE(imports({"-"}));
  EXPECT_FALSE(imports({"-V"}));
  EXPECT_FALSE(imports({"-m"}));
  EXPECT_FALSE(imports({"-W"}));
  EXPECT_FALSE(imports({"/no/such/script.py"}));
}

}  // namespace
}  // namespace imbrex::tools
