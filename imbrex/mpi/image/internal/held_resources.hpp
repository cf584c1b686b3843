// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <map>
#include <mutex>
#include <set>
#include <string>

namespace imbrex::mpi {

/// Resources of the process that a copy with a heap has got and not given back. Any thread.
class held_resources {
 public:
  void note_descriptor(int number, const std::string& name);
  void forget_descriptor(int number);
  void note_mapping(void* begin);
  void forget_mapping(void* begin);
  void note_library(const std::string& name);
  void note_child(pid_t child);

  /// One of them in words; empty if there is none.
  std::string words() const;

 private:
  mutable std::mutex mutex_;
  std::map<int, std::string> descriptors_;
  std::set<void*> mappings_;
  std::string library_;
  std::set<pid_t> children_;
};

/// Notes a descriptor of the calling copy under this name, if the copy can go to other processes. Returns the
/// number, which is negative if there is no descriptor.
int note_descriptor(int number, const char* name);

}  // namespace imbrex::mpi
