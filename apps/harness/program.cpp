// SPDX-License-Identifier: Apache-2.0
#include "apps/harness/program.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include <imbrex/base/printable.hpp>
#include <imbrex/error.hpp>

namespace harness {

int run_program(std::string_view name, const std::function<int()>& body) {
  try {
    return body();
  } catch (const imbrex::usage_error& e) {
    fmt::print(stderr, "{}: error: {}\n", name, imbrex::printable_lines(e.what()));
    return imbrex::usage_error::exit_status;
  } catch (...) {
    fmt::print(stderr, "{}: error: {}\n", name,
               imbrex::printable_lines(imbrex::describe(std::current_exception())));
    return 1;
  }
}

}  // namespace harness
