// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include <imbrex/tools/overlap/survey.hpp>

namespace imbrex::overlap {

/// All quantities of the paper as one object; `docs/overlap.md` lists its keys.
nlohmann::ordered_json report_json(std::span<const application> of, const survey& over);

/// All quantities of the paper as tables for people.
std::string report_text(std::span<const application> of, const survey& over);

}  // namespace imbrex::overlap
