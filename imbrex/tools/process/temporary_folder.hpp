// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include <imbrex/base/host/descriptor.hpp>

namespace imbrex::tools {

/// A new folder below the system's folder for temporary files (TMPDIR). The destructor removes it with its
/// contents. The folder stays locked while its owner lives; a new object removes the unlocked folders of
/// killed processes.
class temporary_folder {
 public:
  /// Throws `error` if no folder can be created.
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  /// The path of file `name` in the folder.
  std::string file(const std::string& name) const { return path_ / name; }
  /// Removes the folder's contents.
  void clear() const;

 private:
  std::filesystem::path path_;
  descriptor lock_;  ///< lock of the folder; empty if the file system has no locks
};

}  // namespace imbrex::tools
