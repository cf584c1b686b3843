// SPDX-License-Identifier: Apache-2.0
#pragma once
// Contents of messages between PEs where a run is balanced in two levels.

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/balance/driver/period_report.hpp>
#include <imbrex/balance/two_levels.hpp>

namespace imbrex::balance::detail {

/// A request of PE 0 for the loads of all PEs.
struct load_request {
  bool extrapolates = false;            ///< as `period_rules`
  bool in_groups = false;               ///< as `period_rules`
  std::optional<std::uint64_t> only{};  ///< the array whose elements may move; empty: all

  void serialize(auto& ar) { ar(extrapolates, in_groups, only); }
};

/// The objects of a group as PE 0 knows them.
struct group_summary {
  std::int32_t group = 0;
  std::vector<object_run> runs{};
  std::uint64_t elements = 0;
  std::uint64_t unmovable = 0;
  std::string complaint{};  ///< as in `pe_loads`

  void serialize(auto& ar) { ar(group, runs, elements, unmovable, complaint); }
};

/// The loads of a subtree: those of PEs, until they have come to the first PE of their group.
struct gathered_loads {
  std::vector<pe_loads> pes;
  std::vector<group_summary> groups;

  void add(gathered_loads more) {
    pes.insert(pes.end(), std::make_move_iterator(more.pes.begin()), std::make_move_iterator(more.pes.end()));
    groups.insert(groups.end(), std::make_move_iterator(more.groups.begin()),
                  std::make_move_iterator(more.groups.end()));
  }
  void serialize(auto& ar) { ar(pes, groups); }
};

/// The runs that go to other groups in a step.
struct step_plan {
  struct run_move {
    std::int32_t from = 0;
    std::uint32_t run = 0;
    std::int32_t to = 0;
    void serialize(auto& ar) { ar(from, run, to); }
  };

  std::uint64_t seed = 0;
  bool takes_back = false;  ///< the last step is taken back
  std::vector<run_move> moves{};
  period_rules rules{};

  void serialize(auto& ar) { ar(seed, takes_back, moves, rules); }
};

/// The result of a step in some groups.
struct step_totals {
  std::uint64_t moved = 0;
  double busiest = 0;   ///< expected load of the busiest PE
  double all = 0;       ///< expected load of all PEs
  std::string failure;  ///< the exception of a strategy; empty if there was none

  void add(const step_totals& more);
  void serialize(auto& ar) { ar(moved, busiest, all, failure); }
};

}  // namespace imbrex::balance::detail
