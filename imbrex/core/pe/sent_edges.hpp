// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>

#include <imbrex/base/random.hpp>
#include <imbrex/base/work.hpp>
#include <imbrex/sched/observer.hpp>

namespace imbrex {

struct chare_header;

namespace detail {

class processor;

/// An element that sends messages to another one: the numbers of both arrays and keys.
struct sent_edge {
  std::uint64_t array = 0, key = 0;
  std::uint64_t to_array = 0, to_key = 0;

  auto operator<=>(const sent_edge&) const = default;
};

/// Estimates how many bytes the elements of a PE send to each other. Samples the sends of one item of 16 on
/// average. The messages of other items keep their short paths. Broadcasts, reductions and messages of the
/// runtime are no edges.
class sent_edges final : public observer {
 public:
  /// `running`: the element that runs, or null; a reference to where its meter keeps it.
  sent_edges(processor& pe, chare_header* const& running);

  /// Runs an item of the PE by `scheduler::run_measured`.
  void run(work& item, chare_header* addressee);
  void sent(const departing_message& message) final;

  /// Ends a period: its messages and earlier ones count half as much afterwards. Edges end some periods after
  /// their last messages.
  void age();
  /// Calls `visit` with each edge and its bytes in a period. None before the first `age`.
  template <class Visitor>
  void for_each(const Visitor& visit) const {
    if (periods_ == 0) return;
    for (const auto& [edge, bytes] : bytes_) visit(edge, bytes / periods_);
  }

 private:
  processor& pe_;
  chare_header* const& running_;
  random random_;
  std::uint64_t items_to_sample_ = 1;
  observer_list sampling_;  ///< the observers of all events during a sample
  std::map<sent_edge, float> bytes_;
  float periods_ = 0;  ///< ended periods whose messages count, the earlier ones less
};

}  // namespace detail
}  // namespace imbrex
