// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/core/options/options.hpp>

namespace imbrex::checkpoints_test {

/// A folder that is removed at the end.
class test_folder {
 public:
  test_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "imbrex-XXXXXX").string();
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

}  // namespace imbrex::checkpoints_test
