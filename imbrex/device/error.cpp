// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/error.hpp>

#include <utility>

namespace imbrex {
namespace {

std::string text_of(const std::string& device, const std::string& owner, const std::string& operation,
                    std::string_view reason) {
  std::string text = device;
  if (!owner.empty()) text += ", stream of " + owner;
  return text + ": " + operation + ": " + std::string(reason);
}

}  // namespace

device_error::device_error(std::string device, std::string owner, std::string operation,
                           std::string_view reason)
    : error(text_of(device, owner, operation, reason)),
      device_(std::move(device)),
      owner_(std::move(owner)),
      operation_(std::move(operation)) {}

std::string detail::stream_of(const std::string& owner) {
  return owner.empty() ? "a stream without a name" : "the stream of " + owner;
}

device_out_of_memory::device_out_of_memory(std::string device, std::string owner, std::string_view what,
                                           std::size_t size, std::size_t free)
    : device_error(std::move(device), std::move(owner), "allocate",
                   "no " + std::string(what) + " for " + std::to_string(size) + " bytes, " +
                       std::to_string(free) + " are free; use smaller blocks, or more devices"),
      requested_bytes_(size),
      free_(free) {}

}  // namespace imbrex
