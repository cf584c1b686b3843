// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/metrics/metrics_secret.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::tools {
namespace {

namespace files = std::filesystem;

class metrics_secret_file : public ::testing::Test {
 protected:
  metrics_secret_file() {
    std::string name = files::temp_directory_path() / "imbrex-secret-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    ::setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
  }
  ~metrics_secret_file() override {
    ::unsetenv("XDG_RUNTIME_DIR");
    files::remove_all(folder_);
  }

  files::path folder_;
};

std::string content(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(metrics_secret_file, has_a_secret_that_only_the_user_may_read) {
  std::string file, first;
  {
    const metrics_secret one(9100);
    file = one.file();
    first = one.text();
    EXPECT_EQ(file, folder_ / ("imbrex-metrics-" + std::to_string(::getuid()) + "-9100"));
    EXPECT_EQ(content(file), first);
    EXPECT_EQ(first.size(), 64u);
    struct stat found{};
    ASSERT_EQ(::stat(file.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0600u);
  }
  EXPECT_FALSE(files::exists(file));
  EXPECT_NE(metrics_secret(9100).text(), first);
}

TEST_F(metrics_secret_file, follows_no_link_and_replaces_an_old_one) {
  const files::path precious = folder_ / "precious";
  std::ofstream(precious) << "precious";
  files::create_symlink(precious, folder_ / ("imbrex-metrics-" + std::to_string(::getuid()) + "-1"));
  const metrics_secret one(1);
  EXPECT_EQ(content(precious), "precious");
  EXPECT_EQ(content(one.file()), one.text());
}

TEST_F(metrics_secret_file, says_where_it_cannot_be) {
  files::create_directory(folder_ / ("imbrex-metrics-" + std::to_string(::getuid()) + "-1"));
  const std::string complaint = testing::error_of<error>([] { metrics_secret one(1); });
  EXPECT_NE(complaint.find("for the secret cannot be made: File exists"), complaint.npos) << complaint;
}

}  // namespace
}  // namespace imbrex::tools
