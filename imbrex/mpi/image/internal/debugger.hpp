// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <link.h>

#include <vector>

namespace imbrex::mpi {

/// Shows a copy to debuggers for as long as it lives: they find the symbols of its functions. Any thread.
class debugger_entry {
 public:
  /// One module of a copy; the name is its file's.
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
