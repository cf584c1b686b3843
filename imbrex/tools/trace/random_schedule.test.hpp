// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/tools/trace/overlap.hpp>
#include <imbrex/trace/clock_fit.hpp>
#include <imbrex/trace/file_writer.hpp>

namespace imbrex::test {

/// A synthetic run: PEs do at random anything that records can express. It keeps the expected results of a
/// report in memory, computed without lookups by address.
class random_schedule {
 public:
  struct shape {
    std::uint32_t processes = 1;
    std::uint32_t pes_a_process = 3;
    int steps = 1000;
    bool clock_errors = false;  ///< messages may seem to arrive before they were sent
    bool pauses = false;        ///< recording is switched off and on
    bool drops = false;         ///< records are missing, as if the ring was full; no event meanwhile
  };
  random_schedule(unsigned seed, const shape& how);

  /// Writes the trace files.
  void write(const std::string& file);

  static constexpr std::uint32_t entries = 6;
  /// An element: the collection and the number in it.
  using whose_type = std::pair<std::uint32_t, std::uint64_t>;
  /// A time in which a PE's state did not change, in process 0's clock.
  struct stretch {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    tools::pe_state state = tools::pe_state::before_first;
    bool parked = false;
    std::uint32_t entry = 0;  ///< running entry, if any
    bool blocked = false;     ///< idle until the device had completed the awaited work
    whose_type whose{};       ///< running element of the program, if any
  };
  /// An event that counts once, or never if `undone`.
  struct event {
    enum class kind : std::uint8_t { item, call, resume, sent } what = kind::call;
    std::uint64_t time = 0;
    std::uint32_t entry = 0;
    std::optional<whose_type> whose{};  ///< called or sending element
    std::uint64_t bytes = 0;
    bool undone = false;  ///< a call that only forwarded its message
  };
  struct message {
    std::uint64_t bytes = 0;
    std::uint64_t sent = 0;
    std::uint64_t ready = 0;
    std::uint64_t begun = 0;
    std::uint32_t sender = 0;
    std::uint32_t receiver = 0;
    bool arrived = false;
    bool has_begun = false;
    // State in flight:
    std::uint64_t address = 0;
    std::uint64_t packed = 0;  // time of packing
    std::uint32_t number = 0;
    std::uint16_t entry = 0;
    bool is_bytes = false;
    bool here = false;  // may begin
  };
  struct operation {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool copy = false;
  };
  /// An item that begins, after its PE was idle, with a message that arrived in that time.
  struct takeover {
    std::uint64_t time = 0;
    std::size_t message = 0;
  };
  struct pe {
    std::vector<stretch> stretches;
    std::vector<takeover> takeovers;
    std::uint64_t last_item_end = 0;
  };

  const shape how;
  std::vector<pe> pes;
  std::vector<message> messages;
  std::vector<operation> operations;  ///< recorded operations of process 0's device
  std::uint64_t sent = 0;             ///< including forwarded messages
  std::uint64_t dropped = 0;
  std::vector<event> events;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

 private:
  struct frame {
    std::uint16_t entry;
    std::uint32_t group;
    std::uint64_t element;
    bool program;
    char kind;  // item 'i', turn 't' or coroutine 'c'
  };
  struct live {
    std::vector<frame> stack;
    char mode = 'i';  // idle 'i', busy or unrecorded
    bool in_item = false;
    bool parked = false;
    bool began = false;
    bool waited = false;
    bool worked = false;
    bool may_end_wait = false;  // in an item without a message, in which nothing else has run
    std::uint64_t idle_since = 0;
    std::uint64_t worked_until = 0;
    std::uint64_t idle_since_work = 0;
    std::uint64_t since = 0;
    int device_waits = 0;
    int timer_waits = 0;
    std::uint32_t packed = 0;
    std::vector<std::uint64_t> held;  // addresses of messages of running frames
    std::size_t call = 0;             // index of the item's call in `events`
    std::vector<trace::record> records;
  };

  std::uint32_t process_of(std::uint32_t p) const { return p / how.pes_a_process; }
  std::uint64_t local(std::uint32_t process) const;
  std::uint64_t aligned(std::uint32_t process, std::uint64_t local) const;
  void put(std::uint32_t p, trace::record_kind kind, std::uint64_t a, std::uint64_t b, std::uint32_t group,
           std::uint16_t entry, std::uint8_t detail);
  void close_stretch(std::uint32_t p);
  tools::pe_state state(const live& one) const;
  stretch stretch_until(const live& one, std::uint64_t time) const;
  void note(std::uint32_t p, event::kind what, std::uint32_t entry, bool has_element, whose_type whose,
            std::uint64_t bytes = 0);
  void step(std::uint32_t p);
  void idle_step(std::uint32_t p);
  void busy_step(std::uint32_t p);
  void begin_item(std::uint32_t p);
  void send(std::uint32_t p);
  void pass_on(std::uint32_t p, std::size_t which);
  void leave(std::uint32_t p, message& sent_now, std::uint32_t to, std::uint16_t entry);
  std::uint16_t any_entry() { return static_cast<std::uint16_t>(random_() % entries); }
  void pause(std::uint32_t p);
  void drop(std::uint32_t p);
  void stop_recording(std::uint32_t p);
  std::vector<std::size_t> here_at(std::uint32_t p) const;
  bool deliver(std::uint32_t p);
  void message_begins(std::uint32_t p, std::size_t which);
  std::uint64_t fresh_address(std::uint32_t process);
  void operate();

  std::mt19937 random_;
  std::uint64_t now_ = 1000;
  std::vector<live> live_;
  std::vector<std::int64_t> shifts_;
  std::vector<std::vector<trace::clock_reading>> readings_;
  std::vector<trace::clock_line> clocks_;
  std::vector<std::vector<std::uint64_t>> free_addresses_;
  std::vector<std::uint64_t> next_address_;
  std::vector<trace::record> device_records_;
};

}  // namespace imbrex::test
