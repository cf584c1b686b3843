// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/define_entries.hpp>

#include <cstddef>
#include <exception>
#include <string>
#include <utility>

#include <imbrex/core/array/create.hpp>
#include <imbrex/serial/error.hpp>

namespace imbrex {

namespace {

/// A group member; the one on the first PE numbers new entries.
class registrar : public chare<registrar> {
 public:
  std::vector<entry_name> define(const std::vector<entry_definition>& definitions) {
    for (const auto& d : definitions) detail::check_entry(d);  // all or none
    std::vector<entry_name> names;
    names.reserve(definitions.size());
    for (const auto& d : definitions) names.push_back(define_entry(d));
    return names;
  }
  void place(const std::vector<entry_name>& names, const std::vector<entry_definition>& definitions) {
    if (names.size() != definitions.size())
      throw serial_error("there are " + std::to_string(definitions.size()) + " definitions of entries, but " +
                         std::to_string(names.size()) + " numbers");
    for (std::size_t i = 0; i < names.size(); ++i) detail::place_entry(names[i], definitions[i]);
  }
};

}  // namespace

task<std::vector<entry_name>> define_entries(std::vector<entry_definition> definitions) {
  const auto registrars = make_group<registrar>();
  std::vector<entry_name> names;
  std::exception_ptr problem;
  try {
    names = co_await registrars[0].call<&registrar::define>(definitions);
    co_await registrars.members().call<&registrar::place>(names, std::move(definitions));
  } catch (...) {
    problem = std::current_exception();
  }
  co_await registrars.destroy();
  if (problem) std::rethrow_exception(problem);
  co_return names;
}

}  // namespace imbrex
