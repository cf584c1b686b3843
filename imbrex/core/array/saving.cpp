// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/saving.hpp>

#include <string>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

template struct saving_functions_of<index<1>>;
template struct saving_functions_of<index<2>>;
template struct saving_functions_of<index<3>>;

void throw_saved_outside(std::string_view chare_name, const std::string& index, const std::string& shape) {
  throw serial_error("a saved element of " + std::string(short_name(chare_name)) + " has " +
                     (index.empty() ? "an index of another number of dimensions" : "the index " + index) +
                     ", which the array of shape " + shape + " has not");
}

void throw_saved_twice(const std::string& element) {
  throw error(element + " was read from a checkpoint twice");
}

}  // namespace imbrex::detail
