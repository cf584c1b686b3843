// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/collectives.hpp>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

void throw_wrong_count(const char* what, const chare_header& element, std::size_t values,
                       std::uint64_t members) {
  throw error(std::string(what) + ": " + element.home->element_name(element) + " gives " +
              std::to_string(values) + " values, and its array has " + std::to_string(members) +
              " members: give one value for each, in the order of their indices");
}

void throw_not_dense(const char* what, const chare_header& element) {
  throw error(
      std::string(what) + ": the array of " + element.home->element_name(element) +
      " began empty, so its members have no numbers: use exchange, which names them by their indices");
}

void throw_no_member(const char* what, const chare_header& element, const std::string& index,
                     const std::string& shape) {
  throw error(std::string(what) + ": " + element.home->element_name(element) + " names the member " + index +
              ", and its array has the shape " + shape);
}

}  // namespace imbrex::detail
