// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

namespace imbrex::trace {

/// The kind of a record. The numbers are those in the file: they do not change, and new ones are added at the
/// end.
enum class record_kind : std::uint8_t {
  item_begin = 1,  ///< A PE begins an item of its queue: `entry`, `detail` an `item_class`, `a` the message
                   ///< or 0. For an entry method `group` is the collection and `b` the element.
  item_end = 2,
  entry_begin = 3,  ///< Inside an item: one element begins its part of a broadcast. Fields as in item_begin.
  entry_end = 4,
  resumed = 5,  ///< Inside an item: a suspended coroutine resumes. `entry`, `group` and `b` as in item_begin;
                ///< `detail` a `wait_cause`; `a` the reference number waited for, or for a timer the time in
                ///< ns.
  suspended = 6,  ///< Inside an item: a coroutine begins to wait. Fields as in resumed.
  sent = 7,       ///< A message leaves: `entry` that it calls, `group` the receiving PE, `a` the message, `b`
                  ///< its bytes. Each PE that forwards it also records this.
  packed = 8,   ///< A message is serialised: `a` the message, `group` a number unique among the messages that
                ///< this track has packed.
  arrived = 9,  ///< A message has arrived and may run: `a` the message. If it was serialised: `b` the number
                ///< of the track that packed it, plus one, and `group` its number there. If `b` is 0, it
                ///< reached the end of a link `group` ns before.
  parked = 10,  ///< A PE has nothing to do and sleeps.
  woken = 11,
  operation =
      12,  ///< A device has ended an operation at `time`: `detail` an `operation_class`, `entry` its name
           ///< among `name_table::marks`, `group` the stream, `a` its duration in ns, `b` bytes moved. On the
           ///< track of a block: an entry that it has run; `b` the element.
  phase_begin = 13,  ///< A phase begins: `group` its name among `name_table::marks`, `a` a number from the
                     ///< user, `b` the number that its phase_end repeats, perhaps in another item. Phases may
                     ///< overlap.
  phase_end = 14,
  mark = 15,      ///< A moment named by the user; fields as in phase_begin.
  produced = 16,  ///< The user writes data, parts of which are sent to others. `group` its name among the
                  ///< marks, `b` the number of this stretch on the track, `detail` a `data_step`. `a` is the
                  ///< number of words written; for an element, its index among those sent.
  consumed = 17,  ///< The user reads data, parts of which were received from others; fields as in produced.
  dropped = 18,   ///< `a` records are missing here, since the ring was full.
  off = 19,       ///< Recording was switched off, or the ring was full; a gap follows.
  on = 20,
  abandoned = 21,  ///< A waiting coroutine was destroyed. Fields as in suspended, except for `a`.
  received = 22,   ///< The running coroutine takes a value out of a mailbox or channel: `entry` the port, `a`
                   ///< the message that brought it, `b` its reference number.
  gathered = 23,   ///< The running code adds its part to a joint result on this track, such as a reduction.
                   ///< `a` and `b` identify the result; `detail` is 1 if all parts are there and it
                   ///< takes effect.
  quiet = 24,      ///< The whole run has nothing left to do; code that waits for quiescence is notified next.
};
inline constexpr int record_kinds = 25;

/// The class of an item that a PE runs.
enum class item_class : std::uint8_t {
  entry = 0,    ///< an entry method or a port of a chare: the program's work
  runtime = 1,  ///< a message of the runtime itself, such as a reply or a part of a reduction
  other = 2,    ///< not a message: a timer, a completion, the main task
};

/// The cause of a coroutine's suspension.
enum class wait_cause : std::uint8_t { other = 0, mailbox = 1, call = 2, device = 3, timer = 4 };

/// The class of a device's operation.
enum class operation_class : std::uint8_t {
  kernel = 0,
  host_to_device = 1,
  device_to_host = 2,
  device_to_device = 3,
  host_function = 4,
  other = 5,
};

/// Position of a record of produced or consumed data in its stretch.
enum class data_step : std::uint8_t { begin = 0, element = 1, end = 2 };

/// One event, in the format of the ring and of the file; little-endian.
struct record {
  std::uint64_t time;  ///< ns, by the clock of the process (`file_header::started`)
  record_kind kind;
  std::uint8_t detail;
  std::uint16_t entry;  ///< number among `name_table::entries`
  std::uint32_t group;
  std::uint64_t a;
  std::uint64_t b;
};
/// `record::entry` if the program has more entries than it can count.
inline constexpr std::uint16_t no_entry = 0xffff;
static_assert(sizeof(record) == 32 && std::is_trivially_copyable_v<record>);

/// A bit in the numbers of collections that are not arrays: chares made one by one.
inline constexpr std::uint32_t collection_of_singles = std::uint32_t{1} << 31U;

/// The tables of names, by the numbers in records that they explain.
enum class name_table : std::uint8_t {
  entries = 0,  ///< id: `record::entry`. "block::run", or the nature of an item that calls no entry method
  collections =
      1,  ///< id: a collection. "block", and for dense indices a tab and the shape: "block\t(8, 8, 4)",
          ///< "worker\t16"; `record::b` then counts the elements, the last index fastest
  elements = 2,  ///< id: a collection, key: an element of one without dense indices. "lookup("north")",
                 ///< "worker #3 of PE 0"
  marks = 3,     ///< id: phases, marks, data, operations of devices
  streams = 4,   ///< id: a stream, key: the track of its device. The stream's owner: "block(1, 2)"
};
inline constexpr int name_tables = 5;

/// The owner of a track: the upper 8 bits of the track's number. The lower 24 bits are the index.
enum class track_class : std::uint8_t {
  pe = 0,           ///< index: the PE's number in the job
  comm_thread = 1,  ///< index: its process
  device = 2,       ///< index: the device's number in the process of the file
  network = 3,      ///< index: 0; events between PEs that no PE records
  block = 4,        ///< a block of a kernel that schedules by itself. Index: the block; from bit 8 the number
                    ///< of the kernel on the device at that time; from bit 16 the device
};
constexpr std::uint32_t track_number(track_class kind, std::uint32_t which) {
  return static_cast<std::uint32_t>(kind) << 24U | which;
}
constexpr track_class class_of_track(std::uint32_t track) { return static_cast<track_class>(track >> 24U); }
constexpr std::uint32_t place_of_track(std::uint32_t track) { return track & 0xff'ffffU; }

}  // namespace imbrex::trace
