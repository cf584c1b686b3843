// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <string>

#include <imbrex/base/error.hpp>

namespace imbrex {

/// A library loaded at run time. It is never unloaded: PMIx and MPI leave threads and handlers behind.
class shared_library {
 public:
  /// Throws `error` if it cannot be loaded; the text is the loader's and names the file. `more` are flags of
  /// dlopen.
  explicit shared_library(const std::string& file, int more = 0)
      : handle_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | more)) {
    if (handle_ == nullptr) throw error(::dlerror());
  }

  /// Sets the pointer to the function of that name. Throws `error` if there is none.
  template <class Function>
  void find(Function*& function, const char* name) const {
    void* const address = ::dlsym(handle_, name);
    if (address == nullptr) throw error(::dlerror());
    function = reinterpret_cast<Function*>(address);
  }

 private:
  void* handle_;
};

}  // namespace imbrex
