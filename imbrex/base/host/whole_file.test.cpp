// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/whole_file.hpp>

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/small_files.test.hpp>
#include <imbrex/testing/error_of.hpp>

namespace {

namespace fs = std::filesystem;
using imbrex::whole_file;
using imbrex::testing::error_of;

void put(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

class WholeFile : public testing::Test {
 protected:
  WholeFile() {
    std::string place = (fs::temp_directory_path() / "imbrex-whole-XXXXXX").string();
    folder_ = ::mkdtemp(place.data());
    file_ = (folder_ / "file").string();
  }
  ~WholeFile() override { fs::remove_all(folder_); }

  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
  std::string file_;
};

TEST_F(WholeFile, TakesItsPlaceInOneStep) {
  put(file_, "first");
  fs::permissions(file_, fs::perms::owner_read | fs::perms::owner_write);
  whole_file next(file_);
  next.write(bytes("-econd"));
  next.write(bytes(" one"));
  next.write_first(bytes("s"));
  EXPECT_EQ(text_of(file_), "first");
  next.put_in_place();
  EXPECT_EQ(text_of(file_), "second one");
  EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(files(), 1);
}

TEST_F(WholeFile, LeavesNothingBehindIfItIsGivenUp) {
  put(file_, "first");
  whole_file(file_).write(bytes("second"));
  EXPECT_EQ(text_of(file_), "first");
  EXPECT_EQ(files(), 1);
}

TEST_F(WholeFile, MayHaveSeveralWriters) {
  whole_file one(file_);
  whole_file other(file_);
  one.write(bytes("one"));
  other.write(bytes("other"));
  one.put_in_place();
  other.put_in_place();
  EXPECT_EQ(text_of(file_), "other");
  EXPECT_EQ(files(), 1);
}

TEST_F(WholeFile, ReplacesWhatALinkLeadsTo) {
  fs::create_symlink("target", file_);
  for (const std::string_view text : {"first", "second"}) {  // at first the link leads to nothing
    whole_file next(file_);
    next.write(bytes(text));
    next.put_in_place();
    EXPECT_TRUE(fs::is_symlink(file_));
    EXPECT_EQ(text_of(folder_ / "target"), text);
  }
}

TEST_F(WholeFile, IsNeverWrittenInPlace) {
  put(file_, "first");
  fs::create_hard_link(file_, folder_ / "other");
  whole_file next(file_);
  next.write(bytes("second"));
  next.put_in_place();
  EXPECT_EQ(text_of(folder_ / "other"), "first");
  EXPECT_EQ(error_of<imbrex::error>([] { whole_file("/dev/null"); }), "it is no regular file");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_of<imbrex::error>([&] { whole_file((folder_ / "pipe").string()); }),
            "it is no regular file");
  EXPECT_EQ(error_of<imbrex::error>([&] { whole_file(folder_.string()); }), "Is a directory");
  EXPECT_EQ(error_of<imbrex::error>([&] { whole_file((folder_ / "no" / "file").string()); }),
            "No such file or directory");
  EXPECT_EQ(error_of<imbrex::error>([&] { whole_file((folder_ / std::string(250, 'f')).string()); }),
            "File name too long");
}

TEST_F(WholeFile, LeavesTheOtherAsItWasIfTheDiskIsFull) {
  put(file_, "first");
  const imbrex::test::small_files full(20);
  EXPECT_EQ(error_of<imbrex::error>([&] { whole_file(file_).write(bytes(std::string(100, '#'))); }),
            "File too large");
  EXPECT_EQ(text_of(file_), "first");
  EXPECT_EQ(files(), 1);
}

}  // namespace
