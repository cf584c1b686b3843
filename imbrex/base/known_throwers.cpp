// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/known_throwers.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>

namespace imbrex {

struct known_throwers::exception {
  const void* object = nullptr;  ///< never dereferenced; null if it is no std::exception
  std::string type;
  std::string text;
  std::string thrower;
};

struct known_throwers::list {
  std::vector<exception> thrown;  ///< oldest first
};

void known_throwers::drop() noexcept { delete list_; }

void known_throwers::add(const std::exception_ptr& thrown, std::string thrower) {
  if (list_ == nullptr) list_ = new list;
  auto& all = list_->thrown;
  if (all.size() == most) all.erase(all.begin());
  all.push_back(seen_from_outside(thrown));
  all.back().thrower = std::move(thrower);
}

std::optional<std::string> known_throwers::thrower_of(const std::exception_ptr& thrown) const {
  if (list_ == nullptr) return std::nullopt;
  const auto& all = list_->thrown;
  const exception target = seen_from_outside(thrown);
  if (target.object == nullptr) return std::nullopt;
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const exception& other) {
    return other.object == target.object && other.type == target.type && other.text == target.text;
  });
  return found != all.rend() ? std::optional(found->thrower) : std::nullopt;
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
