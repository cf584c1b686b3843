// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/folder.hpp>

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <imbrex/base/error.hpp>
#include <imbrex/checkpoint/background_writer.hpp>
#include <imbrex/checkpoint/part_image.hpp>
#include <imbrex/checkpoint/part_reader.hpp>
#include <imbrex/checkpoint/write_part.hpp>
#include <imbrex/serial/archive.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::checkpoints::folder_test {

namespace fs = std::filesystem;
using testing::error_of;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void put(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

std::vector<std::uint64_t> whole_of(const checkpoint_folder& folder) {
  std::vector<std::uint64_t> numbers;
  for (const auto& one : folder.list())
    if (one.problem.empty()) numbers.push_back(one.number);
  return numbers;
}

class checkpoint_folders : public ::testing::Test {
 protected:
  checkpoint_folders() {
    std::string place = "/dev/shm/imbrex-checkpoints-XXXXXX";  // a disk may take long
    outer_ = ::mkdtemp(place.data());
    path_ = (outer_ / "saved").string();
  }
  ~checkpoint_folders() override {
    std::error_code ignored;
    fs::remove_all(outer_, ignored);
  }

  void fill(std::uint64_t number, int process, int processes, std::size_t bytes = 100) {
    image_.begin({number, 5, process, processes, processes, "program", {}});
    const int section = image_.open_section({section_kind::value, "text"});
    const std::string key = "key";
    image_.begin_record(section, std::as_bytes(std::span(key)))(std::string(bytes, 'x'), number, process);
    image_.end_record();
    image_.seal();
  }

  /// Writes a checkpoint, without its manifest.
  manifest write_parts(const checkpoint_folder& folder, int processes) {
    const std::uint64_t number = folder.create_next();
    manifest m{number, 5, processes, "program", date_and_time(), {}};
    for (int process = 0; process < processes; ++process) {
      fill(number, process, processes);
      m.parts.push_back(write_part(image_, path_of_part(folder.path_of(number), process)));
    }
    return m;
  }

  std::uint64_t write(const checkpoint_folder& folder, int processes = 2) {
    const manifest m = write_parts(folder, processes);
    folder.commit(m);
    return m.number;
  }

  fs::path outer_;
  std::string path_;
  part_image image_;
};

TEST_F(checkpoint_folders, give_back_what_was_committed) {
  const checkpoint_folder folder(path_);
  EXPECT_EQ(write(folder), 1U);
  EXPECT_EQ(write(folder, 3), 2U);
  EXPECT_EQ(whole_of(folder), (std::vector<std::uint64_t>{1, 2}));
  const auto chosen = choose_checkpoint(path_ + "/");
  EXPECT_EQ(chosen.path, path_ + "/000002");
  EXPECT_EQ(chosen.contents.parts.size(), 3U);
  EXPECT_EQ(chosen.contents.pes, 3);
  EXPECT_EQ(chosen.contents.program, "program");
  EXPECT_TRUE(chosen.passed_over.empty());
  EXPECT_EQ(choose_checkpoint(path_ + "/000001").contents.parts.size(), 2U);
  EXPECT_EQ(choose_checkpoint(path_ + "/000001/").contents.number, 1U);
  verify_checkpoint(chosen.path);
}

// A folder's existence is no wholeness: picongpu#4454.
TEST_F(checkpoint_folders, pass_over_what_has_no_manifest) {
  const checkpoint_folder folder(path_);
  write(folder);
  write_parts(folder, 2);
  EXPECT_EQ(whole_of(folder), std::vector<std::uint64_t>{1});
  const auto chosen = choose_checkpoint(path_);
  EXPECT_EQ(chosen.contents.number, 1U);
  ASSERT_EQ(chosen.passed_over.size(), 1U);
  EXPECT_EQ(chosen.passed_over[0],
            "\"" + path_ +
                "/000002\" is no whole checkpoint: it has no manifest.json; begin from another one (imbrex "
                "checkpoint list shows them)");
  EXPECT_EQ(write(folder), 3U);
}

// Folders are never renamed: aspect#6276.
TEST_F(checkpoint_folders, never_change_a_checkpoint) {
  const checkpoint_folder folder(path_);
  write(folder);
  const auto contents = read_checkpoint(folder.path_of(1));
  EXPECT_NE(error_of<error>([&] { folder.commit(contents); }).find("checkpoints do not change"),
            std::string::npos);
  fill(1, 0, 2);
  EXPECT_NE(
      error_of<error>([&] { write_part(image_, path_of_part(folder.path_of(1), 0)); }).find("File exists"),
      std::string::npos);
  EXPECT_EQ(whole_of(folder), std::vector<std::uint64_t>{1});
}

TEST_F(checkpoint_folders, keep_the_newest) {
  const checkpoint_folder folder(path_);
  for (int i = 0; i < 3; ++i) write(folder);
  write_parts(folder, 1);
  write(folder);
  write_parts(folder, 1);
  put(path_ + "/000001/notes", "of the user");
  put(path_ + "/other", "of the user");
  fs::create_directory_symlink(path_ + "/000005", path_ + "/000000");
  folder.prune(2);
  EXPECT_EQ(whole_of(folder), (std::vector<std::uint64_t>{3, 5}));
  EXPECT_FALSE(fs::exists(path_ + "/000002"));
  EXPECT_FALSE(fs::exists(path_ + "/000004"));
  EXPECT_TRUE(fs::exists(path_ + "/000006/part-0000.icp"));
  EXPECT_EQ(text_of(path_ + "/000001/notes"), "of the user");
  EXPECT_EQ(text_of(path_ + "/other"), "of the user");
  EXPECT_FALSE(fs::exists(path_ + "/000001/manifest.json"));
}

TEST_F(checkpoint_folders, keep_all_until_one_is_whole) {
  const checkpoint_folder folder(path_);
  write_parts(folder, 1);
  write_parts(folder, 1);
  folder.prune(1);
  EXPECT_EQ(folder.list().size(), 2U);
}

TEST_F(checkpoint_folders, refuse_parts_of_other_checkpoints) {
  const checkpoint_folder folder(path_);
  write(folder);
  write(folder);
  for (const int process : {0, 1}) {
    fs::copy_file(path_of_part(folder.path_of(1), process), path_of_part(folder.path_of(2), process),
                  fs::copy_options::overwrite_existing);
    EXPECT_NE(error_of<error>([&] {
                read_checkpoint(folder.path_of(2));
              }).find("is a part of another checkpoint than"),
              std::string::npos);
  }
  fs::copy_file(path_of_part(folder.path_of(1), 0), path_of_part(folder.path_of(1), 1),
                fs::copy_options::overwrite_existing);
  EXPECT_NE(error_of<error>([&] { read_checkpoint(folder.path_of(1)); }), "");
  EXPECT_NE(error_of<error>([&] { choose_checkpoint(path_); }).find("has no checkpoint to begin from"),
            std::string::npos);
}

TEST_F(checkpoint_folders, refuse_manifests_that_cannot_be) {
  const checkpoint_folder folder(path_);
  write(folder);
  const manifest right = read_checkpoint(folder.path_of(1));
  const auto refusal = [&](auto change) {
    manifest m = right;
    change(m);
    put(fs::path(folder.path_of(1)) / "manifest.json", to_json(m));
    return error_of<error>([&] { read_checkpoint(folder.path_of(1)); });
  };
  EXPECT_EQ(refusal([](manifest&) {}), "");
  EXPECT_NE(refusal([](manifest& m) { m.parts.clear(); }).find("it names no parts"), std::string::npos);
  EXPECT_NE(refusal([](manifest& m) { m.parts[1] = m.parts[0]; }).find("are not those of each process"),
            std::string::npos);
  EXPECT_NE(refusal([](manifest& m) { m.parts[1].process = -1; }).find("are not those of each process"),
            std::string::npos);
  const std::string other = "is a part of another checkpoint than";
  EXPECT_NE(refusal([](manifest& m) { m.run = 6; }).find(other), std::string::npos);
  EXPECT_NE(refusal([](manifest& m) { m.number = 2; }).find(other), std::string::npos);
  EXPECT_NE(refusal([](manifest& m) {
              m.parts.pop_back();
            }).find("names parts of 1 processes, and its parts are of 2"),
            std::string::npos);
  EXPECT_NE(error_of<error>([] { parse_manifest(R"({"format": 1, "number": 1.9e83})"); }).find("not whole"),
            std::string::npos);
}

TEST_F(checkpoint_folders, refuse_a_changed_byte_of_any_file) {
  const checkpoint_folder folder(path_);
  write(folder, 1);
  for (const std::string name : {"manifest.json", "part-0000.icp"}) {
    const fs::path file = fs::path(folder.path_of(1)) / name;
    const std::string whole = text_of(file);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 4);
      put(file, changed);
      EXPECT_NE(error_of<error>([&] { verify_checkpoint(folder.path_of(1)); }), "")
          << name << " at byte " << at;
    }
    for (std::size_t size = 0; size < whole.size(); ++size) {
      put(file, whole.substr(0, size));
      EXPECT_NE(error_of<error>([&] { verify_checkpoint(folder.path_of(1)); }), "")
          << name << " cut to " << size;
    }
    put(file, whole);
  }
  verify_checkpoint(folder.path_of(1));
}

