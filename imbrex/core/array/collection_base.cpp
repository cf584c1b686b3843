// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/collection_base.hpp>

namespace imbrex::detail {

namespace {

/// Sent by a PE to the root: the PE has no elements of the array.
struct empty_notification : message {
  std::optional<std::uint64_t> next_report;
  element_counts counts;

  static inline message_type type_record = runtime_message_type<empty_notification>();
  void serialize(auto& ar) { ar(next_report, counts); }
  void deliver() {
    auto* part = array_at(processor::here(), collection);
    if (part == nullptr) return processor::here().hold(*this);
    const message_guard guard(*this);
    if (next_report) part->reductions().became_empty(static_cast<int>(origin), *next_report);
    part->ending().became_empty(static_cast<int>(origin), counts);
  }
};

}  // namespace

collection_base::collection_base(processor& pe, std::uint64_t id, const class_names& of,
                                 std::uint64_t initial_elements)
    : local_array(pe, id, of, {broadcasts_, reductions_, ending_}),
      broadcasts_(*this),
      reductions_(*this, initial_elements),
      ending_(*this, initial_elements) {}

collection_base::~collection_base() = default;

void collection_base::became_empty(std::optional<std::uint64_t> next_report) {
  if (pe().num_pes() == 1) return ending_.became_empty(0, ending_.counts());
  auto& m = make_message<empty_notification>();
  m.collection = id();
  m.next_report = next_report;
  m.counts = ending_.counts();
  pe().dispatch(m, root());
}

}  // namespace imbrex::detail
