// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

namespace imbrex::overlap {

/// The options of `imbrex overlap` as written; nullopt for absent options.
struct overlap_options {
  std::string file;
  bool json = false;
  bool verify = false;
  std::optional<std::string> svg, latency, bandwidth, testbed, gap;
  std::optional<std::string> from, phase, iterations, save;
  std::optional<std::string> repeat, limit;
};

/// Parses the words before "--", or returns the text to print for --help. Throws `usage_error` for unknown
/// options.
std::optional<std::string> take_options(overlap_options& input, std::span<const std::string> words);

}  // namespace imbrex::overlap
