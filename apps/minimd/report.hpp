// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "apps/minimd/measurement.hpp"

namespace minimd {

/// What stands above the outputs: the problem in words, and the names of the columns.
std::string table_head(const settings& setup);
std::string table_row(const thermo& at);
/// What a run has taken.
std::string table_end(const settings& setup, std::int64_t odf, const measurement& run);

/// {"step": , "T": , "U": , "P": }, in the units of the problem, U of an atom.
std::string json_line(const thermo& at);

/// What was run, and what it has come to, as YAML: one document for each run.
std::string yaml_document(const settings& setup, std::int64_t odf, const measurement& run);

/// A frame of extended XYZ, which OVITO, VMD and ASE read.
std::string xyz_frame(const problem& what, const thermo& at, const std::vector<atom>& atoms);

}  // namespace minimd
