// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/define_entries.hpp>

#include <cstddef>
#include <utility>

#include <imbrex/core/array/create.hpp>

namespace imbrex {

namespace {

/// On each PE; that of the first numbers what is new.
class registrar : public chare<registrar> {
 public:
  std::vector<entry_name> define(const std::vector<entry_definition>& definitions) {
    std::vector<entry_name> names;
    names.reserve(definitions.size());
    for (const auto& d : definitions) names.push_back(define_entry(d));
    return names;
  }
  void place(const std::vector<entry_name>& names, const std::vector<entry_definition>& definitions) {
    for (std::size_t i = 0; i < names.size(); ++i) detail::place_entry(names[i], definitions[i]);
  }
};

}  // namespace

task<std::vector<entry_name>> define_entries(std::vector<entry_definition> definitions) {
  const auto registrars = make_group<registrar>();
  auto names = co_await registrars[0].call<&registrar::define>(definitions);
  co_await registrars.members().call<&registrar::place>(names, std::move(definitions));
  co_await registrars.destroy();
  co_return names;
}

}  // namespace imbrex
