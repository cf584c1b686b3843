// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>

namespace minimd::synthetic_potential {

inline constexpr double cutoff = 3;
inline constexpr double mass = 2.5;

/// The text of a potential file. Charges and densities end smoothly at the cut-off; the embedding energy is a
/// square root.
inline std::string text() {
  std::string text = "made up\n 1 2.5 1.0 fcc\n 400 0.02 600 0.006 3.0\n";
  for (int i = 0; i < 400; ++i) text += std::to_string(-std::sqrt(i * 0.02 + 0.1)) + "\n";
  const auto end = [](int i) { return std::pow(1 - i * 0.006 / cutoff, 3); };
  for (int i = 0; i < 600; ++i) text += std::to_string(i * 0.006 < cutoff ? 2 * end(i) : 0) + "\n";
  for (int i = 0; i < 600; ++i) text += std::to_string(i * 0.006 < cutoff ? end(i) : 0) + "\n";
  return text;
}

}  // namespace minimd::synthetic_potential
