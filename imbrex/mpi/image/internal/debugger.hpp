// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <link.h>

#include <vector>

namespace imbrex::mpi {

/// Registers a copy with debuggers for the lifetime of this object, so that they find its symbols. Any
/// thread.
class debugger_entry {
 public:
  /// One module of a copy, with the name of its file.
  struct module {
    void* begin;
    const char* file;
    void* dynamic_section;
  };

  explicit debugger_entry(const std::vector<module>& modules);
  ~debugger_entry();
  debugger_entry(const debugger_entry&) = delete;

 private:
  std::vector<link_map> maps_;
};

}  // namespace imbrex::mpi
