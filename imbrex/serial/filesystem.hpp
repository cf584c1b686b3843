// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <type_traits>
#include <utility>

#include <imbrex/serial/archive.hpp>

namespace imbrex {

template <>
struct serializer<std::filesystem::path> {
  static void serialize(auto& ar, std::filesystem::path& value) {
    std::filesystem::path::string_type name = value.native();
    ar(name);
    if constexpr (std::remove_reference_t<decltype(ar)>::reading) value = std::move(name);
  }
};

}  // namespace imbrex
