// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/core/options/options.hpp>

namespace imbrex::checkpoints_test {

/// A folder in memory that is removed at the end.
class test_folder {
 public:
  test_folder() {
    std::string name = "/dev/shm/imbrex-test-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  test_folder(const test_folder&) = delete;
  test_folder& operator=(const test_folder&) = delete;
  ~test_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string path() const { return path_ + "/saved"; }
  std::vector<checkpoints::listed_checkpoint> list() const {
    return checkpoints::checkpoint_folder(path()).list();
  }

 private:
  std::string path_;
};

inline options with_folder(options settings, const test_folder& folder) {
  settings.checkpoint.folder = folder.path();
  return settings;
}
inline options restarted(options settings, const std::string& path) {
  settings.checkpoint.restart = path;
  return settings;
}

/// A test whose runs write checkpoints into a folder, and begin from the newest one there if there is one.
class in_test_folder : public ::testing::Test {
 protected:
  std::string folder() const { return folder_.path(); }
  options on(options settings) const {
    settings.checkpoint.folder = folder();
    if (std::filesystem::exists(folder())) settings.checkpoint.restart = folder();
    return settings;
  }
  std::size_t count_whole() const {
    std::size_t whole = 0;
    for (const auto& each : folder_.list()) whole += each.problem.empty() ? 1 : 0;
    return whole;
  }

 private:
  const test_folder folder_;
};

}  // namespace imbrex::checkpoints_test
