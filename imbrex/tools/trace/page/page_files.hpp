// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace imbrex::tools::page_files {

// The files page.html, page.css and *.js of this folder, embedded in the command. The page has the
// placeholders %STYLE%, %SCRIPT% and %DATA%.
extern const std::string_view html;
extern const std::string_view style;
extern const std::array<std::string_view, 5> scripts;

}  // namespace imbrex::tools::page_files
