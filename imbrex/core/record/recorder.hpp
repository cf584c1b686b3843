// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <imbrex/base/host/ticks.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/core/pe/local_array.hpp>
#include <imbrex/core/record/clock_comparison.hpp>
#include <imbrex/coro/scope.hpp>
#include <imbrex/sched/observer.hpp>
#include <imbrex/sched/scheduler.hpp>
#include <imbrex/trace/recording.hpp>

namespace imbrex::detail {

/// Writes into a trace what one PE, or the communication thread, does (docs/trace-format.md).
class recorder final : public observer {
 public:
  /// `unit`: if not of ticks, records have the time of the scheduler's clock. `order`: where one thread steps
  /// all PEs, and that clock stands still, what counts their records, as if each took a nanosecond, so that
  /// their order can be told; else null.
  recorder(trace::recording& into, std::uint32_t track, trace::time_unit unit, const scheduler& whose,
           std::uint64_t* order);

  /// Before each item it is to look whether it is time to compare clocks.
  void compare(clock_comparison& clocks) { clocks_ = &clocks; }

  /// True while what happens is recorded: from one item to the next it does not change.
  bool is_on() const { return track_.is_on(); }
  std::uint32_t track() const { return track_.number(); }

  void item_begins(const work& item) override;
  void item_ends() override;
  void parks() override;
  void wakes() override;
  void suspended(const suspension& what) override;
  void resumed(const suspension& what) override;
  void abandoned(const scope& entry, trace::wait_cause cause) override;
  void received(const work& letter, std::int64_t reference) override;
  void gathered(const void* whole, std::uint64_t number, bool completes) override;

  void quiescent() override { add(trace::record_kind::quiet); }
  void sent(const departing_message& what) override;
  std::optional<packing_record> packed(const work& m) override;
  void arrived(const work& m, const packing_record& packed) override;
  void arrived(const work& m, nanoseconds ago) override;
  /// A message has come to the end of a modelled link where no PE notices.
  static void record_arrival(trace::track& where, const message& m, nanoseconds now);

  void turn_begins(const local_array& part, const chare_header& element, const work_type& entry,
                   const work& broadcast) override;
  void turn_ends() override;

  // The trace needs the names of arrays and elements.
  void created(const collection_part& part) override;
  void created(const local_array& part, const chare_header& element) override;
  void departs(const local_array& part, const chare_header& element, int to) override;
  void arrives(const local_array& part, const chare_header& element) override;

  // What a front end names: `begin_turn` and `name_turns`.
  void turn_begins(std::string_view entry, std::uint32_t collection, std::uint64_t element) {
    add(trace::record_kind::entry_begin, static_cast<std::uint8_t>(trace::item_class::entry),
        recording_.entry_number(entry), collection, 0, element);
  }
  void turn_waits(trace::record_kind kind, std::string_view entry, std::uint32_t collection,
                  std::uint64_t element) {
    add(kind, static_cast<std::uint8_t>(trace::wait_cause::other), recording_.entry_number(entry), collection,
        0, element);
  }
  void name(trace::name_table table, std::uint32_t id, std::uint64_t key, std::string_view text) {
    recording_.name(table, id, key, text);
  }

  /// What the user names.
  void add_user(trace::record_kind kind, std::uint32_t name, std::uint64_t a, std::uint64_t b) {
    add(kind, 0, 0, name, a, b);
  }
  void add_data(trace::record_kind kind, trace::data_step step, std::uint32_t name, std::uint64_t a,
                std::uint64_t stretch) {
    add(kind, static_cast<std::uint8_t>(step), 0, name, a, stretch);
  }
  /// A number that no other phase or stretch of data of the track has.
  std::uint64_t new_stretch() { return ++stretches_; }

  trace::track& records() { return track_; }

 private:
  std::uint64_t now() { return ticks_ ? read_ticks() : clock_now(); }
  /// After what other threads have done that this one has seen.
  std::uint64_t now_in_order() { return ticks_ ? read_ticks_in_order() : clock_now(); }
  std::uint64_t clock_now();
  void add(trace::record_kind kind, std::uint8_t detail = 0, std::uint16_t entry = 0, std::uint32_t group = 0,
           std::uint64_t a = 0, std::uint64_t b = 0) {
    track_.add({now(), kind, detail, entry, group, a, b});
  }
  /// What the entries of an element wait for that moves with it: to readers each PE's waits are its own.
  void add_waits(trace::record_kind kind, const chare_header& element);
  void add_wait(trace::record_kind kind, const scope& entry, const awaited& what);
  std::uint16_t entry_of(const message& m);
  std::uint16_t entry_of(const message_type& kind);
  /// Of what is no message, or named at run time.
  std::uint16_t other_entry(const work_type& kind);
  /// A message passes here, or is run here, that asks for a reply: what that is to be called.
  void note_request(const message& m);
  void note_request(const reply_address& reply, std::uint32_t to, const message_type& request);
  /// Of a reply on its way to that PE; `own` if nothing is known of its request.
  std::uint16_t entry_of_reply(const message& m, int to, std::uint16_t own) const;
  void begin_item(const work& item, std::uint64_t now);

  trace::recording& recording_;
  trace::track& track_;
  const bool ticks_;
  const scheduler& scheduler_;
  std::uint64_t* const order_;
  clock_comparison* clocks_ = nullptr;
  std::uint64_t clocks_looked_at_ = 0;
  const std::uint16_t main_entry_;
  bool in_item_ = false;  ///< that is recorded
  std::uint32_t packed_ = 0;
  std::uint64_t stretches_ = 0;
  std::unordered_map<const work_type*, std::uint16_t> other_entries_;
  /// What the runtime sends for entries and classes that are named at run time.
  std::map<std::pair<const message_type*, const message_type*>, std::uint16_t> of_named_;
  /// By PE and slot (`reply_address`): what the last request has asked for that is to have its reply there.
  /// The slot is not used again before the reply has come.
  struct request {
    std::uint32_t generation = 0;
    std::uint16_t entry = 0;
  };
  std::unordered_map<std::uint64_t, request> requests_;
  static std::uint64_t place_of(std::uint32_t pe, std::uint32_t slot) {
    return std::uint64_t{pe} << 32U | slot;
  }
  std::unordered_map<const message_type*, std::uint16_t> replies_to_;  ///< by the kind of the request
  const message_type* turn_ = nullptr;                                 ///< of an element in a broadcast
};

}  // namespace imbrex::detail
