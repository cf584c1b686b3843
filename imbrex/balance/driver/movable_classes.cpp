// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/driver/movable_classes.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/base/type_name.hpp>

namespace imbrex::balance::detail {

namespace {

constexpr std::size_t most_named = 8;

/// "block lacks serialize and a default constructor"
std::string what_is_missing(const element_class& of) {
  std::string text(short_name(of.name));
  text += " lacks ";
  if (!of.has_serialize) text += "serialize";
  if (!of.has_serialize && !of.has_default_constructor) text += " and ";
  if (!of.has_default_constructor) text += "a default constructor";
  return text;
}

}  // namespace

std::string why_none_moves(const std::vector<const element_class*>& classes) {
  if (std::ranges::any_of(classes, [](const element_class* of) { return of->can_migrate(); })) return {};
  if (classes.empty()) return "this program creates no arrays, and only elements of arrays move";
  std::string text = "no element of this program can move: ";
  const auto named = std::span(classes).first(std::min(classes.size(), most_named));
  for (const element_class* const of : named)
    text += (of == named.front() ? "" : ", ") + what_is_missing(*of);
  if (classes.size() > most_named)
    text += ", and " + std::to_string(classes.size() - most_named) + " other classes";
  return text;
}

void check_classes(const balance_settings& settings, const std::vector<const element_class*>& classes) {
  const std::string why = why_none_moves(classes);
  if (why.empty()) return;
  const bool moves = !settings.strategy.empty() && settings.strategy != "none";
  throw usage_error(
      (moves ? "--balance " + printable(settings.strategy)
             : "--balance-record " + printable(settings.record)) +
      ": " + why +
      (classes.empty() ? "; leave the option out" : "; write what is missing, or leave the option out"));
}

}  // namespace imbrex::balance::detail
