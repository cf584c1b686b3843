// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/backends/devices.hpp>

#include <array>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/nearest.hpp>
#include <imbrex/device/cuda/cuda_devices.hpp>
#include <imbrex/device/emulated/emulated_device.hpp>

namespace imbrex {
namespace {

struct backend_entry {
  std::string_view name;
  std::vector<std::unique_ptr<device>> (*find)(const emulated_options&);
};

constexpr std::array<backend_entry, 2> backends{{
    {"cuda", [](const emulated_options&) { return cuda_devices(); }},
    {"emulated", emulated_devices},
}};
constexpr std::array<std::string_view, 2> names{backends[0].name, backends[1].name};

}  // namespace

std::vector<std::unique_ptr<device>> devices(std::string_view backend,
                                             const emulated_options& emulation_options) {
  for (const backend_entry& entry : backends)
    if (entry.name == backend) return entry.find(emulation_options);
  std::string text = "there is no device backend " + std::string(backend) + "; there are cuda and emulated";
  if (const auto meant = nearest(backend, names); !meant.empty())
    text += "; did you mean " + std::string(meant) + "?";
  throw usage_error(text);
}

std::span<const std::string_view> device_backends() { return names; }

}  // namespace imbrex
