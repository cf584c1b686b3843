// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>

#include <imbrex/base/descriptor.hpp>

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

}  // namespace imbrex
