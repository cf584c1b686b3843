// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <imbrex/core/message/message.hpp>
#include <imbrex/core/message/pe_observer.hpp>
#include <imbrex/core/record/pe_counts.hpp>

namespace imbrex::detail {

class recorder;

/// What a scheduler is watched by: it counts what it does, records it, or both. Its thread's.
class pe_watch final : public pe_observer {
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
  void sent(message& m, int to) override;
  std::optional<packing_record> packed(const message& m) override;
  void arrived(const message& m, const packing_record& packed) override;
  void created(const collection_part& part) override;
  void created(const local_array& part, const chare_header& element) override;
  void turn_begins(const message_type& entry, const local_array& part, const chare_header& element,
                   const message& broadcast) override;
  void turn_ends() override;

 private:
  const scheduler& scheduler_;
  recorder* recorder_ = nullptr;
  pe_counts* counts_ = nullptr;
};

/// What records a PE; null if nothing does.
inline recorder* recorder_of(const scheduler& pe) {
  const pe_watch* const watch = pe_watch::of(pe);
  return watch == nullptr ? nullptr : watch->records();
}
inline recorder* recorder_of_this_thread() {
  const scheduler* const s = scheduler::current();
  return s == nullptr ? nullptr : recorder_of(*s);
}

}  // namespace imbrex::detail
