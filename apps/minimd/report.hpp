// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "apps/minimd/measurement.hpp"

namespace minimd {

/// The head of the table: the problem in words, and column names.
std::string table_head(const settings& setup);
std::string table_row(const thermo& at);
/// The end of the table: chares, time and rate of a run.
std::string table_end(const settings& setup, std::int64_t odf, const measurement& run);

/// One JSON line: {"step": , "T": , "U": , "P": }, in the units of the problem; U is for one atom.
std::string json_line(const thermo& at);

/// The problem and the results of one run as a YAML document.
std::string yaml_document(const settings& setup, std::int64_t odf, const measurement& run);

/// A frame of extended XYZ, which OVITO, VMD and ASE read.
std::string xyz_frame(const problem& what, const thermo& at, const std::vector<atom>& atoms);

}  // namespace minimd
