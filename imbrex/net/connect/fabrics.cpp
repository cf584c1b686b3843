// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/connect/fabrics.hpp>

#include <array>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/max_processes.hpp>
#include <imbrex/base/nearest.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/net/loopback/loopback_fabric.hpp>
#include <imbrex/net/ucx/ucx_fabric.hpp>

namespace imbrex {
namespace {

constexpr std::array all{
    fabric_entry{"ucx", "imbrex was built without UCX: install it (Debian: libucx-dev) and build again",
                 max_processes, &ucx::is_built, &ucx::make_fabric, &ucx::make_endpoint},
    fabric_entry{"loopback", "", 1, [] { return true; }, &loopback::make_fabric, &loopback::make_endpoint},
};

}  // namespace

std::span<const fabric_entry> fabrics() { return all; }

const fabric_entry& find_fabric(std::string_view name) {
  std::vector<std::string_view> names;
  std::string listed;
  for (const fabric_entry& one : all) {
    if (one.name == name) return one;
    names.push_back(one.name);
    listed += (listed.empty() ? "" : ", ") + std::string(one.name);
  }
  std::string text = "--net " + printable(name) + ": the value must be one of " + listed;
  if (const auto meant = nearest(name, names); !meant.empty())
    text += "; did you mean --net " + std::string(meant) + "?";
  throw usage_error(text);
}

}  // namespace imbrex
