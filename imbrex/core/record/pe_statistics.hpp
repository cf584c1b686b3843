// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/pe/processor.hpp>
#include <imbrex/core/record/pe_counts.hpp>
#include <imbrex/sched/observer.hpp>

namespace imbrex::detail {

/// Counts a PE's activity.
class pe_statistics final : public observer {
 public:
  pe_statistics(const processor& pe, pe_counts& counts) : pe_(pe), counts_(counts) {}

  void item_begins(const work& item) override;
  void item_ends() override;
  void sent(const departing_message& what) override;
  void departs(const local_array& part, const chare_header& element, int to) override;
  void stays(const local_array& part, const chare_header& element, int requested_pe) override;

 private:
  idle_cause cause_of(const work& item) const;

  const processor& pe_;
  pe_counts& counts_;
};

}  // namespace imbrex::detail
