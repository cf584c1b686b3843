// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/element_text.hpp>

#include <string_view>

#include <imbrex/base/options/number.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex::tools {

namespace {

/// The extents in "(8, 8, 4)" or "16"; empty for other texts.
std::vector<std::uint64_t> extents_of(std::string_view shape) {
  if (shape.starts_with('(') && shape.ends_with(')')) shape = shape.substr(1, shape.size() - 2);
  std::vector<std::uint64_t> extents;
  while (true) {
    const auto comma = shape.find(", ");
    const auto extent = parse_number<std::uint64_t>(shape.substr(0, comma));
    if (!extent || *extent == 0) return {};
    extents.push_back(*extent);
    if (comma == std::string_view::npos) return extents;
    shape.remove_prefix(comma + 2);
  }
}

}  // namespace

std::string class_text(const trace::file_reader& names, std::uint32_t collection) {
  const std::string_view named = names.name(trace::name_table::collections, collection);
  return named.empty() ? "collection " + std::to_string(collection)
                       : printable(named.substr(0, named.find('\t')));
}

std::vector<std::uint64_t> extents_of_collection(const trace::file_reader& names, std::uint32_t collection) {
  const std::string_view named = names.name(trace::name_table::collections, collection);
  const auto tab = named.find('\t');
  return tab == std::string_view::npos ? std::vector<std::uint64_t>() : extents_of(named.substr(tab + 1));
}

std::string element_text(const trace::file_reader& names, std::uint32_t collection, std::uint64_t element) {
  const std::string text = class_text(names, collection);
  const auto its_own = names.name(trace::name_table::elements, collection, element);
  if (!its_own.empty()) return printable(its_own);
  std::string index;
  std::uint64_t rest = element;
  const auto extents = extents_of_collection(names, collection);
  for (std::size_t d = extents.size(); d-- > 0;) {
    index = std::to_string(d == 0 ? rest : rest % extents[d]) + (index.empty() ? "" : ", ") + index;
    rest /= extents[d];
  }
  return text + "(" + (index.empty() ? std::to_string(element) : index) + ")";
}

}  // namespace imbrex::tools
