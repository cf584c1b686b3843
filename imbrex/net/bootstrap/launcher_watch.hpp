// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <mutex>
#include <thread>

#include <imbrex/base/host/descriptor.hpp>

namespace imbrex {

/// Ends this process, with status 1 and a message, as soon as its launcher has gone: then nobody sees to it
/// that the processes of the job end together. The kernel ends those that the launcher has started itself;
/// this is for those behind a shell. It has a thread, since all others may be busy.
class launcher_watch {
 public:
  /// `launcher` is a bootstrap's `launcher_descriptor()`, which must outlive this; with -1 nobody watches.
  /// Throws `error` if no thread can be started.
  explicit launcher_watch(int launcher);
  ~launcher_watch();
  launcher_watch(const launcher_watch&) = delete;
  launcher_watch& operator=(const launcher_watch&) = delete;

 private:
  descriptor stop_;  ///< readable at the end
  std::thread thread_;
};

/// As long as it lives, this process does not end because its launcher has, but then. For the moment in which
/// something is made that would stay, such as a file that is opened and then removed. One lives at a time,
/// others wait; for the kernel, who ends the process with its parent, only one on the main thread counts.
class outliving_launcher {
 public:
  outliving_launcher();
  ~outliving_launcher();
  outliving_launcher(const outliving_launcher&) = delete;
  outliving_launcher& operator=(const outliving_launcher&) = delete;

 private:
  std::unique_lock<std::mutex> watch_waits_;
  pid_t parent_;
  int signal_ = 0;  ///< that the kernel sends to this thread's process when its parent ends; 0 for none
};

}  // namespace imbrex
