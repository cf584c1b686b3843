// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/trace/file_reader.hpp>

namespace imbrex::tools {

/// An element's name for people: "block(3, 0)", "lookup(north)", or "collection 4(17)" if the trace has no
/// names.
std::string element_text(const trace::file_reader& names, std::uint32_t collection, std::uint64_t element);

/// The element's class: "block", or "collection 4" if the trace has no names.
std::string class_text(const trace::file_reader& names, std::uint32_t collection);

/// The shape of a collection with dense indices; empty for others, or if the trace has no names.
std::vector<std::uint64_t> extents_of_collection(const trace::file_reader& names, std::uint32_t collection);

}  // namespace imbrex::tools
