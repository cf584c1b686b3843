// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/output_file.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/tools/process/temporary_folder.hpp>

namespace {

namespace fs = std::filesystem;
using imbrex::testing::error_of;
using imbrex::tune::check_output;
using imbrex::tune::write_output;

void put(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

class output_file : public testing::Test {
 protected:
  imbrex::tools::temporary_folder folder_;
  std::string file_ = folder_.file("tuned.options");

  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(fs::path(file_).parent_path()), fs::directory_iterator());
  }
};

TEST_F(output_file, is_replaced_as_a_whole) {
  put(file_, "--odf 4\n--pes 2\n");
  fs::permissions(file_, fs::perms::owner_read | fs::perms::owner_write);
  check_output(file_);
  EXPECT_EQ(text_of(file_), "--odf 4\n--pes 2\n");
  write_output(file_, "--odf 8\n");
  EXPECT_EQ(text_of(file_), "--odf 8\n");
  EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(files(), 1);
}

TEST_F(output_file, is_not_there_until_it_is_written) {
  check_output(file_);
  EXPECT_EQ(files(), 0);
  write_output(file_, "--odf 8\n");
  EXPECT_EQ(text_of(file_), "--odf 8\n");
  EXPECT_EQ(files(), 1);
}

TEST_F(output_file, may_be_a_device) {
  check_output("/dev/null");
  write_output("/dev/null", "--odf 4\n");
  EXPECT_FALSE(fs::is_regular_file("/dev/null"));
  EXPECT_EQ(error_of<imbrex::error>([&] { write_output("/dev/full", "--odf 4\n"); }),
            "--output /dev/full cannot be written: No space left on device");
}

TEST_F(output_file, is_refused_if_it_is_a_pipe_that_nobody_reads) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_THROW(check_output(file_), imbrex::usage_error);
  EXPECT_TRUE(fs::is_fifo(file_));
}

TEST_F(output_file, may_be_a_link_to_nothing) {
  fs::create_symlink("target", file_);
  check_output(file_);
  EXPECT_EQ(files(), 1);
  write_output(file_, "--odf 4\n");
  EXPECT_EQ(text_of(folder_.file("target")), "--odf 4\n");
}

TEST_F(output_file, is_refused_if_it_holds_something_else) {
  put(file_, "--odf 4\nfour\n");
  const std::string error_text = error_of<imbrex::usage_error>([&] { check_output(file_); });
  EXPECT_NE(error_text.find("is there, and is no file of options; name another"), std::string::npos)
      << error_text;
  EXPECT_NE(error_text.find("'four' is no option"), std::string::npos) << error_text;
}

}  // namespace
