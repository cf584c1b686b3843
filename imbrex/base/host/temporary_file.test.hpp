// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace imbrex::test {

/// A file with this text, removed with its owner.
class temporary_file {
 public:
  explicit temporary_file(const std::string& text)
      : name_(std::filesystem::temp_directory_path() / "imbrex-file-XXXXXX") {
    const int file = ::mkstemp(name_.data());
    if (file >= 0) ::close(file);
    std::ofstream(name_, std::ios::binary) << text;
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() { ::unlink(name_.c_str()); }

  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace imbrex::test
