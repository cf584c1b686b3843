// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace imbrex::ucx {

/// The UCX of this process. It is loaded when a network is made, and not linked. So programs also run where
/// it is missing. Programs of one process do not load it; it would take over signals and watch memory. A
/// build needs only its headers.
struct library {
  /// The oldest version known to work. Its interface is requested; newer versions offer it, too.
  static constexpr unsigned oldest_major = 1;
  static constexpr unsigned oldest_minor = 13;

  std::string file;
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;

  std::string version() const {
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
  }
};

/// The folder of a UCX bundled with this program, or with the library that holds this code: "lib/imbrex" in
/// or beside its own folder. The libraries of UCX find each other there. Empty if there is none.
std::string bundled_folder();

/// Loads UCX, once: the host's, if the loader finds libucp.so.0. Else a bundled one, in the folder that
/// IMBREX_BUNDLED_UCX names or with this program. It is never unloaded, since its threads and handlers may be
/// running in it. Throws imbrex::error, with the remedy, if there is none that is new enough, or this build
/// has none.
const library& load();

}  // namespace imbrex::ucx
