// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace imbrex::tools::balance {

/// True if the file begins as a trace does (`--trace FILE`).
bool is_trace(const std::string& file);

/// Writes the record that a balancer could have made of a traced run, cut into `periods` periods of equal
/// length. The loads are the times of the elements' entries. Arrays whose elements are on the PEs with their
/// numbers, one on each, count as groups, which stay. All others may move, since a trace does not tell which
/// cannot. Throws usage_error for a trace without elements.
void write_record_of_trace(const std::string& trace, int periods, const std::string& record);

}  // namespace imbrex::tools::balance
