// SPDX-License-Identifier: Apache-2.0
// Reads flows from arbitrary bytes. Each must have a time on a machine, or an error.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include <imbrex/base/error.hpp>
#include <imbrex/tools/flow/evaluate.hpp>
#include <imbrex/trace/flow.hpp>
#include <imbrex/trace/internal/flow_format.hpp>

#include "mutator.hpp"

namespace {

using imbrex::trace::flow;
using imbrex::trace::flow_format::flow_header;

/// Makes the checksum and the length right, since few changed files would come past them.
void repair(std::string& bytes) {
  flow_header header;
  if (bytes.size() < sizeof header) return;
  std::memcpy(bytes.data(), &header, sizeof header.magic + sizeof header.version);
  header.bytes = bytes.size() - sizeof header;
  header.checksum = imbrex::trace::flow_format::flow_checksum(std::string_view(bytes).substr(sizeof header));
  std::memcpy(bytes.data(), &header, sizeof header);
}

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A flow of two PEs that send to each other, with a kernel on each device.
std::string a_valid_flow(std::mt19937& random) {
  using kind = flow::action_kind;
  flow f;
  f.facts.devices = 2;
  f.device_of_pe = {0, 1};
  f.has_device = {1, 1};
  f.shapes = {{.bytes = 1e6, .threads = random() % 99, .kind = flow::operation_kind::kernel},
              {.copied = random() % 99999, .kind = flow::operation_kind::peer}};
  const std::uint32_t turns = 1 + random() % 8;
  for (std::uint32_t t = 0; t < turns; ++t) {
    f.segments.push_back({static_cast<std::uint32_t>(f.actions.size()), 1});
    f.items.push_back({t, flow::item_cost::receive});
    f.actions.push_back({random() % 9999, 0, kind::work});
    f.actions.push_back({0, t, kind::submit});
    f.operations.push_back({t % 2, t % 2, 0, 1, static_cast<std::uint32_t>(f.befores.size())});
    if (t > 0) f.befores.push_back({t - 1, random() % 3 == 0 ? 0U : flow::none});
    if (t + 1 < turns) {
      f.actions.push_back({0, t, kind::send});
      f.messages.push_back({random() % 99999, (t + 1) % 2, t + 1});
    } else {
      f.actions.push_back({0, 0, kind::end});
    }
  }
  f.segments.push_back({static_cast<std::uint32_t>(f.actions.size()), 0});
  f.operations.push_back({0, 0, 0, 0, static_cast<std::uint32_t>(f.befores.size())});
  f.boxes = {{0}};
  std::string bytes;
  append(bytes, flow_header());
  append(bytes, f.facts);
  append(bytes, std::uint64_t{0});
  flow::for_each_array(f, [&](const auto& all) {
    append(bytes, static_cast<std::uint64_t>(all.size()));
    for (const auto& each : all) append(bytes, each);
  });
  repair(bytes);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const imbrex::device_model machine = imbrex::find_device_model("summit");
  flow read;
  try {
    read = imbrex::trace::parse_flow({reinterpret_cast<const char*>(data), size}, "fuzz.flow");
  } catch (const imbrex::usage_error& e) {
    if (std::string_view(e.what()).find("fuzz.flow") == std::string_view::npos) std::abort();
    return 0;
  }
  if (read.facts.devices > 1000) return 0;  // machines of that many devices take long
  try {
    if (imbrex::tools::evaluate(read, machine).time.count() < 0) std::abort();
  } catch (const imbrex::error& e) {
    if (std::string_view(e.what()).find("does not end") == std::string_view::npos) std::abort();
  }
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  return mutate_from_valid(data, size, max_size, seed, a_valid_flow, repair);
}
