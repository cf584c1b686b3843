// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace imbrex::ucx {

/// The UCX of this process. It is loaded by who wants a network, not linked: so programs also run where it
/// is missing, and those that run as one process load nothing of it, which takes signals over and watches
/// memory. Its headers alone are needed to build.
struct library {
  /// The oldest that is known to work, and whose interface is asked for: newer ones offer it, too.
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

/// The folder of a UCX that is bundled with this program, or with the library that holds this code:
/// "lib/imbrex" beside its own folder or in it. Its libraries find each other there. Empty if there is none.
std::string bundled_folder();

/// Loads UCX, at the first call that finds one: that of the host, where the loader finds libucp.so.0; else
/// one that is bundled, in the folder that IMBREX_BUNDLED_UCX names or with this program. It stays for ever:
/// its threads and handlers may be in it. Throws imbrex::error, with the remedy, if there is none that is new
/// enough, or this build has none.
const library& load();

}  // namespace imbrex::ucx
