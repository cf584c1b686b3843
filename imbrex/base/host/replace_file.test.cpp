// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/replace_file.hpp>

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include <gtest/gtest.h>

#include <imbrex/base/host/small_files.test.hpp>

namespace {

namespace fs = std::filesystem;
using imbrex::replace_file;
using imbrex::test::small_files;

void put(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

class ReplaceFile : public testing::Test {
 protected:
  ReplaceFile() {
    std::string place = (fs::temp_directory_path() / "imbrex-replace-XXXXXX").string();
    folder_ = ::mkdtemp(place.data());
    file_ = (folder_ / "file").string();
  }
  ~ReplaceFile() override { fs::remove_all(folder_); }

  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
  std::string file_;
};

TEST_F(ReplaceFile, MakesOneAndReplacesIt) {
  for (const std::string text : {"first\n", "second, and longer\n", "", "3"}) {
    EXPECT_FALSE(replace_file(file_, text));
    EXPECT_EQ(text_of(file_), text);
    EXPECT_EQ(files(), 1);
  }
}

TEST_F(ReplaceFile, KeepsThePermissions) {
  put(file_, "first\n");
  fs::permissions(file_, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_FALSE(replace_file(file_, "second\n"));
  EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ReplaceFile, LeavesItAsItWasIfTheDiskIsFull) {
  put(file_, "first\n");
  const small_files full(20);
  EXPECT_EQ(replace_file(file_, std::string(100, '#')), std::errc::file_too_large);
  EXPECT_EQ(text_of(file_), "first\n");
  EXPECT_EQ(files(), 1);
}

TEST_F(ReplaceFile, LeavesNothingWhereThereWasNothing) {
  const small_files full(20);
  EXPECT_EQ(replace_file(file_, std::string(100, '#')), std::errc::file_too_large);
  EXPECT_EQ(files(), 0);
}

TEST_F(ReplaceFile, ReplacesWhatALinkLeadsTo) {
  const fs::path target = folder_ / "target";
  fs::create_symlink("target", file_);
  for (const std::string text : {"first\n", "second\n"}) {  // at first the link leads to nothing
    EXPECT_FALSE(replace_file(file_, text));
    EXPECT_TRUE(fs::is_symlink(file_));
    EXPECT_EQ(text_of(target.string()), text);
  }
  EXPECT_EQ(files(), 2);
}

TEST_F(ReplaceFile, LeavesOtherNamesOfAFileEqual) {
  put(file_, "first\n");
  const fs::path other = folder_ / "other";
  fs::create_hard_link(file_, other);
  EXPECT_FALSE(replace_file(file_, "second\n"));
  EXPECT_EQ(text_of(other.string()), "second\n");
}

TEST_F(ReplaceFile, WritesWhereNoFileCanBeMadeBeside) {
  const std::string file = (folder_ / std::string(250, 'f')).string();
  EXPECT_FALSE(replace_file(file, "first\n"));
  EXPECT_FALSE(replace_file(file, "second\n"));
  EXPECT_EQ(text_of(file), "second\n");
  EXPECT_EQ(files(), 1);
}

TEST_F(ReplaceFile, KeepsWhatMayNotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everything";
  put(file_, "first\n");
  fs::permissions(file_, fs::perms::owner_read);
  EXPECT_EQ(replace_file(file_, "second\n"), std::errc::permission_denied);
  EXPECT_EQ(text_of(file_), "first\n");
}

TEST_F(ReplaceFile, GivesNewFilesTheUsualPermissions) {
  EXPECT_FALSE(replace_file(file_, "text\n"));
  const std::string usual = (folder_ / "usual").string();
  put(usual, "text\n");
  EXPECT_EQ(fs::status(file_).permissions(), fs::status(usual).permissions());
}

TEST_F(ReplaceFile, WritesDevicesInPlace) {
  EXPECT_FALSE(replace_file("/dev/null", "text"));
  EXPECT_FALSE(fs::is_regular_file("/dev/null"));
  EXPECT_EQ(replace_file("/dev/full", "text"), std::errc::no_space_on_device);
}

TEST_F(ReplaceFile, SaysWhyItCannot) {
  EXPECT_EQ(replace_file((folder_ / "nowhere" / "file").string(), "text"),
            std::errc::no_such_file_or_directory);
  put(file_, "first\n");
  EXPECT_EQ(replace_file(file_ + "/file", "text"), std::errc::not_a_directory);
  EXPECT_EQ(replace_file(folder_.string(), "text"), std::errc::is_a_directory);
  EXPECT_EQ(files(), 1);
}

}  // namespace
