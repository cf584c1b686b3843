// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/report.hpp>

#include <imbrex/core/record/run_recording.hpp>

namespace imbrex::extension {

using detail::recorder_here;

bool begin_turn(std::string_view entry, std::uint32_t collection, std::uint64_t element) {
  auto* const r = recorder_here();
  if (r != nullptr) r->turn_begins(entry, collection, element);
  return r != nullptr;
}

void end_turn() {
  if (auto* const r = recorder_here()) r->turn_ends();
}

bool resume_turn(std::string_view entry, std::uint32_t collection, std::uint64_t element) {
  auto* const r = recorder_here();
  if (r != nullptr) r->turn_waits(trace::record_kind::resumed, entry, collection, element);
  return r != nullptr;
}

void suspend_turn(std::string_view entry, std::uint32_t collection, std::uint64_t element, bool has_ended) {
  auto* const r = recorder_here();
  if (r == nullptr) return;
  r->turn_waits(trace::record_kind::suspended, entry, collection, element);
  if (has_ended) r->turn_waits(trace::record_kind::abandoned, entry, collection, element);
}

void name_turns(std::uint32_t collection, std::string_view class_name, std::uint64_t element,
                std::string_view element_name) {
  auto* const r = recorder_here();
  if (r == nullptr) return;
  r->name(trace::name_table::collections, collection, 0, class_name);
  r->name(trace::name_table::elements, collection, element, element_name);
}

}  // namespace imbrex::extension
