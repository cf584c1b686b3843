// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <imbrex/tools/checkpoint/columns.hpp>
#include <imbrex/tools/checkpoint/contents.hpp>

namespace imbrex::tools {

/// The keys and the values of a section's records, in columns. Records of a class whose schema does not tell
/// how they are written are a column of bytes.
std::vector<data_column> columns_of_section(const checkpoint_contents& contents,
                                            const whole_section& section);

/// Writes a group for each section, with its columns, into a new HDF5 file by python3 with h5py. Throws
/// `error` if these are not there, or if the file cannot be written.
void export_to_hdf5(const checkpoint_contents& contents, const std::string& file);

}  // namespace imbrex::tools
