// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/device_recorder.hpp>

#include <algorithm>
#include <array>
#include <new>

namespace imbrex::detail {

namespace {

/// Indexed by finished_operation::type.
constexpr std::array<trace::operation_class, 5> classes{
    trace::operation_class::kernel, trace::operation_class::host_to_device,
    trace::operation_class::device_to_host, trace::operation_class::device_to_device,
    trace::operation_class::host_function};

std::uint64_t count(nanoseconds time) { return static_cast<std::uint64_t>(time.count()); }

}  // namespace

device_recorder::device_recorder(trace::recording& into, std::uint32_t number, device& whose)
    : recording_(into),
      track_(into.add_track(trace::track_number(trace::track_class::device, number))),
      device_(whose),
      hears_(whose.backend().observe(this)) {}

device_recorder::~device_recorder() { device_.backend().observe(nullptr); }

void device_recorder::finished(const finished_operation& operation) noexcept {
  if (!track_.follow(count(operation.end))) return;
  trace::record r{count(operation.end),
                  trace::record_kind::operation,
                  static_cast<std::uint8_t>(classes[static_cast<std::size_t>(operation.what)]),
                  trace::no_entry,
                  operation.stream,
                  count(operation.end - operation.begin),
                  operation.bytes};
  try {
    if (named_streams_.insert(operation.stream).second)
      recording_.name(trace::name_table::streams, operation.stream, track_.number(), operation.owner);
    r.entry = static_cast<std::uint16_t>(
        std::min<std::uint32_t>(track_.mark_number(operation.name), trace::no_entry));
  } catch (const std::bad_alloc&) {  // out of memory: the operation has no name
  }
  track_.add(r);
}

}  // namespace imbrex::detail
