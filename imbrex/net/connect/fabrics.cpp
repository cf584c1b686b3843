// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/connect/fabrics.hpp>

#include <algorithm>
#include <array>

#include <imbrex/net/connect/fabric_kinds.hpp>
#include <imbrex/net/loopback/loopback_fabric.hpp>
#include <imbrex/net/ucx/ucx_fabric.hpp>

namespace imbrex {
namespace {

constexpr std::array makers{
    fabric_entry{"ucx", &ucx::make_fabric, &ucx::make_endpoint},
    fabric_entry{"loopback", &loopback::make_fabric, &loopback::make_endpoint},
};

}  // namespace

std::span<const fabric_entry> fabrics() { return makers; }

const fabric_entry& maker_of(std::string_view name) {
  return *std::ranges::find(makers, find_fabric(name).name, &fabric_entry::name);
}

}  // namespace imbrex
