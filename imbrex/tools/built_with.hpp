// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace imbrex::tools {

/// The version and commit of this Imbrex, and the versions of the libraries in its build. Empty for a library
/// that it was built without.
struct built_with {
  std::string_view version;
  std::string_view commit;      ///< commit of its source; empty if that was no repository
  std::string_view compiler;    ///< "Clang 19.1.7"
  std::string_view build_type;  ///< CMAKE_BUILD_TYPE: "RelWithDebInfo"
  std::string_view ucx;
  std::string_view pmix;
  std::string_view mpi;  ///< the version of the standard
  std::string_view cuda;
  std::string_view otf2;
};

const built_with& this_build();

}  // namespace imbrex::tools
