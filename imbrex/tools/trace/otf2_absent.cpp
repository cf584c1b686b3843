// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/error.hpp>
#include <imbrex/tools/trace/convert_to_otf2.hpp>

namespace imbrex::tools {

void convert_to_otf2(trace::reader&, const std::string&) {
  throw usage_error(
      "--to otf2: this imbrex was built without OTF2; install its development files, 3.0 or newer (Debian: "
      "libotf2-trace-dev), and build again, or write --to perfetto");
}

}  // namespace imbrex::tools
