// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/tools/trace/chain_store.hpp>
#include <imbrex/tools/trace/element_table.hpp>
#include <imbrex/tools/trace/message_times.hpp>
#include <imbrex/tools/trace/overlap.hpp>
#include <imbrex/tools/trace/pe_activity.hpp>
#include <imbrex/tools/trace/process_account.hpp>
#include <imbrex/tools/trace/report.hpp>
#include <imbrex/trace/record.hpp>

namespace imbrex::tools {

class run_observer;

/// State shared by the accounts of all PEs.
struct shared_accounts {
  process_changes changes;
  run_observer* observer = nullptr;  ///< may be null
  std::vector<entry_report> entries;
  element_table elements;
  /// Whether current events count: false outside the phase of a report. Times are those passed within the
  /// phase.
  bool counts = true;
  chain_store chains;
  std::uint64_t reach = 0;                       ///< no pending message was sent before
  std::uint32_t chain_used = chain_first_entry;  ///< parts in use by entries

  /// The part of a chain for an entry of the program; assigned at the first call.
  std::uint32_t part_of(entry_report& entry) {
    if (entry.chain_part == 0) entry.chain_part = chain_used < chain_parts ? chain_used++ : chain_parts - 1;
    return entry.chain_part;
  }
};

/// Accounts for the time of one PE, from one change of state to the next. Time belongs to the innermost
/// running frame.
class alignas(64) pe_account {
 public:
  pe_account(std::uint32_t pe, std::uint32_t track, std::size_t kept, std::uint64_t start,
             shared_accounts& all, std::uint32_t process);

  // Records that change the PE's state. `entry`: index in `shared_accounts::entries`.
  void item_begin(const trace::record& r, std::uint32_t entry);
  void item_end(std::uint64_t time);
  /// A message is sent. If it is the message with which the current item of an entry began, the item only
  /// forwarded it. Then no entry was called: an entry keeps its message until its end.
  void sent(const trace::record& r);
  void entry_begin(const trace::record& r, std::uint32_t entry);
  void entry_end(std::uint64_t time);
  void resumed(const trace::record& r, std::uint32_t entry);
  void suspended(const trace::record& r);
  void abandoned(const trace::record& r);
  void parked(std::uint64_t time);
  void woken(std::uint64_t time);
  void off(std::uint64_t time);
  /// All PEs are idle, and this PE notifies the waiting coroutines. `chain`: the chain of the PE that worked
  /// last.
  void quiet(std::uint64_t time, std::uint32_t chain);
  /// `before`: time of the previous record.
  void dropped(const trace::record& r, std::uint64_t before);

  /// Prefetches the state, which a record will change soon.
  void fetch() const {
    const auto* const line = reinterpret_cast<const char*>(this);
    for (std::size_t k = 0; k < fetched; k += 64) __builtin_prefetch(line + k, 1);
  }
  /// Prefetches the memory that the state refers to.
  void fetch_history() const {
    __builtin_prefetch(does_.frames().data(), 1);
    overlap_.fetch();
  }

  /// Adds the time in which a message to this PE was in flight.
  void add(interval on_its_way) { overlap_.add(on_its_way); }
  /// Adds the time in which a message to this PE was in flight or ready, until it began; contains the time in
  /// flight.
  void add_until_begun(interval not_begun) { overlap_.add(not_begun, until_begun); }
  /// The number of cut intervals until begun, and the total time cut off.
  std::uint64_t cut_until_begun() const { return overlap_.cut(until_begun); }
  std::uint64_t cut_time_until_begun() const { return overlap_.cut_time(until_begun); }
  /// The chain up to now, saved for a message. The message's owner releases it.
  std::uint32_t capture();
  /// Accounts for a message that begins an item or a turn. True if the PE has waited for it, that is, the
  /// message became ready while the PE was idle since its last work. Work is execution of the program, or an
  /// item begun by a message; timers and polling are no work. `found`: `ready` is the time of a poll. A
  /// message that was sent during the last work and is found by the first poll after it had arrived before:
  /// it waited for the PE.
  bool begun_by_message(const message_times& times, bool found) {
    worked_ = true;
    if (!waited_ || times.ready <= worked_until_) return false;
    return !found || times.sent >= worked_until_ || times.ready - worked_until_ > longest_look;
  }
  /// Continues the chain of the message that the PE has waited for.
  void take_over(std::uint32_t chain, const message_times& times);

