// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/tools/balance/replay.hpp>

namespace imbrex::tools::balance {

/// The results as text, with a table. `file`: the name of the record.
std::string report_text(const std::string& file, const replayed_record& results);

/// A self-contained HTML page with the table, and a picture of the imbalance over the periods.
std::string report_page(const std::string& file, const replayed_record& results);

}  // namespace imbrex::tools::balance
