// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/checkpoint/command.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <imbrex/base/error.hpp>
#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/checkpoint/part_image.hpp>
#include <imbrex/checkpoint/write_part.hpp>
#include <imbrex/serial/archive.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/tools/checkpoint/contents.hpp>
#include <imbrex/tools/process/temporary_folder.hpp>

namespace imbrex::tools::checkpoint_command_test {

namespace fs = std::filesystem;
using checkpoints::section_kind;
using testing::error_of;

struct cell {
  int step = 0;
  std::vector<double> values;
};

class checkpoint_command : public ::testing::Test {
 protected:
  /// Writes a checkpoint of an array whose elements are dealt out to the processes.
  void write(int processes, int elements, int changed = -1) {
    const checkpoints::checkpoint_folder folder(path_);
    checkpoints::manifest m{folder.create_next(), 9, processes, "program", "2026-11-30T01:02:03Z", {}};
    checkpoints::part_image image;
    for (int process = 0; process < processes; ++process) {
      image.begin({m.number, m.run, process, processes, processes, m.program, {}});
      const int cells =
          image.open_section({section_kind::array, "cells", schema_of<cell>(), {{"shape", "5"}}});
      for (std::int64_t i = process; i < elements; i += processes) {
        image.begin_record(cells, std::as_bytes(std::span(&i, 1)))(
            cell{i == changed ? 1 : 0, {0.5, static_cast<double>(i)}});
        image.end_record();
      }
      image.seal();
      m.parts.push_back(write_part(image, checkpoints::path_of_part(folder.path_of(m.number), process)));
    }
    folder.commit(m);
  }

  /// Runs a command. Returns its status and its output.
  std::pair<int, std::string> run(const std::vector<std::string>& words) {
    ::testing::internal::CaptureStdout();
    int status = -1;
    std::string thrown;
    try {
      status = checkpoint_commands().run(words);
    } catch (const error& e) {
      thrown = e.what();
    }
    return {status, ::testing::internal::GetCapturedStdout() + thrown};
  }

  temporary_folder folder_;
  std::string path_ = folder_.file("saved");
};

TEST_F(checkpoint_command, lists_checkpoints) {
  write(2, 5);
  write(1, 5);
  checkpoints::checkpoint_folder(path_).create_next();
  const auto [status, text] = run({"list", path_});
  EXPECT_EQ(status, 0);
  EXPECT_NE(text.find("000001  2026-11-30T01:02:03Z          2    2"), std::string::npos) << text;
  EXPECT_NE(text.find("000003             not whole"), std::string::npos) << text;
  EXPECT_NE(text.find("has no manifest.json"), std::string::npos) << text;
}

TEST_F(checkpoint_command, shows_sections_and_classes) {
  write(2, 5);
  const auto [status, text] = run({"show", path_, "--classes"});
  EXPECT_EQ(status, 0);
  EXPECT_NE(text.find("written 2026-11-30T01:02:03Z by 2 processes, 2 PEs"), std::string::npos) << text;
  EXPECT_NE(text.find("        5  140 B  array  cells: imbrex::tools::checkpoint_command_test::cell"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("cell {int32 step; list of float64 values}"), std::string::npos) << text;
}

TEST_F(checkpoint_command, verifies_bytes) {
  write(2, 5);
  write(1, 5);
  EXPECT_EQ(run({"verify", path_}).first, 0);
  const auto part = checkpoints::path_of_part(path_ + "/000001", 1);
  std::fstream(part, std::ios::in | std::ios::out | std::ios::binary).seekp(100).put('x');
  EXPECT_EQ(run({"verify", path_ + "/000002"}).first, 0);
  const auto [status, text] = run({"verify", path_});
  EXPECT_EQ(status, 1);
  EXPECT_NE(text.find("part-0001.icp\" is damaged: the checksum of its bytes 0 to"), std::string::npos)
      << text;
  EXPECT_EQ(run({"verify", path_ + "/000001"}).first, 1);
  EXPECT_EQ(run({"verify", path_ + "/000007"}).first, 1);
}

TEST_F(checkpoint_command, compares_checkpoints_of_other_numbers_of_processes) {
  write(2, 5);
  write(3, 5);
  write(1, 6, 3);
  const auto equal = run({"diff", path_ + "/000001", path_ + "/000002"});
  EXPECT_EQ(equal.first, 0);
  EXPECT_EQ(equal.second, "array cells: 5 records equal\n");
  const auto other = run({"diff", path_ + "/000001", path_});
  EXPECT_EQ(other.first, 1);
  EXPECT_EQ(other.second,
            "array cells: 4 records equal, 1 differ, 1 only in the second\n"
            "  the first: 3 differs from byte 0 on (28 and 28 bytes)\n");
}

TEST_F(checkpoint_command, exports_to_hdf5_or_says_what_is_missing) {
  write(2, 5);
  const std::string file = folder_.file("saved.h5");
  const auto [status, text] = run({"export", path_, "--output", file});
  if (std::system("python3 -c 'import h5py' 2>/dev/null") != 0) {
    EXPECT_EQ(status, -1);
    EXPECT_EQ(text, "--output " + file +
                        " cannot be written: No module named 'h5py'; install it, for example by: pip install "
                        "h5py");
    return;
  }
  EXPECT_EQ(status, 0) << text;
  const std::string check =
      "python3 -c \"import h5py; f = h5py.File('" + file +
      "'); g = f['array/cells']; assert g.attrs['shape'] == '5'; v = g['value/values'][:]; e = "
      "g['value/values_ends'][:]; assert list(e) == [2, 4, 6, 8, 10], e; assert list(v[1::2]) == [0, 1, 2, "
      "3, "
      "4], v\"";
  EXPECT_EQ(std::system(check.c_str()), 0);
}

TEST_F(checkpoint_command, refuses_what_it_cannot_do) {
  EXPECT_NE(error_of<usage_error>([] {
              return checkpoint_commands().run(std::vector<std::string>{"show"});
            }).find("no checkpoint; name a folder"),
            std::string::npos);
  EXPECT_NE(error_of<usage_error>([] {
              return checkpoint_commands().run(std::vector<std::string>{"diff", "a"});
            }).find("two checkpoints are compared"),
            std::string::npos);
  EXPECT_NE(error_of<usage_error>([] {
              return checkpoint_commands().run(std::vector<std::string>{"export", "a"});
            }).find("--output FILE.h5"),
            std::string::npos);
  EXPECT_NE(error_of<usage_error>([] {
              return checkpoint_commands().run(std::vector<std::string>{"list", "a", "b"});
            }).find("unknown argument b"),
            std::string::npos);
  const auto [status, text] = run({"show", path_});
  EXPECT_EQ(status, -1);
  EXPECT_NE(text.find("cannot be read: No such file or directory"), std::string::npos) << text;
}

TEST(checkpoint_keys, are_numbers_text_or_digits) {
  const auto text = [](const auto& key) { return text_of_key(std::as_bytes(std::span(key))); };
  EXPECT_EQ(text(std::vector<std::int64_t>{3, -4}), "3,-4");
  EXPECT_EQ(text(std::vector<std::int32_t>{7, 8, 9}), "7,8,9");
  EXPECT_EQ(text(std::string("a key")), "\"a key\"");
  EXPECT_EQ(text(std::vector<unsigned char>{1, 0xab, 0}), "0x01ab00");
  EXPECT_EQ(text(std::string()), "(empty)");
}

}  // namespace imbrex::tools::checkpoint_command_test
