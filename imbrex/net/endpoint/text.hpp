// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/serial/archive.hpp>

// Values that processes exchange as texts before they are connected.
namespace imbrex::endpoints {

template <class T>
std::string to_text(const T& value) {
  writer out;
  out(value);
  const auto bytes = out.written();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
T from_text(const std::string& text) {
  T other;
  reader in({reinterpret_cast<const std::byte*>(text.data()), text.size()});
  in(other);
  in.finish();
  return other;
}

/// The values of all processes, by rank. Collective.
template <class T>
std::vector<T> gather(bootstrap& job, const T& value) {
  std::vector<T> all;
  for (const auto& text : job.all_gather(to_text(value))) all.push_back(from_text<T>(text));
  return all;
}

}  // namespace imbrex::endpoints
