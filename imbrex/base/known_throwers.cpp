// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/known_throwers.hpp>

#include <algorithm>
#include <utility>

#include <imbrex/base/error.hpp>

namespace imbrex {

void known_throwers::add(const std::exception_ptr& thrown, std::string thrower) {
  if (exceptions_.size() == most) exceptions_.erase(exceptions_.begin());
  exceptions_.push_back(seen_from_outside(thrown));
  exceptions_.back().thrower = std::move(thrower);
}

std::optional<std::string> known_throwers::thrower_of(const std::exception_ptr& thrown) const {
  const exception target = seen_from_outside(thrown);
  if (target.object == nullptr) return std::nullopt;
  const auto found = std::find_if(exceptions_.rbegin(), exceptions_.rend(), [&](const exception& other) {
    return other.object == target.object && other.type == target.type && other.text == target.text;
  });
  return found != exceptions_.rend() ? std::optional(found->thrower) : std::nullopt;
}

known_throwers::exception known_throwers::seen_from_outside(const std::exception_ptr& thrown) {
  exception seen;
  seen.type = exception_type(thrown);
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    seen.object = dynamic_cast<const void*>(&e);
    seen.text = e.what();
  } catch (...) {
  }
  return seen;
}

}  // namespace imbrex
