// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/pe_watch.hpp>

#include <imbrex/core/pe/processor.hpp>
#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/core/record/recorder.hpp>
#include <imbrex/net/local/serializing.hpp>
#include <imbrex/sched/device_completions.hpp>

namespace imbrex::detail {

namespace {

idle_cause cause_of(const scheduler& pe, const work& item) {
  const bool is_message = item.type->pack != nullptr;
  if (item.type->brings_message && !is_message) return idle_cause::message;
  if (is_message && item.origin != static_cast<std::uint32_t>(pe.pe())) return idle_cause::message;
  if (pe.completions() != nullptr && pe.completions()->pending() > 0) return idle_cause::device;
  return idle_cause::other;
}

/// A message that cannot be serialised, and need not be where it goes, counts as empty.
std::uint64_t bytes_of(message& m) {
  try {
    return packed_size(m);
  } catch (...) {
    return 0;
  }
}

}  // namespace

void pe_watch::run(work& item) {
  const auto run_it = [&] { recorder_ == nullptr ? item.type->run(item) : recorder_->run(item); };
  if (counts_ == nullptr) return run_it();
  counts_->begin(scheduler_.now(), cause_of(scheduler_, item));
  struct whole_item {
    ~whole_item() { counts.end(pe.now()); }
    pe_counts& counts;
    const scheduler& pe;
  };
  const whole_item open{*counts_, scheduler_};
  run_it();
}

void pe_watch::parks() {
  if (recorder_ != nullptr) recorder_->parks();
}

void pe_watch::wakes() {
  if (recorder_ != nullptr) recorder_->wakes();
}

void pe_watch::sent(message& m, int to) {
  const bool is_recorded = recorder_ != nullptr && recorder_->is_on();
  if (!is_recorded && counts_ == nullptr) return;
  const auto bytes = bytes_of(m);
  if (is_recorded) recorder_->sent(m, to, bytes);
  if (counts_ == nullptr) return;
  counts_->messages.add(1);
  counts_->bytes.add(bytes);
  if (to == scheduler_.pe()) return;
  counts_->to_other_pes.add(1);
  if (!static_cast<const processor&>(scheduler_).run().holds(to)) counts_->to_other_processes.add(1);
}

std::optional<packing_record> pe_watch::packed(const message& m) {
  return recorder_ != nullptr ? recorder_->packed(m) : std::nullopt;
}

void pe_watch::arrived(const message& m, const packing_record& packed) {
  if (recorder_ != nullptr) recorder_->arrived(m, packed);
}

void pe_watch::created(const collection_part& part) {
  if (recorder_ != nullptr) recorder_->came(part);
}

void pe_watch::created(const local_array& part, const chare_header& element) {
  if (recorder_ != nullptr) recorder_->came(part, element);
}

void pe_watch::turn_begins(const message_type& entry, const local_array& part, const chare_header& element,
                           const message& broadcast) {
  if (recorder_ != nullptr) recorder_->begin_turn(entry, part, element, broadcast);
}

void pe_watch::turn_ends() {
  if (recorder_ != nullptr) recorder_->end_turn();
}

}  // namespace imbrex::detail
