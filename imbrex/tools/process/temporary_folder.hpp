// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include <imbrex/base/host/descriptor.hpp>

namespace imbrex::tools {

/// A new folder among those of the system for temporary files (TMPDIR), which goes with all that it holds.
/// What a killed process has left of that kind goes when the next one is made: a folder is locked as long as
/// its owner lives.
class temporary_folder {
 public:
  /// Throws `error` if there can be none.
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  /// The path of a file in it.
  std::string file(const std::string& name) const { return path_ / name; }
  /// Removes what it holds.
  void clear() const;

 private:
  std::filesystem::path path_;
  descriptor lock_;  ///< of the folder itself; none where the file system knows no locks
};

}  // namespace imbrex::tools
