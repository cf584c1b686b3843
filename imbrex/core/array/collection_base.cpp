// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/collection_base.hpp>

#include <imbrex/core/collective/section_tree.hpp>

namespace imbrex::detail {

namespace {

/// Sent by a PE to the root: the PE has no elements of the array.
using empty_notification = request_to_part<&collection_base::notified_empty, "empty notification">;

}  // namespace

collection_base::collection_base(processor& pe, std::uint64_t id, const class_names& of,
                                 const array_beginning& begins)
    : local_array(pe, id, of, {broadcasts_, reductions_, ending_}),
      ending_(*this, begins.filled ? begins.elements : 0),
      reductions_(*this, begins.elements),
      broadcasts_(*this) {}

collection_base::~collection_base() = default;

tree_reduction& collection_base::reduction_over(std::uint64_t section) {
  if (section == no_section) return reductions_;
  return static_cast<section_tree&>(*section_place(section));
}

void collection_base::became_empty(std::optional<std::uint64_t> next_report) {
  if (pe().num_pes() == 1) return ending_.became_empty(0, ending_.counts());
  send_request<empty_notification>(*this, root(), next_report, ending_.counts());
}

void collection_base::notified_empty(const requester& from, std::optional<std::uint64_t> next_report,
                                     element_counts counts) {
  if (next_report) reductions_.became_empty(from, *next_report);
  ending_.became_empty(from.pe, counts);
}

}  // namespace imbrex::detail