  /// The innermost running frame, the owner of a phase that begins now.
  struct owner {
    std::uint32_t entry = 0;  ///< index in `shared_accounts::entries`, if `runs`
    std::uint32_t element = element_table::none;
    bool runs = false;
  };
  owner innermost() const;
  /// The time for which the PE has run the program, up to `now`.
  std::uint64_t program_time(std::uint64_t now) const;

  std::uint32_t number() const { return report_.pe; }
  std::uint64_t last_item_end() const { return last_item_end_; }
  /// The end of its last completed work.
  std::uint64_t worked_until() const { return worked_until_; }
  /// The chain at the end of its last item.
  chain_times chain_of_last_item() const;
  pe_report finish(std::uint64_t end);

 private:
  struct numbered {
    std::uint32_t entry = 0;  // index in `shared_accounts::entries`
    std::uint32_t element = element_table::none;
  };
  using activity = pe_activity<numbered>;
  using mode = activity::mode;
  static constexpr std::uint64_t longest_look = 20'000;  // ns: time of a poll that copies some ten KiB
  static constexpr std::size_t fetched = 448;            // bytes, with the usual parts of the chain
  static constexpr std::size_t until_begun = 1;          // index of a set of `overlap_`

  pe_state state() const;
  std::uint32_t part(pe_state now) const;
  void forget_captured() {
    if (captured_ != 0) all_.chains.release(captured_);
    captured_ = 0;
  }
  void change(std::uint64_t time);
  void changed(std::uint64_t time);
  std::uint32_t entry() const { return does_.innermost().more.entry; }
  void begun(activity::frame& frame, std::uint32_t entry);
  void called(activity::frame& frame);
  auto tells_end(std::uint64_t time);
  void stop_recording(std::uint64_t last_known);
  void tell(const activity::frame& ended, std::size_t depth, std::uint64_t end) const;
  std::uint32_t& waits(std::uint8_t cause);
  void something_runs_inside() {
    own_message_ = 0;
    may_end_wait_ = false;
  }

  // Fields that most records change come first, in as few cache lines as possible.
  shared_accounts& all_;
  activity does_;
  std::uint64_t since_;
  const std::uint32_t track_;
  const std::uint32_t process_;  // index of the process's account
  std::uint32_t captured_ = 0;
  bool waited_ = false;  // idle since its last work, and busy again
  bool worked_ = false;  // has worked in this item
  bool computing_ = false;
  bool may_end_wait_ = false;      // this item began without a message, and nothing else has run in it
  std::uint16_t own_entry_ = 0;    // entry of `own_message_`, as in records
  std::uint64_t own_message_ = 0;  // message that began this item, while nothing else has run in it
  bool has_run_ = false;           // has run an item
  bool own_counts_ = false;        // the call of `own_message_` was counted
  std::array<std::uint64_t, pe_states> times_{};
  timeline_overlap overlap_;
  std::uint64_t worked_until_;
  std::uint64_t idle_since_work_ = 0;  // ns of idle time since its last work
  std::uint64_t last_item_end_ = 0;
  std::uint64_t idle_since_ = 0;          // begin of the idle time before its last item
  std::array<std::uint32_t, 3> waits_{};  // waiting for devices, timers, others
  std::uint64_t parked_time_ = 0;
  std::array<std::uint64_t, chain_first_entry> after_last_item_{};
  chain_times chain_{};
  pe_report report_;
};

}  // namespace imbrex::tools