TEST_F(checkpoint_folders, refuse_another_format) {
  const checkpoint_folder folder(path_);
  write(folder, 1);
  const fs::path file = fs::path(folder.path_of(1)) / "manifest.json";
  std::string text = text_of(file);
  text.replace(text.find("\"format\": 1"), 11, "\"format\": 2");
  put(file, text);
  EXPECT_NE(error_of<error>([&] {
              read_checkpoint(folder.path_of(1));
            }).find("manifest.json\": it has format 2, and this Imbrex reads format 1"),
            std::string::npos);
  put(file, "[]");
  EXPECT_NE(error_of<error>([&] { read_checkpoint(folder.path_of(1)); }).find("it is no manifest"),
            std::string::npos);
  put(file, std::string(100'000, '['));
  EXPECT_NE(error_of<error>([&] { read_checkpoint(folder.path_of(1)); }).find("it is no manifest"),
            std::string::npos);
}

// Restarts from a bad checkpoint again and again: scr#174.
TEST_F(checkpoint_folders, pass_over_a_checkpoint_whose_starts_die) {
  const checkpoint_folder folder(path_);
  write(folder);
  write(folder);
  for (int i = 0; i < most_tries; ++i) {
    EXPECT_EQ(choose_checkpoint(path_).contents.number, 2U);
    note_try(folder.path_of(2));
  }
  const auto chosen = choose_checkpoint(path_);
  EXPECT_EQ(chosen.contents.number, 1U);
  ASSERT_EQ(chosen.passed_over.size(), 1U);
  EXPECT_EQ(chosen.passed_over[0], "\"" + path_ + "/000002\": 3 starts from it have died");
  EXPECT_EQ(choose_checkpoint(folder.path_of(2)).contents.number, 2U);
  forget_tries(folder.path_of(2));
  forget_tries(folder.path_of(2));
  EXPECT_EQ(choose_checkpoint(path_).contents.number, 2U);
  for (const int number : {1, 2})
    for (int i = 0; i < most_tries; ++i) note_try(folder.path_of(static_cast<std::uint64_t>(number)));
  const std::string text = error_of<error>([&] { choose_checkpoint(path_); });
  EXPECT_NE(text.find("name it: " + path_ + "/000002"), std::string::npos) << text;
  EXPECT_FALSE(note_try(path_ + "/000009"));
  forget_tries(path_ + "/000009");
  put(fs::path(folder.path_of(2)) / "tries", "many");
  EXPECT_EQ(tries_of(folder.path_of(2)), 0);
}

TEST_F(checkpoint_folders, say_what_cannot_be_read_or_made) {
  EXPECT_NE(error_of<error>([&] { choose_checkpoint(path_); }).find("cannot be read: No such file"),
            std::string::npos);
  fs::create_directories(path_);
  EXPECT_EQ(error_of<error>([&] { choose_checkpoint(path_); }),
            "the folder \"" + path_ + "\" has no checkpoint to begin from");
  EXPECT_NE(error_of<error>([&] { choose_checkpoint(path_ + "/000007"); }).find("no whole checkpoint"),
            std::string::npos);
  put(path_ + "/file", "");
  EXPECT_NE(error_of<error>([&] { checkpoint_folder(path_ + "/file").create_next(); }).find("cannot be made"),
            std::string::npos);
}

TEST_F(checkpoint_folders, stay_as_they_are_if_the_disk_is_full) {
  const checkpoint_folder folder(path_);
  write(folder);
  const std::uint64_t number = folder.create_next();
  fill(number, 0, 1, 3'000'000);
  struct ::rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto former = std::signal(SIGXFSZ, SIG_IGN);
  ::rlimit small = before;
  small.rlim_cur = 1'000'000;
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string file = path_of_part(folder.path_of(number), 0);
  background_writer writer;
  writer.write(image_, file);
  const auto outcome = writer.wait();
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, former);
  EXPECT_EQ(outcome.problem, "cannot write \"" + file + "\": File too large");
  EXPECT_FALSE(fs::exists(file));
  EXPECT_EQ(whole_of(folder), std::vector<std::uint64_t>{1});
  folder.remove(number);
  EXPECT_FALSE(fs::exists(folder.path_of(number)));
  EXPECT_EQ(write(folder), 2U);
}

TEST_F(checkpoint_folders, stay_as_they_are_if_a_folder_is_removed) {
  const checkpoint_folder folder(path_);
  write(folder);
  const std::uint64_t number = folder.create_next();
  fs::remove_all(folder.path_of(number));
  fill(number, 0, 1);
  background_writer writer;
  writer.write(image_, path_of_part(folder.path_of(number), 0));
  EXPECT_TRUE(writer.is_busy());
  EXPECT_NE(writer.wait().problem.find("No such file or directory"), std::string::npos);
  EXPECT_FALSE(writer.is_busy());
  EXPECT_NE(error_of<error>([&] { folder.commit({number, 5, 1, "", "", {}}); }), "");
  folder.remove(number);
  EXPECT_EQ(choose_checkpoint(path_).contents.number, 1U);
}

TEST_F(checkpoint_folders, are_written_in_another_thread) {
  const checkpoint_folder folder(path_);
  const std::uint64_t number = folder.create_next();
  fill(number, 0, 1, 1'000'000);
  std::atomic<int> ended = 0;
  background_writer writer([&ended] {
    ++ended;
    ended.notify_one();
  });
  EXPECT_FALSE(writer.poll());
  writer.write(image_, path_of_part(folder.path_of(number), 0));
  EXPECT_NE(error_of<error>([&] { writer.run([] {}); }), "");
  ended.wait(0);
  const auto part = writer.poll();
  ASSERT_TRUE(part);
  EXPECT_EQ(part->problem, "");
  EXPECT_FALSE(writer.poll());
  writer.run([&] { folder.commit({number, 5, 1, "program", date_and_time(), {part->part}}); });
  EXPECT_EQ(writer.wait().problem, "");
  EXPECT_EQ(whole_of(folder), std::vector<std::uint64_t>{1});
}

}  // namespace imbrex::checkpoints::folder_test
