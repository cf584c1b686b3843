// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/message.hpp>
#include <imbrex/core/pe_counts.hpp>
#include <imbrex/sched/scheduler.hpp>

namespace imbrex::detail {

class recorder;

/// What a scheduler is watched by: it counts what it does, records it, or both. Its thread's.
class pe_watch final : public item_observer {
 public:
  explicit pe_watch(const scheduler& whose) : scheduler_(whose) {}

  /// That of a scheduler, null if nobody watches it.
  static pe_watch* of(const scheduler& s) { return static_cast<pe_watch*>(s.observer()); }

  /// Null if nothing is recorded, or counted. Before the scheduler runs.
  void attach(recorder& records) { recorder_ = &records; }
  void attach(pe_counts& counts) { counts_ = &counts; }
  recorder* records() const { return recorder_; }

  void run(work& item) override;
  void parks() override;
  void wakes() override;
  /// A message leaves for a PE.
  void sent(message& m, int to);

 private:
  const scheduler& scheduler_;
  recorder* recorder_ = nullptr;
  pe_counts* counts_ = nullptr;
};

}  // namespace imbrex::detail
