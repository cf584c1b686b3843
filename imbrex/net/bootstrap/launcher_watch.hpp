// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <mutex>
#include <thread>

#include <imbrex/base/host/descriptor.hpp>

namespace imbrex {

/// Ends this process, with status 1 and a message, as soon as its launcher has ended. Without a launcher the
/// processes of the job would not end together. The kernel ends the processes that the launcher has started
/// itself; this is for those behind a shell. It has a thread of its own, since all others may be busy.
class launcher_watch {
 public:
  /// `launcher` is a bootstrap's `launcher_descriptor()`, which must outlive this; -1 for no watch. Throws
  /// `error` if no thread can be started.
  explicit launcher_watch(int launcher);
  ~launcher_watch();
  launcher_watch(const launcher_watch&) = delete;
  launcher_watch& operator=(const launcher_watch&) = delete;

 private:
  descriptor stop_;  ///< readable when the watch must end
  std::thread thread_;
};

/// Delays the end of this process after its launcher's end until this object is destroyed. For short moments
/// in which something lasting is made, such as a file that is opened and then removed. One object lives at a
/// time, others wait. The kernel's signal at the parent's end is held back only by an object on the main
/// thread.
class outliving_launcher {
 public:
  outliving_launcher();
  ~outliving_launcher();
  outliving_launcher(const outliving_launcher&) = delete;
  outliving_launcher& operator=(const outliving_launcher&) = delete;

 private:
  std::unique_lock<std::mutex> watch_waits_;
  pid_t parent_;
  int signal_ = 0;  ///< signal that the kernel sends to this process when its parent ends; 0 for none
};

}  // namespace imbrex
