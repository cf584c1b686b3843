// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/array_index.hpp>

#include <algorithm>

#include <imbrex/serial/error.hpp>

namespace imbrex::python {

array_index::array_index(std::span<const int> values) : dimensions(static_cast<int>(values.size())) {
  std::copy(values.begin(), values.end(), values_.begin());
}

void array_index::throw_wrong_dimensions() const {
  throw serial_error("malformed message: an index of " + std::to_string(dimensions) + " dimensions");
}

std::string index_text(std::span<const int> index) {
  if (index.size() == 1) return std::to_string(index[0]);
  std::string text = "(";
  for (std::size_t d = 0; d < index.size(); ++d) text += (d > 0 ? ", " : "") + std::to_string(index[d]);
  return text + ")";
}

}  // namespace imbrex::python
