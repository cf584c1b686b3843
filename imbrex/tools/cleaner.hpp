// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include <imbrex/base/host/descriptor.hpp>

namespace imbrex::tools {

/// A child process that removes what a job leaves behind if this process, its launcher, is killed: a folder,
/// and UCX's shared memory. It waits until the launcher and all processes of the job have ended. If the
/// launcher ends by itself, the child ends without removing anything.
class cleaner {
 public:
  /// `folder`: empty for none. Throws imbrex::error if there can be no further process.
  explicit cleaner(std::string folder);
  ~cleaner();
  cleaner(const cleaner&) = delete;
  cleaner& operator=(const cleaner&) = delete;

  /// The processes of the job inherit this descriptor, whose end the child sees when all of them have ended.
  int descriptor() const { return own_end_.get(); }
  /// The job has this process.
  void note(pid_t process) const;

 private:
  imbrex::descriptor own_end_;
  pid_t child_ = 0;
};

}  // namespace imbrex::tools
