// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/connect/fabric_kinds.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/max_processes.hpp>
#include <imbrex/base/options/nearest.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/net/ucx/ucx_built.hpp>

namespace imbrex {
namespace {

constexpr std::array known_fabrics{
    fabric_kind{"ucx", "imbrex was built without UCX: install it (Debian: libucx-dev) and build again",
                max_processes, &ucx::is_built},
    fabric_kind{"loopback", "", 1, [] { return true; }},
};

}  // namespace

std::span<const fabric_kind> fabric_kinds() { return known_fabrics; }

bool has_network() {
  return std::ranges::any_of(
      known_fabrics, [](const fabric_kind& kind) { return kind.most_processes > 1 && kind.is_built(); });
}

const fabric_kind& find_fabric(std::string_view name) {
  std::vector<std::string_view> names;
  std::string listed;
  for (const fabric_kind& kind : known_fabrics) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
    listed += (listed.empty() ? "" : ", ") + std::string(kind.name);
  }
  std::string text = "--net " + printable(name) + ": the value must be one of " + listed;
  if (const auto meant = nearest(name, names); !meant.empty())
    text += "; did you mean --net " + std::string(meant) + "?";
  throw usage_error(text);
}

void check_fabric(std::string_view name, int processes) {
  if (processes > find_fabric(name).most_processes)
    throw usage_error("--net " + std::string(name) + " is for one process, and this is one of " +
                      std::to_string(processes) + ": leave it out, or start the program by itself");
}

}  // namespace imbrex
