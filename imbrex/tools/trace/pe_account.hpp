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

/// What the accounts of all PEs have in common.
struct shared_accounts {
  process_changes changes;
  run_observer* observer = nullptr;  ///< or nobody
  std::vector<entry_report> entries;
  element_table elements;
  /// Whether what happens now counts: in a report on a phase not outside of it. Time is counted by how much
  /// has passed of the phase.
  bool counts = true;
  chain_store chains;
  std::uint64_t reach = 0;                       ///< no message that has not begun was sent before
  std::uint32_t chain_used = chain_first_entry;  ///< parts that some entry has

  /// The part of a chain that an entry of the program has.
  std::uint32_t part_of(entry_report& entry) {
    if (entry.chain_part == 0) entry.chain_part = chain_used < chain_parts ? chain_used++ : chain_parts - 1;
    return entry.chain_part;
  }
};

/// Accounts for what one PE does, from one change to the next: the time is that of the innermost that runs.
class alignas(64) pe_account {
 public:
  pe_account(std::uint32_t pe, std::uint32_t track, std::size_t kept, std::uint64_t start,
             shared_accounts& all, std::uint32_t process);

  // The records that change what it does. `entry` is a number among `shared_accounts::entries`.
  void item_begin(const trace::record& r, std::uint32_t entry);
  void item_end(std::uint64_t time);
  /// A message leaves. If it is the one that this item of an entry began with, that is passed on, and nothing
  /// was called: what runs keeps its message to its end.
  void sent(const trace::record& r);
  void entry_begin(const trace::record& r, std::uint32_t entry);
  void entry_end(std::uint64_t time);
  void resumed(const trace::record& r, std::uint32_t entry);
  void suspended(const trace::record& r);
  void abandoned(const trace::record& r);
  void parked(std::uint64_t time);
  void woken(std::uint64_t time);
  void off(std::uint64_t time);
  /// All PEs are idle, and this one tells those who wait for that. The chain is that of the PE that worked
  /// last.
  void quiet(std::uint64_t time, std::uint32_t chain);
  /// `before` is the time of the record before it.
  void dropped(const trace::record& r, std::uint64_t before);

  /// Asks the memory for its state, which a record will change soon.
  void fetch() const {
    const auto* const line = reinterpret_cast<const char*>(this);
    for (std::size_t k = 0; k < fetched; k += 64) __builtin_prefetch(line + k, 1);
  }
  /// The same of what that refers to.
  void fetch_history() const {
    __builtin_prefetch(does_.frames().data(), 1);
    overlap_.fetch();
  }

  /// A message to it was on its way.
  void add(interval on_its_way) { overlap_.add(on_its_way); }
  /// A message to it was on its way, or there, and had not begun yet; contains what is added above.
  void add_until_begun(interval not_begun) { overlap_.add(not_begun, until_begun); }
  /// How many of the latter were cut, and by how much in all.
  std::uint64_t cut_until_begun() const { return overlap_.cut(until_begun); }
  std::uint64_t cut_time_until_begun() const { return overlap_.cut_time(until_begun); }
  /// What has led to this moment: to be given to a message, and released.
  std::uint32_t capture();
  /// A message has just begun an item, or a turn. Whether the PE has waited for it: since its last work it
  /// was idle for some time, and the message has come since then. Work is what runs the program, or was begun
  /// by a message; so the timers and the polling that let a message in are none. `found`: the message was
  /// ready when the PE looked. What was sent while it worked, and is found by the first look after that, had
  /// been there: it waited for the PE.
  bool begun_by_message(const message_times& times, bool found) {
    worked_ = true;
    if (!waited_ || times.ready <= worked_until_) return false;
    return !found || times.sent >= worked_until_ || times.ready - worked_until_ > longest_look;
  }
  /// The message that it has waited for.
  void take_over(std::uint32_t chain, const message_times& times);

  /// Whose phase begins now: what runs innermost.
  struct owner {
    std::uint32_t entry = 0;  ///< among `shared_accounts::entries`, if something runs
    std::uint32_t element = element_table::none;
    bool runs = false;
  };
  owner innermost() const;
  /// For how long it has run the program, up to now.
  std::uint64_t program_time(std::uint64_t now) const;

  std::uint32_t number() const { return report_.pe; }
  std::uint64_t last_item_end() const { return last_item_end_; }
  /// The end of its last work that has ended.
  std::uint64_t worked_until() const { return worked_until_; }
  /// The chain that led to the end of its last item.
  chain_times chain_of_last_item() const;
  pe_report finish(std::uint64_t end);

 private:
  struct numbered {
    std::uint32_t entry = 0;  // among `shared_accounts::entries`
    std::uint32_t element = element_table::none;
  };
  using activity = pe_activity<numbered>;
  using mode = activity::mode;
  static constexpr std::uint64_t longest_look = 20'000;  // ns: messages of some ten KiB are copied in it
  static constexpr std::size_t fetched = 448;    // bytes, with the parts of the chain that nearly all have
  static constexpr std::size_t until_begun = 1;  // a set of `overlap_`

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

  // What most records change stands first, in as few lines of the cache as can be.
  shared_accounts& all_;
  activity does_;
  std::uint64_t since_;
  const std::uint32_t track_;
  const std::uint32_t process_;  // of the accounts
  std::uint32_t captured_ = 0;
  bool waited_ = false;  // was idle since its last work, and works again
  bool worked_ = false;  // in this item
  bool computing_ = false;
  bool may_end_wait_ = false;      // this item began with no message, and nothing else has run in it
  std::uint16_t own_entry_ = 0;    // of `own_message_`, as records have it
  std::uint64_t own_message_ = 0;  // that this item of an entry began with, while nothing else has run in it
  bool has_run_ = false;           // an item
  bool own_counts_ = false;        // the call of `own_message_`
  std::array<std::uint64_t, pe_states> times_{};
  timeline_overlap overlap_;
  std::uint64_t worked_until_;
  std::uint64_t idle_since_work_ = 0;  // how long
  std::uint64_t last_item_end_ = 0;
  std::uint64_t idle_since_ = 0;          // since then it was idle, until its last item began
  std::array<std::uint32_t, 3> waits_{};  // for devices, for timers, for others
  std::uint64_t parked_time_ = 0;
  std::array<std::uint64_t, chain_first_entry> after_last_item_{};
  chain_times chain_{};
  pe_report report_;
};

}  // namespace imbrex::tools
