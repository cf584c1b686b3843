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

/// Writes the activity of one PE, or of the communication thread, into a trace (docs/trace-format.md).
class recorder final : public observer {
 public:
  /// `unit`: unless ticks, records have times of the scheduler's clock. `order`: a record counter for
  /// machines where one thread steps all PEs and the clock stands still. Then each record advances the time
  /// by 1 ns, so that times show the order. Null elsewhere.
  recorder(trace::recording& into, std::uint32_t track, trace::time_unit unit, const scheduler& whose,
           std::uint64_t* order);

  /// Makes `item_begins` check whether it is time to compare clocks.
  void compare(clock_comparison& clocks) { clocks_ = &clocks; }

  /// True while recording is on; constant from one item to the next.
  bool is_on() const { return track_.is_on(); }
  std::uint32_t track() const { return track_.number(); }

  void item_begins(const work& item) override;
  void item_ends() override;
  void parks() override;
  void wakes() override;
  void suspended(const suspension& what) override;
  void resumed(const suspension& what) override;
  void abandoned(const scope& entry, trace::wait_cause cause) override;
  void received(const work& item, std::int64_t reference) override;
  void gathered(const void* whole, std::uint64_t number, bool completes) override;

  void quiescent() override { add(trace::record_kind::quiet); }
  void sent(const departing_message& what) override;
  std::optional<packing_record> packed(const work& m) override;
  void arrived(const work& m, const packing_record& packed) override;
  void arrived(const work& m, nanoseconds ago) override;
  /// Records the arrival of a message at the end of a modelled link, where no PE observes it.
  static void record_arrival(trace::track& where, const message& m, nanoseconds now);

  void turn_begins(const local_array& part, const chare_header& element, const work_type& entry,
                   const work& broadcast) override;
  void turn_ends() override;

  // Names of arrays and elements, which the trace needs.
  void created(const collection_part& part) override;
  void created(const local_array& part, const chare_header& element) override;
  void departs(const local_array& part, const chare_header& element, int to) override;
  void arrives(const local_array& part, const chare_header& element) override;

  // Turns and names of a front end: `begin_turn` and `name_turns`.
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

  /// Records of the user's marks, phases and data.
  void add_user(trace::record_kind kind, std::uint32_t name, std::uint64_t a, std::uint64_t b) {
    add(kind, 0, 0, name, a, b);
  }
  void add_data(trace::record_kind kind, trace::data_step step, std::uint32_t name, std::uint64_t a,
                std::uint64_t stretch) {
    add(kind, static_cast<std::uint8_t>(step), 0, name, a, stretch);
  }
  /// A number unique among the track's phases and stretches of data.
  std::uint64_t new_stretch() { return ++stretches_; }

  trace::track& records() { return track_; }

 private:
  std::uint64_t now() { return ticks_ ? read_ticks() : clock_now(); }
  /// The time, read after all effects of other threads that this thread has seen.
  std::uint64_t now_in_order() { return ticks_ ? read_ticks_in_order() : clock_now(); }
  std::uint64_t clock_now();
  void add(trace::record_kind kind, std::uint8_t detail = 0, std::uint16_t entry = 0, std::uint32_t group = 0,
           std::uint64_t a = 0, std::uint64_t b = 0) {
    track_.add({now(), kind, detail, entry, group, a, b});
  }
  /// Records the waits of a migrating element's entries: readers of traces keep waits for each PE separately.
  void add_waits(trace::record_kind kind, const chare_header& element);
  void add_wait(trace::record_kind kind, const scope& entry, const awaited& what);
  std::uint16_t entry_of(const message& m);
  std::uint16_t entry_of(const message_type& kind);
  /// The number for an item that is no message, or that is named at run time.
  std::uint16_t other_entry(const work_type& kind);
  /// Notes a request that is sent or run here, to name its reply.
  void note_request(const message& m);
  void note_request(const reply_address& reply, std::uint32_t to, const message_type& request);
  /// The entry of a reply to PE `to`; `own` if its request is unknown.
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
  bool in_item_ = false;  ///< a recorded item runs
  std::uint32_t packed_ = 0;
  std::uint64_t stretches_ = 0;
  std::unordered_map<const work_type*, std::uint16_t> other_entries_;
  /// Messages of the runtime for entries and classes that are named at run time.
  std::map<std::pair<const message_type*, const message_type*>, std::uint16_t> of_named_;
  /// By PE and slot (`reply_address`): the latest request with its reply address there. The slot is not
  /// reused before the reply has arrived.
  struct request {
    std::uint32_t generation = 0;
    std::uint16_t entry = 0;
  };
  std::unordered_map<std::uint64_t, request> requests_;
  static std::uint64_t place_of(std::uint32_t pe, std::uint32_t slot) {
    return std::uint64_t{pe} << 32U | slot;
  }
  std::unordered_map<const message_type*, std::uint16_t> replies_to_;  ///< by the request's kind
  const message_type* turn_ = nullptr;                                 ///< kind of a broadcast's turn
};

}  // namespace imbrex::detail
